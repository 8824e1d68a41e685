// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineNet
import TaplineOperations
import TaplinePlugin
import TaplineQuery
import TaplineSystem
import TaplineTesting
import TestSupport

@testable import ProxySource
@testable import TaplineRuntime

/// A running proxy, and its records.
final class ProxyHarness: Sendable {
    let address: SocketAddress
    /// The addresses of the other proxies of the pipeline.
    let others: [SocketAddress]
    private let pipeline: Pipeline
    private let topology: Topology
    private let run: Task<RunReport, Never>
    private let sink: RecordingSink

    private init(
        _ addresses: [SocketAddress],
        _ pipeline: Pipeline,
        _ topology: Topology,
        _ run: Task<RunReport, Never>,
        _ sink: RecordingSink
    ) {
        address = addresses[0]
        others = Array(addresses.dropFirst())
        self.pipeline = pipeline
        self.topology = topology
        self.run = run
        self.sink = sink
    }

    /// Starts a proxy, by default on a free port, with others in the same pipeline.
    ///
    /// Returns when all of them listen.
    static func start(
        _ settings: ProxySettings = ProxySettings(),
        on listener: SocketAddress = SocketAddress(.loopbackV4, port: 0),
        as mode: ProxyListener.Mode = .proxy,
        beside others: [ProxySettings] = [],
        when condition: Filter? = nil,
        sampling: Sampling? = nil,
        stages: [Topology.Stage] = [],
        captureMaxBytes: Int = 1 << 20,
        memory: Int = 512 << 20,
        maxExchangesInFlight: Int? = nil,
        drainTimeout: Microseconds = Microseconds(5_000_000),
        recordsProvenance: Bool = false
    ) async -> ProxyHarness {
        let sink = RecordingSink(wantsActive: true)
        let (listening, continuation) = AsyncStream.makeStream(of: (String, SocketAddress).self)
        let ids = ["proxy"] + others.indices.map { "other\($0)" }
        let sources = zip(ids, [settings] + others).map { id, settings in
            var settings = settings
            let isFirst = id == ids.first
            let address = isFirst ? listener : SocketAddress(.loopbackV4, port: 0)
            settings.listeners = [ProxyListener(address: address, mode: isFirst ? mode : .proxy)]
            settings.threads = settings.threads ?? 2
            return Topology.Source(
                id: id,
                ProxySource(settings: settings),
                when: condition,
                captureMaxBytes: captureMaxBytes,
                sampling: sampling
            )
        }
        var topology = Topology(
            sources: sources,
            stages: stages,
            sinks: [Topology.Sink(id: "kept", sink)],
            memory: memory,
            drainTimeout: drainTimeout,
            recordsProvenance: recordsProvenance
        )
        topology.maxExchangesInFlight = maxExchangesInFlight
        let pipeline = Pipeline(
            topology,
            listening: { id, point in
                if let address = point.addresses.first.flatMap(SocketAddress.init) {
                    continuation.yield((id, address))
                }
            },
            now: { Timestamp(microseconds: 0) }
        )
        let run = Task { await pipeline.run() }
        var iterator = listening.makeAsyncIterator()
        var addresses: [String: SocketAddress] = [:]
        while addresses.count < ids.count, let (id, address) = await iterator.next() {
            addresses[id] = address
        }
        let found = ids.map { addresses[$0] ?? SocketAddress(.loopbackV4, port: 0) }
        return ProxyHarness(found, pipeline, topology, run, sink)
    }

    /// What an inspector may ask of the pipeline.
    var control: any PipelineControl { pipeline }
    /// The exchanges that wait for a decision.
    var paused: PausedExchanges { pipeline.paused }

    /// Replaces all sources by others with the same settings, as a reload does that changes them.
    func reload() async throws {
        var topology = topology
        for index in topology.sources.indices {
            topology.sources[index].identity = ComponentIdentity()
        }
        _ = try await pipeline.reload(to: topology)
    }

    /// Replaces the sink by another one, as a reload does that changes it.
    func replaceSink() async throws {
        var topology = topology
        topology.sinks[0].identity = ComponentIdentity()
        _ = try await pipeline.reload(to: topology)
    }

    /// The number of sinks that were closed, as those are that a reload has replaced.
    var closedSinks: Int { sink.log.calls.count { $0 == "close" } }

    /// Stops the proxy, and lets the exchanges in progress finish.
    func stop() async -> (report: RunReport, exchanges: [Exchange]) {
        pipeline.stop()
        let report = await run.value
        return (report, sink.log.exchanges)
    }

    /// The exchanges that were reported to have begun.
    var opened: Set<ExchangeID> { Set(sink.log.opened.map(\.id)) }

    /// Runs curl through the proxy, and returns its output.
    func curl(_ arguments: String...) async throws -> String {
        try await command("curl", ["-sS", "-m", "20", "-x", "http://\(address)"] + arguments)
    }
}

/// Sends bytes on one connection and returns the response.
///
/// **Shape**: `then` is a function in `send.py`, which runs after the bytes are sent. By default the
/// client ends its direction, and reads to the end.
func exchangeBytes(
    with address: SocketAddress,
    _ text: String,
    then function: String = "half_close",
    _ arguments: [String] = []
) async throws -> String {
    try await Python.run("send", ["\(address.port)", text, function] + arguments)
}
