// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineFormats
import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineRuntime
import TaplineStore
import TaplineTesting
import TestSupport
import Testing

@testable import ClientReplaySource

/// A recorded exchange; the number is its path, and its start in milliseconds.
func recorded(_ number: Int, _ method: ByteString = "GET", host: String = "api.test") -> Exchange {
    let started = Timestamp(microseconds: 1_795_183_380_000_000 + Int64(number) * 1000)
    var exchange = Exchange(
        id: ExchangeID(started: started, random: UInt64(number), 1),
        source: "proxy",
        started: started,
        request: Request(
            method: method,
            target: ByteString("/\(number)"),
            authority: ByteString(host)
        ),
        response: Response(status: 201)
    )
    if method == "POST" { exchange.request.body = Body(Array("body \(number)".utf8)) }
    return exchange
}

/// The result of a replay.
struct Replayed {
    let report: RunReport
    let figures: ReplayReport
    let exchanges: [Exchange]
}

/// Settings for a recording of these exchanges that is sent to one server.
func settings(_ url: String) -> ClientReplaySettings {
    var settings = ClientReplaySettings()
    settings.targets.targets =
        Origin(url: url).map {
            [ReplayTargets.Target(hosts: Glob("*"), origin: $0)]
        } ?? []
    settings.schedule = ReplaySchedule(.max)
    return settings
}

/// Sends a recording of exchanges.
///
/// - Parameters:
///   - exchanges: The recorded exchanges.
///   - settings: The options, without the recording.
///   - stages: The stages.
///   - stopWhen: Stops the run when it returns `true`.
/// - Returns: What reached the sink, and the figures.
/// - Throws: If the recording cannot be written, or the source reports nothing.
func send(
    _ exchanges: [Exchange],
    _ settings: ClientReplaySettings,
    stages: [Topology.Stage] = [],
    stopWhen: (@Sendable () -> Bool)? = nil
) async throws -> Replayed {
    StoreSet.prepareProgram()
    let folder = try TemporaryFolder()
    var writer = NDJSONWriter()
    var chain = RecordChain()
    for exchange in exchanges {
        if case .sealed(let record) = chain.seal(exchange) { writer.write(record) }
    }
    var settings = settings
    settings.paths = [try folder.write(Array(copying: writer.bytes), to: "recording.ndjson")]
    let sink = RecordingSink()
    let topology = Topology(
        sources: [Topology.Source(id: "client_replay", ClientReplaySource(settings: settings))],
        stages: stages,
        sinks: [Topology.Sink(id: "kept", sink)],
        memory: 512 << 20,
        drainTimeout: Microseconds(4_000_000)
    )
    let pipeline = Pipeline(topology) { Timestamp(microseconds: 0) }
    let stopper = Task {
        guard let stopWhen else { return }
        await wait(for: "the condition for the stop") { stopWhen() }
        pipeline.stop()
    }
    let report = await pipeline.run()
    await stopper.value
    #expect(report.isBalanced, "\(report)")
    let figures = try #require(report.sources.first?.replay)
    let counts = figures.counts
    #expect(counts.due == counts.sent + counts.skipped + counts.failed && counts.inFlight == 0)
    return Replayed(report: report, figures: figures, exchanges: sink.log.exchanges)
}
