// SPDX-License-Identifier: MIT

import TaplinePlugin
import Testing

@testable import TaplineTestRunner

/// Two hooks, one of which is never called; a line that never runs; brackets after a return.
private let script = """
    function request(ex)
      if ex.request.path == "/never" then
        ex.tags.never = "yes"
      end
      return respond {
        status = 201,
      }
    end

    function response(ex)
      ex.tags.response = "yes"
    end
    """

@Suite("The usage of tests")
struct StageUsageTests {
    private func usage(when: String = "path == \"/a\"") throws -> StageUsage {
        let ran = try run(
            """
            pipeline: pipeline.yaml
            tests:
              - { name: a, exchange: { request: GET http://a/a }, expect: { failed: false } }
              - { name: b, exchange: { request: GET http://a/b }, expect: { failed: false } }
            """,
            pipeline(
                script,
                more: """
                      - redact: { json: [email], headers: [Host] }
                        when: \(when)
                        id: clean
                    """
            )
        )
        #expect(ran.isPassed, "\(ran.diagnostics)\(ran.text)")
        return ran.usage
    }

    @Test("is counted by line, without closing brackets")
    func lines() throws {
        var usage = try usage()
        let script = try #require(usage.scripts.first)
        #expect(usage.scripts.count == 1)
        // The script begins in line 6 of the pipeline file.
        #expect(script.lines[7] == 2)
        #expect(script.lines[8] == 0)
        #expect(script.lines[16] == 2)
        let text = "\n\n\n\n\n" + StageUsageTests.text
        usage.leaveOutClosingLines { _ in Array(text.utf8) }
        let report = UsageReport(usage)
        #expect(report.lines.first?.contains("; not run: 8)") == true, "\(report.lines)")
        #expect((report.percent ?? 0) > 80 && (report.percent ?? 100) < 100)
        let lcov = LCOVReport(usage).text
        #expect(lcov.hasPrefix("TN:\nSF:"))
        #expect(lcov.contains("\nDA:7,2\nDA:8,0\n"))
        #expect(lcov.hasSuffix("\nend_of_record\n"))
    }

    private static let text = script.split(separator: "\n", omittingEmptySubsequences: false)
        .map { "        \($0)\n" }.joined()

    @Test("names rules, hooks and conditions that were not used")
    func unused() throws {
        let lines = UsageReport(try usage(when: "path == \"/none\"")).lines.joined(separator: "\n")
        #expect(lines.contains("'when' never matched: clean"), "\(lines)")
        #expect(
            lines.contains("rules never matched: clean: header host, clean: json email"),
            "\(lines)"
        )
        let used = UsageReport(try usage()).lines.joined(separator: "\n")
        #expect(!used.contains("'when' never matched"))
        #expect(used.contains("rules never matched: clean: json email"), "\(used)")
        #expect(!used.contains("hooks never called"))
    }

    @Test("names hooks that no exchange reached")
    func hooks() throws {
        let ran = try expecting(
            "{ aborted: true }",
            after: "function request(ex) return abort() end function response(ex) end"
        )
        let lines = UsageReport(ran.usage).lines.joined(separator: "\n")
        #expect(lines.contains("hooks never called: lua: "), "\(lines)")
        #expect(lines.contains(" response"))
        #expect(!lines.contains(" record"))
    }

    @Test("is added up over files")
    func sum() throws {
        var sum = try usage(when: "path == \"/none\"")
        sum.add(try usage(when: "path == \"/none\""))
        #expect(sum.pipelines.count == 2, "each ran in a folder of its own")
        var same = try usage()
        same.add(same)
        #expect(same.pipelines.count == 1)
        #expect(same.scripts.first?.lines[7] == 4)
    }
}
