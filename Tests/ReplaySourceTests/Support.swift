// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TaplineCodings
import TaplineConfig
import TaplineFormats
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineStore
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import ReplaySource

extension [UInt8] {
    /// Returns the compressed bytes.
    func coded(_ coding: ContentCoding) throws -> [UInt8] {
        var output: [UInt8] = []
        try ContentEncoder(coding).encodeWhole(span, appendingTo: &output)
        return output
    }
}

/// Exchanges as NDJSON lines.
func lines(_ exchanges: [Exchange]) -> [UInt8] {
    var writer = NDJSONWriter()
    var chain = RecordChain()
    for exchange in exchanges {
        if case .sealed(let record) = chain.seal(exchange) { writer.write(record) }
    }
    return Array(copying: writer.bytes)
}

/// A line without an id; the number is its path, and its start in milliseconds.
func bareLine(_ number: Int) -> String {
    let started = Timestamp(microseconds: 1_795_183_380_000_000 + Int64(number) * 1000).rfc3339
    return #"{"v":1,"started":"\#(started)","request":{"method":"GET","url":"http://a.test/"#
        + #"\#(number)"},"response":{"status":200}}"# + "\n"
}

/// The result of a replay.
struct Played {
    let report: RunReport
    let exchanges: [Exchange]
    let log: [String]
    /// How long it continued after it was stopped.
    let stopping: Duration?

    var targets: [String] { exchanges.map(\.request.target.description) }
    var ids: [String] { exchanges.map(\.id.description) }
}

/// Collects the log of a test.
final class LogBook: Sendable {
    private let entries = Mutex<[LogEntry]>([])
    var log: Log { Log(component: "") { entry in self.entries.withLock { $0.append(entry) } } }
    var lines: [String] { entries.withLock { $0.map { "\($0.level.name): \($0.message)" } } }
}

/// Builds a source from options in YAML; also returns the diagnostics.
func build(
    _ options: String,
    folder: String = "",
    environment: [String: String] = [:]
) -> ((any Source)?, String) {
    var diagnostics = Diagnostics()
    let source = ConfigSource(name: "p.yaml", bytes: Array(options.utf8), folder: folder)
    guard let node = ConfigReader().read(source, into: &diagnostics) else {
        return (nil, diagnostics.rendered)
    }
    let options = SourcePlugin.replay.description.options.decode(
        node,
        owner: "replay",
        into: &diagnostics,
        environment: Environment()
    )
    guard let options else { return (nil, diagnostics.rendered) }
    var context = BuildContext(
        id: "replay",
        folder: folder,
        environment: Environment(environment),
        diagnostics: diagnostics
    )
    context.stores = RecordedDatabases()
    let built = SourcePlugin.replay.build(options, &context)
    return (built, context.diagnostics.rendered)
}

/// Plays recordings through stages to a sink that keeps all records.
///
/// - Parameters:
///   - options: The options of the source.
///   - folder: The folder of relative paths.
///   - clock: The clock of the source.
///   - stages: The stages.
///   - sink: The sink.
///   - change: Called after the recordings were found, and before they are read.
///   - stopWhen: Stops the run when it returns `true`.
/// - Returns: What reached the sink, and the log.
/// - Throws: If the source cannot be built, or the change fails.
func playRecording(
    _ options: String,
    in folder: TemporaryFolder,
    clock: ReplayClock? = nil,
    stages: [Topology.Stage] = [],
    sink: RecordingSink = RecordingSink(),
    change: () throws -> Void = {},
    stopWhen: (@Sendable () -> Bool)? = nil
) async throws -> Played {
    let (source, messages) = build(options, folder: folder.path)
    var replay = try #require(source as? ReplaySource, "\(messages)")
    if let clock { replay.clock = clock }
    try change()
    let book = LogBook()
    let topology = Topology(
        sources: [Topology.Source(id: "replay", replay)],
        stages: stages,
        sinks: [Topology.Sink(id: "keep", sink)],
        memory: 1 << 30
    )
    let pipeline = Pipeline(topology, log: book.log) { Timestamp(microseconds: 0) }
    let stopper = Task { () -> ContinuousClock.Instant? in
        guard let stopWhen else { return nil }
        await wait(for: "the condition for the stop") { stopWhen() }
        defer { pipeline.stop() }
        return .now
    }
    let report = await pipeline.run()
    let end = ContinuousClock.now
    #expect(report.isBalanced, "\(report)")
    return Played(
        report: report,
        exchanges: sink.log.exchanges,
        log: book.lines,
        stopping: await stopper.value.map { end - $0 }
    )
}

/// A clock that advances only when waited for.
final class TestClock: Sendable {
    private let state = Mutex<(now: Int64, waits: [Int64])>((1000, []))

    /// The length of each wait.
    var waits: [Int64] { state.withLock { $0.waits } }
    var now: Int64 { state.withLock { $0.now } }

    var clock: ReplayClock {
        ReplayClock(
            now: { self.now },
            wait: { _, microseconds in
                self.state.withLock {
                    $0.now += microseconds
                    $0.waits.append(microseconds)
                }
            }
        )
    }
}
