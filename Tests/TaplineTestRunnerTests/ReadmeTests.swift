// SPDX-License-Identifier: MIT

import TaplineBuiltIns
import TaplineConfig
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineTestRunner

/// Runs every example of the reference page.
@Suite("The reference page of test files")
struct ReadmeTests {
    private static let page = try? FileBytes.read(
        "\(TestFiles.repository)/Sources/Products/TaplineTestRunner/README.md",
        atMost: 1 << 20
    )

    /// The fenced blocks of the page, with their languages.
    private static var blocks: [(language: String, text: String)] {
        var blocks: [(language: String, text: String)] = []
        var open: (language: String, lines: [Substring])?
        let text = String(decoding: page ?? [], as: UTF8.self)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let block = open {
                    let text = block.lines.map { $0 + "\n" }.joined()
                    blocks.append((block.language, text))
                    open = nil
                } else {
                    open = (String(line.dropFirst(3)), [])
                }
            } else {
                open?.lines.append(line)
            }
        }
        return blocks
    }

    private static func run(_ text: String) throws -> Ran {
        let pipeline = try #require(blocks.first { $0.text.hasPrefix("version: 1") }).text
        let recording = try FileBytes.read(
            "\(TestFiles.repository)/Examples/recordings/shop.har",
            atMost: 64 << 20
        )
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let whole =
            text.hasPrefix("pipeline:")
            ? text : "pipeline: pipeline.yaml\ntests:\n" + lines.map { "  \($0)\n" }.joined()
        return try TaplineTestRunnerTests.run(whole, pipeline, files: ["shop.har": recording])
    }

    @Test("shows tests that pass")
    func passing() throws {
        let tests = Self.blocks.filter {
            $0.language == "yaml" && !$0.text.hasPrefix("version: 1")
                && !$0.text.contains("two mistakes")
        }
        #expect(tests.count >= 7)
        for test in tests {
            let ran = try Self.run(test.text)
            #expect(ran.isPassed, "\(test.text)\(ran.diagnostics)\(ran.text)")
        }
    }

    @Test("shows the format of differences")
    func failing() throws {
        let test = try #require(Self.blocks.first { $0.text.contains("two mistakes") })
        let shown = try #require(Self.blocks.first { $0.language == "text" })
        let ran = try Self.run(test.text)
        #expect(ran.text == shown.text, "\(ran.diagnostics)")
    }
}
