// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplineOperations
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine
@testable import TaplineControl

/// A source that runs until it is cancelled.
struct EndlessSource: Source {
    func run(_ intake: any Intake) async throws { try await Task.sleep(for: .seconds(60)) }
}

@Suite("Commands that ask a running pipeline", .timeLimit(.minutes(1)))
struct OperatingCommandTests {
    private let folder: TemporaryFolder
    private let pipeline: Pipeline
    private let server: ControlServer
    private let address: String

    init() throws {
        folder = try TemporaryFolder()
        pipeline = Pipeline(
            Topology(
                sources: [Topology.Source(id: "endless", EndlessSource())],
                sinks: [Topology.Sink(id: "sink", RecordingSink())]
            ),
            now: { Timestamp(microseconds: 1_800_000_000_000_000) }
        )
        address = "unix:\(folder("control"))"
        server = try ControlServer(
            at: .socket(path: folder("control")),
            of: pipeline,
            reloading: nil,
            protectedPorts: ProtectedPorts(folder: folder("ports"))
        )
    }

    @Test("print its state, and drain it with the token beside the socket")
    func all() async {
        let run = Task { await pipeline.run() }
        await wait(for: "the pipeline to start") { pipeline.status.components[0].state == .running }
        let status = await tapline("status", "--control", address)
        #expect(status.code == .success, "\(status.errors)")
        #expect(status.output.contains("endless"))
        let json = await tapline(
            "status",
            "--format",
            "json",
            environment: ["TAPLINE_CONTROL": address]
        )
        #expect(json.output.contains("\"id\":\"sink\""))
        let top = await tapline("top", "--control", address)
        #expect(top.output.hasPrefix("tapline "))
        #expect(await tapline("status", "--ready", "--control", address).code == .success)
        let blocked = await tapline("status", "--why-blocked", "--control", address)
        #expect(blocked.output == "nothing is blocked\n")
        let reload = await tapline("reload", "--control", address)
        #expect(reload.code == .failure)
        #expect(reload.errors.contains("this run cannot reload"))
        #expect(await tapline("drain", "--control", address).code == .success)
        #expect(await run.value.isSuccess)
        #expect(await tapline("status", "--ready", "--control", address).code == .failure)
        server.stop()
    }

    @Test("take the address and the token from the file of the pipeline")
    func file() async throws {
        try folder.write("runtime: { control: \"\(address)\" }\n", to: "pipeline.yaml")
        let given = await tapline("status", "--config", folder("pipeline.yaml"))
        #expect(given.code == .success, "\(given.errors)")
        try folder.write("runtime: {}\n", to: "pipeline.yaml")
        let none = await tapline("status", "--config", folder("pipeline.yaml"))
        #expect(none.code == .usage)
        #expect(none.errors.contains("has no 'control' under 'runtime'"))
        server.stop()
    }

    @Test("say what is wrong")
    func wrong() async throws {
        let missing = await tapline("status")
        #expect(missing.code == .usage)
        #expect(missing.errors.contains("no pipeline given; '--control' is missing"))
        let bad = await tapline("top", "--control", "10.0.0.1:9901")
        #expect(bad.code == .usage)
        let refused = await tapline(
            "drain",
            "--control",
            address,
            environment: ["TAPLINE_CONTROL_TOKEN": "wrong"]
        )
        #expect(refused.code == .failure)
        #expect(refused.errors.contains("needs the token"))
        #expect(refused.errors.contains("help: the log of the pipeline names the file"))
        #expect(refused.errors.contains("'--token-file FILE'"))
        server.stop()
        let gone = await tapline("drain", "--control", address)
        #expect(gone.code == .failure)
        #expect(gone.errors.contains("nobody listens at '\(address)'"))
    }
}
