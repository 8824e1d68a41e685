// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import ReplaySource

@Suite("A replay that follows files")
struct ReplayFollowTests {
    private static let options = "{ path: a.ndjson, follow: true, checkpoint: state }"

    /// Runs until the sink has `count` records, changing files meanwhile.
    private func follow(
        _ folder: TemporaryFolder,
        sink: RecordingSink = RecordingSink(),
        until count: Int,
        _ change: (RecordingSink.Log) async throws -> Void = { _ in }
    ) async throws -> [String] {
        let (built, messages) = build(Self.options, folder: folder.path)
        var source = try #require(built as? ReplaySource, "\(messages)")
        source.settings.follow?.grace = 20_000
        source.settings.follow?.interval = 2_000
        let topology = Topology(
            sources: [Topology.Source(id: "replay", source)],
            stages: [],
            sinks: [Topology.Sink(id: "keep", sink)],
            memory: 1 << 30
        )
        let pipeline = Pipeline(topology) { Timestamp(microseconds: 0) }
        let run = Task { await pipeline.run() }
        try await change(sink.log)
        await wait(for: "\(count) records") { sink.log.records.count >= count }
        pipeline.stop()
        let report = await run.value
        #expect(report.isBalanced && report.isSuccess, "\(report.failures)")
        return sink.log.exchanges.map(\.request.target.description)
    }

    private func append(_ text: String, to path: String) throws {
        try File(path, for: .append).write(Array(text.utf8).span)
    }

    private func text(_ numbers: Range<Int>) -> String { numbers.map(bareLine).joined() }

    private func paths(_ numbers: Range<Int>) -> [String] { numbers.map { "/\($0)" } }

    @Test("reads what is appended, lines in pieces included, and goes on where it ended")
    func appended() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text(0..<5), to: "a.ndjson")
        let first = try await follow(folder, until: 10) { log in
            await wait(for: "the first lines") { log.records.count == 5 }
            let line = text(5..<10)
            try append(String(line.prefix(30)), to: folder("a.ndjson"))
            try append(String(line.dropFirst(30)), to: folder("a.ndjson"))
        }
        #expect(first == paths(0..<10))
        try append(text(10..<12), to: folder("a.ndjson"))
        #expect(try await follow(folder, until: 2) == paths(10..<12))
    }

    @Test("reads a moved file to its end, then the new one; also between two runs")
    func rotated() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text(0..<5), to: "a.ndjson")
        let first = try await follow(folder, until: 9) { log in
            await wait(for: "the first lines") { log.records.count == 5 }
            try FileSystem.move(folder("a.ndjson"), to: folder("a.ndjson.1"))
            try folder.write(text(7..<9), to: "a.ndjson")
            try append(text(5..<7), to: folder("a.ndjson.1"))
        }
        #expect(first == paths(0..<9))
        try append(text(9..<11), to: folder("a.ndjson"))
        try FileSystem.move(folder("a.ndjson"), to: folder("a.ndjson.2"))
        try folder.write(text(11..<13), to: "a.ndjson")
        #expect(try await follow(folder, until: 4) == paths(9..<13))
    }

    @Test("reads a truncated file from its start, even if it is longer than before")
    func truncated() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text(0..<3), to: "a.ndjson")
        let read = try await follow(folder, until: 8) { log in
            await wait(for: "the first lines") { log.records.count == 3 }
            try folder.write(text(3..<8), to: "a.ndjson")
        }
        #expect(read == paths(0..<8))
    }

    @Test("is refused without a checkpoint, and with options that need an end")
    func refused() {
        #expect(build("{ path: a, follow: true }").1.contains("needs a 'checkpoint'"))
        let looped = build("{ path: a, follow: true, checkpoint: c, loop: 2 }").1
        #expect(looped.contains("cannot be combined"))
    }
}
