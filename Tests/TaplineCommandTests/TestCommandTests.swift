// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand

private let pipeline = """
    version: 1
    sources: [{ replay: { path: nowhere.har } }]
    stages:
      - lua: { script: tag.lua }
    sinks: [{ sqlite: { path: /nowhere/at/all.db } }]
    """

private let script = """
    function record(ex)
      ex.tags.team = "checkout"
      if ex.request.path == "/never" then
        ex.tags.never = "yes"
      end
    end
    """

private func tests(_ team: String) -> String {
    """
    pipeline: pipeline.yaml
    tests:
      - { name: tags the team, exchange: { request: GET http://a/ }, expect: { tags: { team: \(team) } } }
      - { name: answers, exchange: { request: GET http://a/ }, expect: { client: { status: 200 } } }
    """
}

/// Calls `body` with a folder that has passing tests, failing tests and an invalid test file.
private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = try TemporaryFolder([
        "pipeline.yaml": pipeline, "tag.lua": script, "good.test.yaml": tests("checkout"),
        "bad.yaml": tests("search"), "wrong.yaml": "pipeline: pipeline.yaml\ntest: []\n",
    ])
    try FileSystem.makeFolder(folder("empty"))
    try await body(folder.path)
    withExtendedLifetime(folder) {}
}

@Suite("The command 'test'")
struct TestCommandTests {
    @Test("exits with 0 if all tests pass, and lists what ran")
    func passes() async throws {
        try await withFolder { folder in
            let outcome = await tapline("test", folder)
            #expect(outcome.code == .success, "\(outcome.errors)\(outcome.output)")
            #expect(outcome.errors == "")
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == 5)
            #expect(lines[0] == "\(folder)/good.test.yaml")
            #expect(lines[1].hasPrefix("  ok      tags the team ("))
            #expect(lines[3] == "coverage: \(folder)/tag.lua 80 % (4 of 5 lines; not run: 4)")
            #expect(lines[4].hasPrefix("2 tests: all passed ("))
            #expect(!outcome.output.contains("\u{1B}"))
        }
    }

    @Test("exits with 1 if a test fails, and shows the difference")
    func fails() async throws {
        try await withFolder { folder in
            let outcome = await tapline("test", folder, "\(folder)/bad.yaml")
            #expect(outcome.code == .failure)
            #expect(outcome.output.contains("  FAILED  tags the team ("))
            #expect(outcome.output.contains("bad.yaml:3:90: error: 'tags.team' differs"))
            #expect(outcome.output.contains("  expected: \"search\"\n     found: \"checkout\"\n"))
            #expect(outcome.output.contains("4 tests: 3 passed, 1 failed ("))
        }
    }

    @Test("exits with 78 if a file is invalid, and still runs the others")
    func configuration() async throws {
        try await withFolder { folder in
            let outcome = await tapline("test", "\(folder)/wrong.yaml", folder)
            #expect(outcome.code == .configuration)
            #expect(outcome.errors.contains("wrong.yaml:2:1: error: unknown option 'test'"))
            #expect(outcome.errors.contains("help: did you mean 'tests'?"))
            #expect(outcome.output.contains("2 tests: all passed"))
            let path = "\(folder)/junit.xml"
            #expect(await tapline("test", "\(folder)/wrong.yaml", "--junit", path).output == "")
            let junit = try TestFiles.text(of: path)
            #expect(junit.contains("errors=\"1\""))
            let missing = await tapline("test", "\(folder)/none.test.yaml")
            #expect(missing.code == .configuration)
            #expect(missing.errors.contains("error: cannot open"))
            #expect(missing.output == "")
        }
    }

    @Test("exits with 64 if there is no test, since that is not a success")
    func noTests() async throws {
        try await withFolder { folder in
            let empty = await tapline("test", "\(folder)/empty")
            #expect(empty.code == .usage)
            #expect(empty.errors.contains("error: no tests found in \(folder)/empty"))
            let filtered = await tapline("test", folder, "--filter", "no such test")
            #expect(filtered.code == .usage)
            #expect(filtered.errors.contains("no tests found whose name contains 'no such test'"))
            #expect(await tapline("test").code == .usage)
            #expect(await tapline("test", folder, "--min-coverage", "lots").code == .usage)
            #expect(await tapline("test", folder, "--min-coverage", "101").code == .usage)
        }
    }

    @Test("runs and lists only tests whose name contains a text")
    func filter() async throws {
        try await withFolder { folder in
            let outcome = await tapline("test", folder, "--filter", "team")
            #expect(outcome.code == .success)
            #expect(outcome.output.contains("1 test: all passed, 1 excluded by --filter ("))
            let list = await tapline("test", folder, "--list")
            #expect(list.code == .success)
            #expect(
                list.output
                    == "\(folder)/good.test.yaml: tags the team\n\(folder)/good.test.yaml: answers\n"
            )
            let one = await tapline("test", folder, "--list", "--filter", "answers")
            #expect(one.output == "\(folder)/good.test.yaml: answers\n")
        }
    }

    @Test("writes results and coverage if requested")
    func files() async throws {
        try await withFolder { folder in
            let outcome = await tapline(
                "test",
                folder,
                "--junit",
                "\(folder)/junit.xml",
                "--coverage",
                "\(folder)/lcov.info"
            )
            #expect(outcome.code == .success)
            let junit = try TestFiles.text(of: "\(folder)/junit.xml")
            #expect(junit.contains("tests=\"2\" failures=\"0\""))
            let lcov = try TestFiles.text(of: "\(folder)/lcov.info")
            #expect(lcov.hasPrefix("TN:\nSF:\(folder)/tag.lua\n"))
            #expect(lcov.contains("\nDA:3,2\nDA:4,0\n"))
            #expect(lcov.hasSuffix("\nLF:5\nLH:4\nend_of_record\n"))
            let nowhere = await tapline("test", folder, "--junit", "/nowhere/at/all.xml")
            #expect(nowhere.code == .failure)
            #expect(nowhere.errors.contains("error: cannot open '/nowhere/at/all.xml'"))
        }
    }

    @Test("fails if too few lines ran for --min-coverage")
    func coverage() async throws {
        try await withFolder { folder in
            let enough = await tapline("test", folder, "--min-coverage", "80")
            #expect(enough.code == .success, "\(enough.errors)")
            let short = await tapline("test", folder, "--min-coverage", "80.5")
            #expect(short.code == .failure)
            #expect(
                short.errors
                    == "error: only 80 % of the lines of scripts ran; expected at least 80.5 %\n"
            )
        }
    }

    @Test("prints a schema of test files")
    func schema() async {
        let outcome = await tapline("schema", "--test")
        #expect(outcome.code == .success)
        #expect(outcome.output.contains("\"title\": \"Tapline test file\""))
        #expect(outcome.output.contains("\"min"))
    }
}
