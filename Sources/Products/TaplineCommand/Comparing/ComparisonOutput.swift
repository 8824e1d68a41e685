// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFormats
internal import TaplineMatching
internal import TaplineModel
internal import TaplineStatistics

/// The report of a comparison in one of its formats.
struct ComparisonOutput {
    let report: ComparisonReport
    /// The names of both recordings, without folders.
    let names: (recorded: String, found: String)
    /// What the HTML page shows of exchanges; `nil` for other formats.
    let exchanges: ComparedExchanges?
    /// The preset of the redaction, which the HTML page names.
    let redaction: String

    init(
        _ report: ComparisonReport,
        names: (recorded: String, found: String),
        exchanges: ComparedExchanges? = nil,
        redaction: String = "standard"
    ) {
        self.report = report
        self.names = names
        self.exchanges = exchanges
        self.redaction = redaction
    }

    /// Returns the report.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - isColoured: Whether text has colours.
    /// - Returns: Its bytes.
    /// - Throws: `CodingError` if memory for the page runs out.
    func bytes(_ format: ComparisonFormat, isColoured: Bool = false) throws -> [UInt8] {
        switch format {
        case .text:
            var text = ComparisonText(isColoured: isColoured)
            return text.write(self)
        case .json: return ComparisonJSON.bytes(report)
        case .junit: return ComparisonJUnit.bytes(self)
        case .html: return try ComparisonPage.bytes(self)
        }
    }

    /// The counts in one line.
    var summary: String {
        var parts = ["\(Counted.text(report.pairs, "pair")) compared"]
        if report.count == 0 {
            parts.append("no differences")
        } else {
            let routes = report.routes.count { $0.count > 0 }
            if report.differing > 0 {
                parts.append("\(report.differing) \(report.differing == 1 ? "differs" : "differ")")
            }
            if report.missing > 0 { parts.append("\(report.missing) missing") }
            if report.extra > 0 { parts.append("\(report.extra) extra") }
            parts.append("in \(Counted.text(routes, "route"))")
        }
        if report.noise > 0 { parts.append("\(report.noise) ignored by rules") }
        if report.incomplete > 0 {
            parts.append("\(Counted.text(report.incomplete, "pair")) only in part")
        }
        if report.shifts > 0 {
            parts.append("the latency of \(Counted.text(report.shifts, "route")) shifted")
        }
        return parts.joined(separator: ", ")
    }

    /// The counts of a route in words.
    static func counts(_ route: ComparisonReport.Route) -> String {
        var parts: [String] = []
        if route.pairs > 0 {
            let verb = route.differing == 1 ? "differs" : "differ"
            parts.append("\(route.differing) of \(Counted.text(route.pairs, "pair")) \(verb)")
        }
        if route.missing > 0 { parts.append("\(route.missing) missing") }
        if route.extra > 0 { parts.append("\(route.extra) extra") }
        return parts.joined(separator: ", ")
    }

    /// The latency of a route in words; `nil` if it did not shift.
    static func shift(_ route: ComparisonReport.Route) -> String? {
        guard let latency = route.latency, latency.isShift, let shift = latency.shift else {
            return nil
        }
        let part = max(shift.superiority, 1 - shift.superiority)
        return "latency p50 \(time(latency.recorded, 0.5)) → \(time(latency.found, 0.5)), "
            + "p99 \(time(latency.recorded, 0.99)) → \(time(latency.found, 0.99)); "
            + "\(shift.superiority > 0.5 ? "slower" : "faster") in \(Int(part * 100)) % of "
            + "comparisons, p \(shift.probability < 0.0001 ? "< 0.0001" : "< 0.01")"
    }

    private static func time(_ distribution: Distribution, _ part: Double) -> String {
        Quantities.duration(Microseconds(Int64(distribution.quantile(part))))
    }
}

extension ComparisonReport.Example {
    /// Both values in one line.
    var values: String { "\(recorded) → \(found)" }
}

extension ComparisonReport.Part {
    /// How the part differs, for people.
    var change: String {
        switch kind {
        case .changed: "changed"
        case .type: "has another type"
        case .missing: "is missing"
        case .added: "is new"
        case .order: "has another order"
        }
    }
}
