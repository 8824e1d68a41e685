// SPDX-License-Identifier: MIT

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

@Suite("sources of client_replay that start together", .timeLimit(.minutes(3)))
struct CommonStartTests {
    /// Sends recordings with a source for each; `paths` are their recordings.
    private func send(
        _ paths: [String],
        to url: String
    ) async throws -> (report: RunReport, exchanges: [Exchange]) {
        StoreSet.prepareProgram()
        let sources = paths.enumerated().map { number, path in
            var settings = settings(url)
            settings.paths = [path]
            settings.schedule = ReplaySchedule(.constant(1000))
            settings.startsTogether = true
            return Topology.Source(id: "s\(number)", ClientReplaySource(settings: settings))
        }
        let sink = RecordingSink()
        let topology = Topology(sources: sources, sinks: [Topology.Sink(id: "kept", sink)])
        let report = await Pipeline(topology) { Timestamp(microseconds: 0) }.run()
        return (report, sink.log.exchanges)
    }

    private func recording(_ count: Int, in folder: TemporaryFolder) throws -> String {
        var writer = NDJSONWriter()
        var chain = RecordChain()
        for number in 0..<count {
            guard case .sealed(let record) = chain.seal(recorded(number)) else { continue }
            writer.write(record)
        }
        return try folder.write(Array(copying: writer.bytes), to: "r\(count).ndjson")
    }

    @Test("each request is due at the same time for all of them, however long they read")
    func dueTimes() async throws {
        let folder = try TemporaryFolder()
        let target = try TestTarget()
        // A recording with many more requests takes longer to read before the first one is sent.
        let paths = [try recording(5, in: folder), try recording(200, in: folder)]
        let (report, exchanges) = try await send(paths, to: target.url)
        #expect(report.sources.map(\.replay?.counts.sent) == [5, 200])
        var due: [ExchangeID: [Int64]] = [:]
        for exchange in exchanges {
            let replay = try #require(exchange.extra?.replay)
            due[replay.original, default: []].append(try #require(replay.due).microseconds)
        }
        let pairs = due.values.filter { $0.count == 2 }
        #expect(pairs.count == 5)
        // Each source reads the time of day itself, perhaps with an interruption between clocks.
        let distances = Set(pairs.map { ($0[0] - $0[1]).magnitude })
        #expect(distances.count == 1 && distances.allSatisfy { $0 < 50_000 }, "\(pairs)")
    }

    @Test("a source that fails before its first request is not waited for")
    func failure() async throws {
        let folder = try TemporaryFolder()
        let target = try TestTarget()
        let paths = [try recording(3, in: folder), folder("nowhere.ndjson")]
        let (report, exchanges) = try await send(paths, to: target.url)
        #expect(!report.isSuccess && exchanges.count == 3)
    }
}
