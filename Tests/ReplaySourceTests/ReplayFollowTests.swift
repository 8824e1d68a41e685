// SPDX-License-Identifier: MIT

import TaplineCodings
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
    /// Runs until the sink has `count` records, changing files meanwhile.
    private func follow(
        _ folder: TemporaryFolder,
        _ options: String = "checkpoint: state",
        grace: Int64 = 20_000,
        missed: Int = 0,
        until count: Int,
        _ change: (RecordingSink.Log) async throws -> Void = { _ in }
    ) async throws -> [String] {
        let sink = RecordingSink()
        let all = "{ path: a.ndjson, follow: true, \(options) }"
        let (built, messages) = build(all, folder: folder.path)
        var source = try #require(built as? ReplaySource, "\(messages)")
        source.settings.follow?.grace = grace
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
        #expect(source.metrics.first { $0.name == "missed files" }?.count == missed)
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

    @Test("a broken line after a restart is reported by its byte in the file")
    func brokenAfterRestart() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text(0..<3), to: "a.ndjson")
        #expect(try await follow(folder, until: 3) == paths(0..<3))
        let start = text(0..<4).utf8.count
        try append(text(3..<4) + "{\"v\":2,\"request\":{}}\n" + text(4..<5), to: folder("a.ndjson"))
        let sink = RecordingSink()
        let played = try await playRecording(
            "{ path: a.ndjson, follow: true, checkpoint: state, bad_records: skip }",
            in: folder,
            sink: sink,
            stopWhen: { sink.log.records.count >= 2 }
        )
        #expect(played.targets == paths(3..<5))
        let warning = try #require(played.log.first { $0.contains("unknown record version") })
        #expect(warning.hasPrefix("warning: \(folder("a.ndjson")): unknown record version"))
        #expect(warning.contains("(byte \(start + 5))"), "\(warning)")
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

    /// Moves the file away, and the files that were moved before it.
    private func rotate(_ folder: TemporaryFolder, _ numbers: Range<Int>, kept: Int) throws {
        for number in (0..<kept).reversed() {
            let name = folder(number == 0 ? "a.ndjson" : "a.ndjson.\(number)")
            if try FileSystem.status(of: name) != nil {
                try FileSystem.move(name, to: folder("a.ndjson.\(number + 1)"))
            }
        }
        try folder.write(text(numbers), to: "a.ndjson")
    }

    @Test("reads the files between, in their order, if a file is moved several times")
    func severalRotations() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text(0..<2), to: "a.ndjson")
        let first = try await follow(folder, until: 10) { log in
            await wait(for: "the first lines") { log.records.count == 2 }
            for number in 1..<5 {
                try rotate(folder, 2 * number..<2 * number + 2, kept: 5)
            }
        }
        #expect(first == paths(0..<10))
        // Also between two runs, in a folder with files that were read before.
        for number in 5..<8 { try rotate(folder, 2 * number..<2 * number + 2, kept: 9) }
        #expect(try await follow(folder, until: 6) == paths(10..<16))
    }

    @Test("reads the files between if they have dates in their names")
    func dates() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text(0..<2), to: "a.ndjson")
        #expect(try await follow(folder, until: 2) == paths(0..<2))
        for day in 1..<4 {
            try FileSystem.move(folder("a.ndjson"), to: folder("a.ndjson-2026112\(day)"))
            try folder.write(text(2 * day..<2 * day + 2), to: "a.ndjson")
        }
        #expect(try await follow(folder, until: 6) == paths(2..<8))
    }

    @Test("counts files that are gone or compressed before they are read")
    func leftOut() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text(0..<1), to: "a.ndjson")
        #expect(try await follow(folder, until: 1) == paths(0..<1))
        try rotate(folder, 1..<2, kept: 1)
        let gzip = try Array(text(2..<3).utf8).coded(.gzip)
        try File(folder("a.ndjson.2"), for: .replace).write(gzip.span)
        try FileSystem.move(folder("a.ndjson.1"), to: folder("a.ndjson.3"))
        try FileSystem.move(folder("a.ndjson"), to: folder("a.ndjson.1"))
        try folder.write(text(3..<4), to: "a.ndjson")
        #expect(try await follow(folder, missed: 1, until: 2) == ["/1", "/3"])
    }

    @Test("goes on after the file of its checkpoint if that is gone")
    func gone() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text(3..<4), to: "a.ndjson")
        #expect(try await follow(folder, until: 1) == paths(3..<4))
        // Not removed, since its inode could be used again.
        let other = try TemporaryFolder()
        try FileSystem.move(folder("a.ndjson"), to: other("a.ndjson"))
        try folder.write(text(4..<5), to: "a.ndjson.0")
        try folder.write(text(5..<6), to: "a.ndjson")
        #expect(try await follow(folder, missed: 1, until: 2) == ["/4", "/5"])
    }

    @Test("reads the files between if a new file has the inode of its checkpoint")
    func inodeUsedAgain() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text(0..<2), to: "a.ndjson")
        #expect(try await follow(folder, until: 2) == paths(0..<2))
        try folder.write(text(2..<4), to: "a.ndjson.1")
        // Writes to the same inode.
        try folder.write(text(4..<6), to: "a.ndjson")
        #expect(try await follow(folder, missed: 1, until: 4) == paths(2..<6))
    }

    @Test("goes on in the copy of its file if that was truncated between two runs")
    func copied() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text(0..<2), to: "a.ndjson")
        #expect(try await follow(folder, until: 2) == paths(0..<2))
        try folder.write(text(0..<3), to: "a.ndjson.1")
        try folder.write(text(3..<5), to: "a.ndjson")
        #expect(try await follow(folder, until: 3) == paths(2..<5))
    }

    @Test("keeps its checkpoint beside the file, in the state folder of a service, or not at all")
    func places() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text(0..<2), to: "a.ndjson")
        #expect(try await follow(folder, "from: start", until: 2) == paths(0..<2))
        #expect(try FileSystem.status(of: folder("a.ndjson.checkpoint")) != nil)
        try append(text(2..<3), to: folder("a.ndjson"))
        #expect(try await follow(folder, "from: start", until: 1) == paths(2..<3))
        #expect(try await follow(folder, "checkpoint: false", until: 3) == paths(0..<3))

        func place(_ path: String, _ state: String? = nil) -> String? {
            let variables = state.map { ["STATE_DIRECTORY": $0] } ?? [:]
            let options = "{ path: \(path), follow: true }"
            let built = build(options, folder: folder.path, environment: variables).0
            return (built as? ReplaySource)?.settings.follow?.checkpoint
        }
        #expect(place("a.ndjson", "/state/a:/state/b") == "/state/a/replay.checkpoint")
        #expect(place("[a.ndjson, b.ndjson]") == folder("replay.checkpoint"))
        #expect(place("\"*.ndjson\"") == folder("replay.checkpoint"))
        #expect(place("\"a.nd*\"") == folder("replay.checkpoint"))
        // It does not follow its own files.
        let options = "{ path: \"a.ndjson*\", follow: true, checkpoint: a.ndjson.checkpoint }"
        let all = build(options, folder: folder.path).0 as? ReplaySource
        #expect(all?.followed == [folder("a.ndjson")])
    }

    @Test("says what to do if the checkpoint cannot be written")
    func unwritable() throws {
        let error = #expect(throws: ReplayError.self) {
            _ = try FollowCheckpoint("/nowhere/a.checkpoint")
        }
        #expect("\(error as Any)".contains("'checkpoint: false'"))
    }

    @Test("is refused with options that need an end, and with a wrong checkpoint")
    func refused() {
        let wrong = build("{ path: a, follow: true, checkpoint: true }").1
        #expect(wrong.contains("expected a path or false"))
        let looped = build("{ path: a, follow: true, checkpoint: c, loop: 2 }").1
        #expect(looped.contains("cannot be combined"))
    }
}
