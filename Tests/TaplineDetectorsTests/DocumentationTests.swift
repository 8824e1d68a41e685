// SPDX-License-Identifier: MIT

import TaplineSystem
import TestSupport
import Testing

@testable import TaplineDetectors

@Suite("The reference page of the detectors")
struct DocumentationTests {
    /// `TAPLINE_WRITE_DOCS=1` rewrites the table.
    ///
    /// That run fails, so that it is not mistaken for a check.
    @Test("has a table of all detectors that matches their declarations")
    func table() throws {
        let path = "\(TestFiles.repository)/Sources/Products/TaplineDetectors/README.md"
        var lines = try TestFiles.text(of: path)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| detector |") })
        let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.count
        guard ProcessEnvironment.variables["TAPLINE_WRITE_DOCS"] == nil else {
            lines.replaceSubrange(start..<end, with: DetectorTable.lines)
            try File(path, for: .replace).write(Array(lines.joined(separator: "\n").utf8).span)
            Issue.record("\(path) was rewritten")
            return
        }
        #expect(Array(lines[start..<end]) == DetectorTable.lines)
    }
}
