// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
package import TaplineOperations
internal import TaplineStatistics

/// The figures of a replay for people.
package struct ReplayText {
    /// The maximum number of routes that are shown.
    private static let maxRoutes = 20

    private let report: ReplayReport

    package init(_ report: ReplayReport) { self.report = report }

    /// The servers that requests were sent to.
    package static func targets(_ report: ReplayReport) -> String {
        let targets = report.targets.keys.sorted().map { $0.showingControls([:]) }
        return targets.isEmpty ? "no server" : targets.joined(separator: ", ")
    }

    /// All figures of one or several replays.
    package static func text(of reports: [ReplayReport]) -> String {
        guard reports.count > 1 else { return reports.first.map { Self($0).text } ?? "" }
        return reports.map { "\(targets($0)):\n\(Self($0).text)" }.joined(separator: "\n\n")
    }

    /// The figures of one or several replays so far in one line.
    package static func line(of reports: [ReplayReport]) -> String {
        guard reports.count > 1 else { return reports.first.map { Self($0).line } ?? "" }
        return reports.map { report in
            let errors = report.errors.values.reduce(0, +)
            let median = time(report.latencies.service.quantile(0.5))
            return "\(report.counts.sent) sent, \(report.counts.inFlight) in flight, "
                + "\(errors) errors, \(median)"
        }.joined(separator: " | ")
    }

    /// The figures so far in one line.
    var line: String {
        let counts = report.counts
        var parts = [
            "\(counts.sent) sent",
            rates.isEmpty ? "no rate yet" : rates,
            "\(counts.inFlight) in flight",
            "late by \(Self.time(report.lateness.quantile(0.99)))",
            "\(report.errors.values.reduce(0, +)) errors",
        ]
        let (service, response) = (report.latencies.service, report.latencies.response)
        for (name, times) in [("service", service), ("response", response)] {
            parts.append(
                "\(name) \(Self.time(times.quantile(0.5)))/\(Self.time(times.quantile(0.99)))"
            )
        }
        return parts.joined(separator: ", ")
    }

    /// All figures.
    var text: String {
        var lines = report.isDryRun ? dryRun : sent
        lines += webSockets
        lines += obstacles
        lines += ReplayText.lines(report.tokens, isDryRun: report.isDryRun)
        return lines.joined(separator: "\n")
    }

    private var dryRun: [String] {
        let count = Counted.text(report.counts.due, "request")
        let size = Counted.text(report.bodyBytes, "byte")
        return ["\(count) would be sent, with \(size) in bodies"]
            + Columns.table(report.targets.sorted { $0.key < $1.key }.map { ["  \($0)", "\($1)"] })
    }

    private var sent: [String] {
        let counts = report.counts
        var lines = [
            "\(counts.sent) of \(Counted.text(counts.due, "request")) sent in "
                + "\(Summary.time(report.sending))\(rates.isEmpty ? "" : ": \(rates)")"
                + (report.refused > 0 ? "; \(report.refused) more cannot be sent, see below" : ""),
            "\(counts.skipped) skipped, \(counts.failed) failed to be sent, "
                + "\(counts.lateByTarget) late because of the server, "
                + "\(counts.lateByGenerator) because of the generator, at most "
                + "\(Self.time(Int(counts.latest).multipliedClamped(by: 1000)))",
        ]
        lines += Columns.table(
            report.statuses.sorted { $0.key < $1.key }.map { ["status \($0)", "\($1)"] }
                + report.errors.sorted { $0.key < $1.key }.map { ["error \($0)", "\($1)"] }
        )
        if report.changedStatuses > 0 {
            lines.append("\(report.changedStatuses) have a different status from the recorded one")
        }
        return lines + latencies
    }

    private var latencies: [String] {
        guard report.latencies.service.count > 0 else { return [] }
        var rows = [["latency", "count", "p50", "p90", "p99", "p99.9", "max"]]
        rows.append(Self.row("service, from sending", report.latencies.service))
        rows.append(Self.row("response, from when due", report.latencies.response))
        let routes = report.routes.sorted {
            ($1.value.response.count, $0.key) < ($0.value.response.count, $1.key)
        }
        if routes.count > 1 {
            for (route, times) in routes.prefix(Self.maxRoutes) {
                rows.append(Self.row("  \(route.showingControls([:]))", times.response))
            }
        }
        var lines = [""] + Columns.table(rows)
        if routes.count > Self.maxRoutes {
            lines.append("  and \(routes.count - Self.maxRoutes) more routes")
        }
        return lines
    }

    private static func row(_ name: String, _ times: Distribution) -> [String] {
        [
            name, "\(times.count)", time(times.quantile(0.5)), time(times.quantile(0.9)),
            time(times.quantile(0.99)), time(times.quantile(0.999)), time(times.maximum),
        ]
    }

    /// The messages of WebSockets.
    private var webSockets: [String] {
        let counts = report.webSockets
        guard counts.opened > 0 else { return [] }
        let messages = Counted.text(counts.due, "message")
        guard !report.isDryRun else {
            return ["\(Counted.text(counts.opened, "WebSocket")) would be opened, with \(messages)"]
        }
        var lines = [
            "\(Counted.text(counts.opened, "WebSocket")) opened: \(counts.sent) of \(messages) sent, "
                + "\(counts.dropped) dropped by stages, \(counts.unsent) not sent before the end, "
                + "\(counts.received) received"
        ]
        if counts.bound > 0 || counts.missing > 0 {
            lines.append(
                "\(Counted.text(counts.bound, "message")) got what the server handed out, "
                    + "\(counts.missing) had a token that it did not hand out"
            )
        }
        return lines
    }

    /// What cannot be sent, and why.
    private var obstacles: [String] {
        guard report.refused > 0 else { return [] }
        var lines = ["", "\(Counted.text(report.refused, "recorded request")) cannot be sent:"]
        lines += Columns.table(
            ReplayObstacle.allCases.compactMap { obstacle in
                report.obstacles[obstacle].map { ["  \(obstacle.reason)", "\($0)"] }
            }
        )
        let hosts = report.hostsWithoutTarget.sorted { $0.key < $1.key }
        lines += hosts.prefix(Self.maxRoutes).map {
            "  no '--to' for \($0.key.showingControls([:])): \($0.value)"
        }
        return lines
    }

    /// A time of nanoseconds: `45 us`, `1.23 ms`, `4.5 s`.
    static func time(_ nanoseconds: Int) -> String {
        let microseconds = nanoseconds / 1000 + (nanoseconds % 1000 >= 500 ? 1 : 0)
        if microseconds < 1000 { return "\(microseconds) us" }
        if microseconds < 999_995 { return "\(decimal((microseconds + 5) / 10)) ms" }
        return "\(decimal(microseconds / 10_000)) s"
    }

    /// The rate at which requests were sent, and the one that was asked for.
    private var rates: String {
        guard let rate = report.rate else { return "" }
        return Self.rate(rate) + (report.wantedRate.map { " of \(Self.rate($0)) asked" } ?? "")
    }

    private static func rate(_ rate: Double) -> String {
        // A rate is far below 2^53.
        "\(decimal(Int(min(rate * 100, 1e15).rounded())))/s"
    }

    /// Writes hundredths as a decimal number.
    private static func decimal(_ hundredths: Int) -> String {
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
