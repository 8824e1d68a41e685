// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineTestRunner

@Suite("JUnit XML")
struct JUnitReportTests {
    @Test("has the format of build servers, whatever names and values contain")
    func form() throws {
        let name = "a <b> & \\\"c\\\" \\x01 \\n é"
        let ran = try run(
            """
            pipeline: pipeline.yaml
            tests:
              - { name: good, exchange: { request: GET http://a/ }, expect: { failed: false } }
              - { name: "\(name)", exchange: { request: GET http://a/ }, expect: { client: { body: "]]> \\x00\\uFFFE" } } }
            """,
            pipeline("function request(ex) log('<seen>') end")
        )
        #expect(ran.results.count == 2, "\(ran.diagnostics)")
        var report = JUnitReport(time: "2026-01-01T00:00:00.000000Z")
        report.add(file: "a&b.test.yaml", ran.results)
        report.add(file: "none.test.yaml", [])
        report.add(
            file: "wrong.test.yaml",
            error: "wrong.test.yaml:1:1: error: <not> & \u{1} YAML\n"
        )
        let folder = try TemporaryFolder(["junit.xml": report.text])
        let parsed = try Python.run("junit", [folder("junit.xml")])
        #expect(
            parsed
                == "'good' 0\n'a <b> & \"c\" \u{FFFD} \\n é' 1\n'wrong.test.yaml' 1\na&b.test.yaml 1 0 1\n"
        )
    }
}
