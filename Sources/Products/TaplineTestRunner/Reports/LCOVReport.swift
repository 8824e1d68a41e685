// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// Line coverage in the format that editors read (geninfo(1), "FILES").
package struct LCOVReport: Sendable {
    private let usage: StageUsage

    /// Creates a report of the lines that tests ran.
    package init(_ usage: StageUsage) { self.usage = usage }

    /// The text of the file.
    package var text: String {
        var lines: [String] = []
        for script in usage.scripts {
            lines += ["TN:", "SF:\(script.file)"]
            for (line, count) in script.lines.sorted(by: { $0.key < $1.key }) {
                lines.append("DA:\(line),\(count)")
            }
            lines.append("LF:\(script.lines.count)")
            lines.append("LH:\(script.lines.count { $0.value > 0 })")
            lines.append("end_of_record")
        }
        return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
    }
}
