// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

/// Says which lines of scripts ran, and what of the pipelines no test made use of.
public struct UsageReport: Sendable {
    private let usage: StageUsage

    /// A report of what tests made use of.
    public init(_ usage: StageUsage) { self.usage = usage }

    /// How many of a hundred lines of all scripts ran; `nil` if there are no scripts.
    public var percent: Double? {
        let lines = usage.scripts.reduce(0) { $0 + $1.lines.count }
        let run = usage.scripts.reduce(0) { $0 + $1.lines.count { $0.value > 0 } }
        return lines == 0 ? nil : 100 * Double(run) / Double(lines)
    }

    /// The lines of the report; none where there is nothing to say.
    public var lines: [String] {
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

    /// The lines that did not run, as `3` or `7-9`; lines between them that cannot run count in.
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
                "unused: \(pipeline.file): 'when' never held: "
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
