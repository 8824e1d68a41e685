// SPDX-License-Identifier: MIT

import Foundation
import LuaStage
import NDJSONSink
import RedactStage
import Synchronization
import TaplineConfig
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import Testing

@testable import ProxySource

/// Tests WebSockets in pipelines that are described by files.
@Suite("Pipelines with WebSockets")
struct WebSocketPipelineTests {
    /// Runs a pipeline in front of a server, and a client that sends texts through it; returns the
    /// NDJSON file, and the first message that the client gets.
    private func run(
        _ origin: WebSocketOrigin,
        _ stages: String,
        sending texts: String...
    ) async throws -> (output: String, file: String) {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "websocket")
        defer { try? FileSystem.removeFolder(folder) }
        let text = """
            version: 1
            sources:
              - proxy:
                  listen: 127.0.0.1:0
                  intercept: true
                  ca: \(origin.origin.folder)/ca
                  authorities: \(origin.origin.certificate)
                  threads: 1
            stages:
            \(stages)
            sinks:
              - ndjson: { path: out.ndjson }
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
            sinks: [.ndjson]
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
        let address = SocketAddress(.loopbackV4, port: port)
        let output = try await origin.client(
            through: address,
            compresses: true,
            "echo_last",
            texts
        )
        pipeline.stop()
        #expect(await running.value.isSuccess)
        return (output, try String(contentsOfFile: "\(folder)/out.ndjson", encoding: .utf8))
    }

    @Test("mask a secret in a compressed message, but not on the wire")
    func redaction() async throws {
        let origin = try await WebSocketOrigin(.secure, compresses: true)
        let (output, file) = try await run(
            origin,
            "  - redact: { preset: standard }",
            sending: #"{"user":"ana","password":"pl4nted-secret"}"#
        )
        #expect(output.contains("pl4nted-secret"))
        #expect(file.contains(#""type":"text""#) && file.contains("ana"))
        #expect(!file.contains("pl4nted-secret"))
    }

    @Test("run a script's hook on messages")
    func script() async throws {
        let origin = try await WebSocketOrigin(.secure, compresses: true)
        let (output, file) = try await run(
            origin,
            """
              - lua:
                  code: |
                    function message(ex, message)
                      local value = message:json()
                      if value.kind == "noise" then return drop() end
                      value.seen = (value.seen or 0) + 1
                      message.json = value
                      ex.tags.last = message.dir
                    end
            """,
            sending: #"{"kind":"noise"}"#,
            #"{"kind":"question"}"#
        )
        #expect(output == #"{"kind":"question","seen":2}"# + "\n")
        #expect(file.contains(#"{\"kind\":\"question\",\"seen\":1}"#))
        #expect(!file.contains("noise"))
        #expect(file.contains(#""last":"down""#))
    }
}
