// SPDX-License-Identifier: MIT

import Glibc
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
        let parsed = try Python.run(
            """
            import sys, xml.etree.ElementTree as tree
            root = tree.parse(sys.argv[1]).getroot()
            assert root.tag == "testsuites" and not root.attrib, root.attrib
            for suite in root:
                assert suite.tag == "testsuite"
                assert [c.tag for c in suite if c.tag != "testcase"] == ["properties", "system-out", "system-err"]
                assert [c.tag for c in suite][0] == "properties"
                assert set(suite.attrib) == {"name", "package", "id", "hostname", "timestamp", "tests", "failures", "errors", "time"}
                assert int(suite.get("tests")) == len(suite.findall("testcase"))
                assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
                float(suite.get("time"))
                assert suite.get("timestamp") == "2026-01-01T00:00:00"
                for case in suite.findall("testcase"):
                    assert set(case.attrib) == {"name", "classname", "time"}
                    for failure in case:
                        assert failure.tag in ("failure", "error") and set(failure.attrib) == {"type", "message"}
                        assert failure.tag == "error" or "expected" in failure.text and "found" in failure.text
                    print(repr(case.get("name")), len(case))
            print(root[0].get("name"), root[0].get("failures"), root[1].get("tests"), root[2].get("errors"))
            """,
            "\(folder.path)/junit.xml"
        )
        #expect(
            parsed
                == "'good' 0\n'a <b> & \"c\" \u{FFFD} \\n é' 1\n'wrong.test.yaml' 1\na&b.test.yaml 1 0 1\n"
        )
    }
}

/// Runs Python, as an independent reader.
enum Python {
    /// Runs a program with an argument and returns its output; it must succeed.
    static func run(_ program: String, _ argument: String) throws -> String {
        let folder = try TemporaryFolder(["program.py": program])
        let command = "/usr/bin/python3 '\(folder.path)/program.py' '\(argument)' 2>&1"
        let pipe = unsafe try #require(popen(command, "r"))
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe fread(&buffer, 1, buffer.count, pipe)
            if count == 0 { break }
            output += buffer.prefix(count)
        }
        let text = String(decoding: output, as: UTF8.self)
        #expect(unsafe pclose(pipe) == 0, "\(text)")
        return text
    }
}
