// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

/// Reports which lines of scripts ran, and which parts of the pipelines no test used.
package struct UsageReport: Sendable {
    private let usage: StageUsage

    /// Creates a report of what the tests used.
    package init(_ usage: StageUsage) { self.usage = usage }

    /// The percentage of lines that ran, over all scripts; `nil` if there are no scripts.
    package var percent: Double? {
        let lines = usage.scripts.reduce(0) { $0 + $1.lines.count }
        let run = usage.scripts.reduce(0) { $0 + $1.lines.count { $0.value > 0 } }
        return lines == 0 ? nil : 100 * Double(run) / Double(lines)
    }

    /// The lines of the report; empty if there is nothing to report.
    package var lines: [String] {
        usage.scripts.map(line) + usage.pipelines.flatMap(lines)
    }

    private func line(_ script: ScriptCoverage) -> String {
        let run = script.lines.count { $0.value > 0 }
        let share = script.lines.isEmpty ? 100 : 100 * run / script.lines.count
        var text =
            "coverage: \(script.file) \(share) % (\(run) of \(Counted.text(script.lines.count, "line"))"
        let missing = UsageReport.ranges(of: script)
        if !missing.isEmpty {
            text += "; not run: \(missing.prefix(20).joined(separator: ", "))"
            if missing.count > 20 { text += ", …" }
        }
        return text + ")"
    }

    /// The lines that did not run, as `3` or `7-9`; a range includes lines that cannot run.
    private static func ranges(of script: ScriptCoverage) -> [String] {
        var ranges: [(first: Int, last: Int)] = []
        var isOpen = false
        for (line, count) in script.lines.sorted(by: { $0.key < $1.key }) {
            if count > 0 {
                isOpen = false
            } else if isOpen, let last = ranges.indices.last {
                ranges[last].last = line
            } else {
                ranges.append((line, line))
                isOpen = true
            }
        }
        return ranges.map { $0.first == $0.last ? "\($0.first)" : "\($0.first)-\($0.last)" }
    }

    private func lines(_ pipeline: StageUsage.Pipeline) -> [String] {
        var lines: [String] = []
        if !pipeline.neverSelected.isEmpty {
            lines.append(
                "unused: \(pipeline.file): 'when' never matched: "
                    + pipeline.neverSelected.joined(separator: ", ")
            )
        }
        let unused = pipeline.counts.filter { $0.count == 0 }
        let hooks = unused.filter { $0.name == "calls" }.map { "\($0.stage): \($0.subject)" }
        if !hooks.isEmpty {
            lines.append(
                "unused: \(pipeline.file): hooks never called: \(hooks.joined(separator: ", "))"
            )
        }
        let rules = unused.filter { $0.name == "redactions" }.map { "\($0.stage): \($0.subject)" }
        if !rules.isEmpty {
            lines.append(
                "unused: \(pipeline.file): rules never matched: \(rules.joined(separator: ", "))"
            )
        }
        return lines
    }
}
