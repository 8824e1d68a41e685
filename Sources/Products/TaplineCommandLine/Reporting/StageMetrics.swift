// SPDX-License-Identifier: MIT

package import TaplinePlugin
internal import TaplineStatistics

/// A stage's own metrics as a table for people, without metrics whose count is zero.
package struct StageMetrics {
    /// The most rows, since a preset may have a hundred rules; the last line counts the others.
    private static let maxRows = 40

    private let id: String
    private let metrics: [Metric]

    package init(id: String, metrics: [Metric]) {
        self.id = id
        self.metrics = metrics
    }

    /// The lines of the table; empty if there are no counts.
    package var lines: [String] {
        let shown = metrics.filter { $0.count > 0 }
        guard !shown.isEmpty else { return [] }
        let rows = shown.prefix(StageMetrics.maxRows).map {
            ["    \($0.name)  \($0.subject)", StageMetrics.text($0)]
        }
        var lines = ["", "  \(id)"] + Columns.table(rows)
        if shown.count > rows.count { lines.append("    and \(shown.count - rows.count) more") }
        return lines
    }

    private static func text(_ metric: Metric) -> String {
        guard let times = metric.durations else { return "\(metric.count)" }
        return "median \(text(times.quantile(0.5))), 99 % \(text(times.quantile(0.99))), "
            + "longest \(text(times.maximum))"
    }

    /// A time for people: `850 ns`, `1.2 us`, `40 ms`.
    package static func text(_ nanoseconds: Int) -> String {
        if nanoseconds < 1000 { return "\(nanoseconds) ns" }
        if nanoseconds < 1_000_000 {
            return "\(nanoseconds / 1000).\(nanoseconds / 100 % 10) us"
        }
        return "\(nanoseconds / 1_000_000) ms"
    }
}
