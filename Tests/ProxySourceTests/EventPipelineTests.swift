// SPDX-License-Identifier: MIT

import Foundation
import LuaStage
import NDJSONSink
import RedactStage
import SQLiteSink
import SummarySink
import TaplineConfig
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TestSupport
import Testing

@testable import ProxySource

/// Tests event streams in pipelines that are described by files.
@Suite("Pipelines with event streams")
struct EventPipelineTests {
    /// Runs a pipeline in front of a server; returns the output of curl, and each written file.
    private func run(
        _ pieces: [String],
        _ stages: String
    ) async throws -> (output: String, files: [String: [UInt8]]) {
        let origin = try EventOrigin(pieces)
        let folder = try FileSystem.makeTemporaryFolder(prefix: "events")
        defer { try? FileSystem.removeFolder(folder) }
        let text = """
            version: 1
            sources:
              - proxy: { listen: 127.0.0.1:0, threads: 1 }
            stages:
            \(stages)
            sinks:
              - ndjson: { path: out.ndjson }
              - sqlite: { path: out.db }
              - summary: { path: out.summary }
            """
        var diagnostics = Diagnostics()
        let root = ConfigReader().read(
            Array(text.utf8),
            name: "pipeline.yaml",
            folder: folder,
            into: &diagnostics
        )
        let registry = PluginRegistry(
            sources: [.proxy],
            stages: [.lua, .redact],
            sinks: [.ndjson, .sqlite, .summary]
        )
        let built = root.flatMap { root in
            TopologyBuilder(registry: registry).build(root, into: &diagnostics)
        }
        let topology = try #require(built, "\(diagnostics.all)")
        let (ports, continuation) = AsyncStream.makeStream(of: UInt16.self)
        let log = Log(component: "test") { entry in
            let parts = entry.message.split(separator: ":")
            guard entry.message.hasPrefix("listening on") else { return }
            if let port = parts.last.flatMap({ UInt16($0) }) { continuation.yield(port) }
        }
        let pipeline = Pipeline(topology, log: log) { Timestamp(microseconds: 0) }
        let running = Task { await pipeline.run() }
        var iterator = ports.makeAsyncIterator()
        let port = await iterator.next() ?? 0
        let output = try await command(
            "curl",
            ["-sS", "-m", "20", "-x", "http://127.0.0.1:\(port)", origin.url]
        )
        pipeline.stop()
        #expect(await running.value.isSuccess)
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = try Array(Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
        }
        return (output, files)
    }

    private func holds(_ bytes: [UInt8], _ text: String) -> Bool {
        Data(bytes).range(of: Data(text.utf8)) != nil
    }

    @Test(
        "mask a secret in an event, its type and its id in every sink",
        arguments: ["standard", "strict"]
    )
    func redaction(_ preset: String) async throws {
        let pieces = [
            "event: step\nid: 7\ndata: {\"user\":\"ana\",\"password\":\"pl4nted-one\"}\n\n",
            "event: password=pl4nted-two\nid: token=pl4nted-three\ndata: Authorization: "
                + "Bearer pl4nted-four\n\n",
        ]
        let (output, files) = try await run(
            pieces,
            "  - redact: { preset: \(preset) }"
        )
        #expect(output == pieces.joined())
        for name in ["out.ndjson", "out.db", "out.summary"] {
            #expect((files[name]?.count ?? 0) > 0, "\(name)")
        }
        for (name, bytes) in files {
            for secret in ["pl4nted-one", "pl4nted-two", "pl4nted-three", "pl4nted-four"] {
                #expect(!holds(bytes, secret), "\(secret) in \(name)")
            }
        }
        let line = files["out.ndjson"] ?? []
        #expect(holds(line, #""type":"event""#) && holds(line, "first_event_ms"))
    }

    @Test("run scripts on each event")
    func scripts() async throws {
        let (output, files) = try await run(
            ["data: one\n\n", "data: two\n\n", "data: three\n\n"],
            """
              - lua:
                  code: |
                    function message(ex, message)
                      local seen = message.type .. " " .. message.dir .. ";"
                      ex.tags.seen = (ex.tags.seen or "") .. seen
                      if message.text == "two" then return drop() end
                      message.text = message.text:upper()
                    end
            """
        )
        #expect(output == "data: one\n\ndata: two\n\ndata: three\n\n")
        let line = files["out.ndjson"] ?? []
        #expect(holds(line, #""text":"ONE","size":11"#) && holds(line, #""text":"THREE""#))
        #expect(!holds(line, #""text":"two""#))
        #expect(holds(line, #""seen":"event down;event down;event down;""#))
        #expect(holds(line, #""tapline.messages":"1 dropped by stages""#))
    }
}
