// SPDX-License-Identifier: MIT

import Synchronization
import TaplineJSON
import TaplineModel
import TaplineNet
import TaplineOperations
import TaplinePlugin
import TaplineStatistics
import TestSupport

@testable import TaplineControl

/// A pipeline whose status a test sets.
final class ControlledPipeline: PipelineOperations, PipelineReloading {
    private struct State {
        var status = PipelineStatus()
        var drains = 0
        var outcome = ReloadOutcome.applied(generation: 2, changed: ["ndjson"])
        var reloads = ReloadHistory()
    }

    private let state = Mutex(State())

    var status: PipelineStatus { state.withLock { $0.status } }
    var drains: Int { state.withLock { $0.drains } }
    var reloads: ReloadHistory { state.withLock { $0.reloads } }

    func set(_ change: (inout PipelineStatus) -> Void) { state.withLock { change(&$0.status) } }
    func set(_ outcome: ReloadOutcome) { state.withLock { $0.outcome = outcome } }
    func drain() { state.withLock { $0.drains += 1 } }

    func reload(answered: @escaping @Sendable (ReloadOutcome) -> Void) {
        let outcome = state.withLock { state in
            state.reloads.generation += 1
            return state.outcome
        }
        answered(outcome)
    }

    /// A pipeline with a component of each kind that runs.
    static func running() -> ControlledPipeline {
        let pipeline = ControlledPipeline()
        pipeline.set { status in
            status.hasStarted = true
            status.now = Timestamp(microseconds: 1_800_000_010_000_000)
            status.started = Timestamp(microseconds: 1_800_000_000_000_000)
            status.memoryLimit = 512 << 20
            var source = ComponentStatus(.source, id: "replay", plugin: "replay")
            source.received = 7
            source.sent = 6
            source.dropped = [ComponentStatus.Count("when", 1)]
            var times = Distribution()
            for time in [2_000_000, 3_000_000, 80_000_000] { times.add(time) }
            source.times = [ComponentStatus.Times("exchange", times)]
            var stage = ComponentStatus(.stage, id: "redact", plugin: "redact")
            stage.generation = 3
            stage.program = ComponentProgram(name: "keep", version: "1.0")
            stage.received = 6
            stage.sent = 6
            stage.metrics = [Metric("redactions", of: "json \"password\"", count: 3)]
            var sink = ComponentStatus(.sink, id: "ndjson", plugin: "ndjson")
            sink.received = 6
            sink.sent = 4
            sink.queue = QueueStatus()
            sink.queue?.records = 2
            sink.queue?.maxRecords = 8192
            sink.queue?.lag = Microseconds(1_500_000)
            status.components = [source, stage, sink]
        }
        return pipeline
    }
}

/// A control listener for a test.
struct Listener {
    let server: ControlServer
    let pipeline: ControlledPipeline
    let ports: ProtectedPorts
    let folder: TemporaryFolder
    var port: UInt16 {
        if case .loopback(_, let port) = server.address { port } else { 0 }
    }

    init(
        _ pipeline: ControlledPipeline = .running(),
        socket: Bool = false,
        reloads: Bool = true,
        token: ControlToken.Origin = .generated
    ) throws {
        folder = try TemporaryFolder()
        ports = ProtectedPorts(folder: folder("ports"))
        self.pipeline = pipeline
        server = try ControlServer(
            at: socket ? .socket(path: folder("control")) : .loopback(host: "127.0.0.1", port: 0),
            of: pipeline,
            reloading: reloads ? pipeline : nil,
            token: token,
            protectedPorts: ports
        )
    }

    /// The token for changes.
    func token() throws -> String? {
        try ControlToken.find(for: server.address, file: nil, variable: nil, in: ports)
    }

    /// Sends a request with a client of Tapline.
    func call(
        _ method: String,
        _ path: String,
        token: String? = nil,
        accepting type: String = "application/json"
    ) throws -> (status: Int, text: String) {
        let client = ControlClient(server.address, token: token)
        let answer = try client.call(method, path, accepting: type)
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    /// Sends a request with a socket of the system; returns the whole answer.
    func raw(_ head: String) throws -> String {
        let client = try SocketClient(port: port)
        try client.send(head.replacing("\n", with: "\r\n") + "Connection: close\r\n\r\n")
        return String(decoding: try client.receiveAll(), as: UTF8.self)
    }
}
