// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineModel
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline explain")
struct ExplainCommandTests {
    private static let stages = """
        stages:
          - lua:
              code: |
                function request(ex)
                  ex.request.headers["x-team"] = "shop"
                  ex.request.headers["authorization"] = "Bearer s3cret-value"
                end
                function record(ex) ex.tags.seen = "yes" end
          - lua:
              code: function record(ex) ex.tags.never = "yes" end
            when: status == 500
          - redact: { preset: standard }
        runtime: { provenance: true }
        """

    /// Stores in which an example passed the stages.
    private func stores() async throws -> (folder: TemporaryFolder, paths: [String]) {
        let folder = try TemporaryFolder()
        let input = try await StoredTraffic([.example(1)])
        let paths = ["a.db", "b.ndjson"].map { folder($0) }
        let pipeline = """
            version: 1
            sources: [{ replay: { path: \(input.recording) } }]
            \(Self.stages)
            sinks: [{ sqlite: { path: \(paths[0]) } }, { ndjson: { path: \(paths[1]) } }]
            """
        let file = try folder.write(pipeline, to: "pipeline.yaml")
        let run = await tapline("run", file, "--quiet")
        try #require(run.code == .success, "\(run.errors)")
        let converted = folder("c.har")
        let convert = await tapline("convert", paths[1], converted)
        try #require(convert.code == .success, "\(convert.errors)")
        return (folder, paths + [converted])
    }

    @Test("shows what each stage did, the same from every kind of store")
    func explain() async throws {
        let (folder, paths) = try await stores()
        var outputs: Set<String> = []
        for path in paths {
            let outcome = await tapline("explain", path, "last")
            #expect(outcome.code == .success, "\(outcome.errors)")
            outputs.insert(outcome.output)
            #expect(!outcome.output.contains("s3cret"))
        }
        #expect(outputs.count == 1)
        let output = outputs.first ?? ""
        let lines = output.split(separator: "\n").map(String.init)
        for expected in [
            "            set request.header x-team, now shop",
            "            set request.header authorization, now [redacted]",
            "            set tag seen, now yes",
            "lua-2       record    not matched by 'when'",
        ] {
            #expect(lines.contains(expected), "\(output)")
        }
        #expect(lines.contains { $0.hasPrefix("lua         request   proceed, took ") })
        #expect(lines.contains { $0.hasPrefix("redact      record    keep, took ") })
        #expect(try !folder.read("b.ndjson").contains("s3cret"))
    }

    @Test("writes JSON for programs")
    func json() async throws {
        let (folder, paths) = try await stores()
        let id = Exchange.example(1).id.description
        let outcome = await tapline("explain", paths[0], id, "--format", "json")
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("{\"id\":\"\(id)\",\"started\":\"2026-"))
        #expect(outcome.output.contains(#""status":200,"state":"completed","provenance":[{"#))
        #expect(
            outcome.output.contains(
                #"{"part":"request.header","name":"x-team","kind":"set","value":"shop"}"#
            )
        )
        #expect(
            outcome.output.contains(#"{"stage":"lua-2","hook":"record","skipped":"when","at_ms":"#)
        )
        #expect(outcome.output.hasSuffix("]}\n"))
        #expect(!outcome.output.contains("s3cret"))
        #expect(try !folder.read("b.ndjson").contains("s3cret"))
    }

    @Test("says how to record provenance if there is none")
    func none() async throws {
        let input = try await StoredTraffic([.example(1)])
        let outcome = await tapline("explain", input.database, "last")
        #expect(outcome.code == .failure)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("no provenance"))
        #expect(outcome.errors.contains("runtime: { provenance: true }"))
    }

    @Test("rejects wrong arguments")
    func usage() async {
        for arguments in [["x.db"], ["x.db", "nothex"], ["x.db", "last", "--format=xml"]] {
            let outcome = await tapline(words: ["explain"] + arguments)
            #expect(outcome.code == .usage, "\(arguments)")
        }
    }
}
