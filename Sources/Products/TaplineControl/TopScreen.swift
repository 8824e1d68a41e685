// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineStatistics

/// The screen of `tapline top`: two snapshots in, lines of text out.
///
/// Pure: it reads no clock and no terminal. The numbers come from whatever listens at the address, so
/// differences may wrap around.
package struct TopScreen {
    private let now: TopSnapshot
    private let before: TopSnapshot?
    private let width: Int
    private let height: Int

    /// Creates a screen.
    ///
    /// - Parameters:
    ///   - now: The present figures.
    ///   - before: The figures that rates are counted from; `nil` for the start of the pipeline.
    ///   - width: The columns of the terminal.
    ///   - height: Its rows.
    package init(
        _ now: TopSnapshot,
        since before: TopSnapshot? = nil,
        width: Int = 100,
        height: Int = .max
    ) {
        self.now = now
        self.before = before
        self.width = max(width, 20)
        self.height = max(height, 4)
    }

    /// The lines, which fit on the screen.
    package var lines: [String] {
        var lines = head
        lines.append("")
        lines += table
        for row in now.rows {
            if let program = row.program { lines.append("\(row.id): runs \(program)") }
            if let reason = row.reason { lines.append("\(row.id): \(row.state): \(reason)") }
        }
        if lines.count > height {
            let rest = lines.count - height + 1
            lines = Array(lines.prefix(height - 1)) + ["and \(rest) more lines"]
        }
        return lines.map { String($0.showingControls([:]).prefix(width)) }
    }

    private var seconds: Double {
        guard let before, now.time > before.time else { return max(now.uptime / 1000, 0.001) }
        return max(Double(now.time &- before.time) / 1_000_000, 0.001)
    }

    private var head: [String] {
        let state = now.isDraining ? "draining" : now.isReady ? "ready" : "not ready"
        var first =
            "tapline \(now.version)  \(state)  up \(Self.time(now.uptime / 1000))  "
            + "generation \(now.generation)"
        if now.blocked > 0 { first += "  \(now.blocked) blocked: tapline status --why-blocked" }
        if now.paused > 0 { first += "  \(now.paused) paused" }
        let used = Double(now.processorTime &- (before?.processorTime ?? 0)) / 1_000_000
        let load = max(used / seconds * 100, 0)
        let second =
            "cpu \(Self.tenths(load)) %  memory \(Self.size(now.resident))  "
            + "held \(Self.size(now.held)) of \(Self.size(now.limit))  "
            + "descriptors \(now.descriptors)"
        return [first, second]
    }

    private var table: [String] {
        let names = [
            "", "id", "state", "gen", "in/s", "out/s", "in", "lost", "p50", "p99", "queue", "spill",
            "lag",
        ]
        let rows = [names] + now.rows.map(cells)
        let widths = names.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return column < 3 ? text + space : space + text
            }.joined(separator: "  ")
        }
    }

    private func cells(_ row: TopSnapshot.Row) -> [String] {
        let former = before?.rows.first { $0.kind == row.kind && $0.id == row.id }
        // A component that was replaced begins at zero again.
        let isSame = (former?.received ?? 0) <= row.received && (former?.sent ?? 0) <= row.sent
        let base = isSame ? former : nil
        func rate(_ count: Int) -> String { Self.count(Double(max(count, 0)) / seconds) }
        var times = row.times
        if let earlier = base?.times, let all = times { times = all.since(earlier) }
        let isTimed = (times?.count ?? 0) > 0
        func quantile(_ part: Double) -> String {
            isTimed ? Self.duration(times?.quantile(part) ?? 0) : "-"
        }
        return [
            row.kind, row.id, row.state, String(row.generation),
            rate(row.received &- (base?.received ?? 0)), rate(row.sent &- (base?.sent ?? 0)),
            Self.count(Double(row.received)), Self.count(Double(row.lost)),
            quantile(0.5), quantile(0.99),
            row.queued.map { Self.count(Double($0)) } ?? "-",
            row.queued == nil ? "-" : Self.size(row.spillBytes),
            row.queued == nil ? "-" : Self.duration(row.lag.multipliedClamped(by: 1000)),
        ]
    }

    // MARK: Numbers for people

    /// `999`, `12.3k`, `4.5M`.
    private static func count(_ number: Double) -> String {
        if number < 9999.5 { return String(Int(max(number, 0).rounded())) }
        if number < 999_950 { return "\(tenths(number / 1000))k" }
        return "\(tenths(min(number, 1e15) / 1_000_000))M"
    }

    /// `0`, `512 KiB`, `1.5 GiB`.
    private static func size(_ bytes: Int) -> String {
        let kibibytes = Double(max(bytes, 0)) / 1024
        if bytes <= 0 { return "0" }
        if kibibytes < 1023.5 { return "\(Int(kibibytes.rounded(.up))) KiB" }
        if kibibytes < 1_048_000 { return "\(tenths(kibibytes / 1024)) MiB" }
        return "\(tenths(kibibytes / 1_048_576)) GiB"
    }

    /// Nanoseconds: `850 us`, `1.2 ms`, `3.0 s`.
    private static func duration(_ nanoseconds: Int) -> String {
        if nanoseconds < 1_000_000 { return "\(max(nanoseconds, 0) / 1000) us" }
        if nanoseconds < 1_000_000_000 { return "\(tenths(Double(nanoseconds) / 1e6)) ms" }
        return "\(tenths(Double(nanoseconds) / 1e9)) s"
    }

    /// Seconds: `12 s`, `5 min`, `3 h`, `2 d`.
    private static func time(_ seconds: Double) -> String {
        let seconds = Int(min(max(seconds, 0), 1e12))
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3600) h"
        default: return "\(seconds / 86_400) d"
        }
    }

    private static func tenths(_ number: Double) -> String {
        let tenths = Int((min(max(number, 0), 1e15) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
