// SPDX-License-Identifier: MIT

import Glibc
import TaplineCodings
import TaplineModel
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import ReplaySource

@Suite("What a replay reads")
struct RecordingFeedTests {
    private func targets(_ range: Range<Int>) -> [String] { range.map { "/\($0)" } }

    @Test("includes every example recording", arguments: ["chromium", "firefox", "shop"])
    func examples(name: String) async throws {
        let path = "\(TestFiles.repository)/Examples/recordings/\(name).har"
        let folder = try TemporaryFolder()
        let first = try await playRecording("{ path: \(path), workers: 2 }", in: folder)
        let second = try await playRecording("{ path: \(path), workers: 1 }", in: folder)
        #expect(first.report.isSuccess)
        #expect(first.exchanges.count > 10)
        #expect(Set(first.ids).count == first.exchanges.count)
        #expect(first.exchanges == second.exchanges)
        #expect(first.report.sources.first?.counters.rejected == 0)
    }

    @Test("is a list of files and patterns of any formats, in order")
    func severalFiles() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Array((0..<10).map(bareLine).joined().utf8).coded(.gzip), to: "b.1")
        try folder.write((10..<20).map(bareLine).joined(), to: "b.2")
        try folder.write(Array((20..<30).map(bareLine).joined().utf8).coded(.zstd), to: "a")
        try folder.write("", to: "empty")
        let played = try await playRecording("{ path: [empty, 'b.*', a], workers: 2 }", in: folder)
        #expect(played.targets == targets(0..<30))
    }

    @Test("ends after the configured passes and records", arguments: [1, 2])
    func loopAndLimit(workers: Int) async throws {
        let folder = try TemporaryFolder()
        try folder.write((0..<10).map(bareLine).joined(), to: "a")
        try folder.write((10..<15).map(bareLine).joined(), to: "b")
        func play(_ options: String) async throws -> [String] {
            try await playRecording(
                "{ path: [a, b], workers: \(workers), \(options) }",
                in: folder
            ).targets
        }
        let all = targets(0..<15)
        #expect(try await play("loop: 3") == all + all + all)
        #expect(try await play("loop: true, limit: 32") == all + all + targets(0..<2))
        #expect(try await play("limit: 12") == targets(0..<12))
        #expect(try await play("limit: 15") == all)
        #expect(try await play("loop: false") == all)
    }

    @Test("ends if a loop has no records")
    func emptyLoop() async throws {
        let folder = try TemporaryFolder()
        try folder.write("\n \n", to: "a")
        let played = try await playRecording("{ path: a, loop: true }", in: folder)
        #expect(played.exchanges.isEmpty && played.report.isSuccess)
    }

    @Test("is read from a pipe as data arrives, up to its end", arguments: [1, 2])
    func pipe(workers: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder("pipe")
        try #require(unsafe mkfifo(path, 0o600) == 0)
        let sink = RecordingSink()
        let text = (0..<200).map(bareLine).joined()
        let writer = Task.detached {
            // Opening waits for the reader, so this does not block a pool thread for long.
            let file = try File(path, for: .append)
            let half = Array(text.utf8).count / 2
            try file.write(text.utf8.span.extracting(0..<half))
            await wait(for: "the records of the first half") { sink.log.records.count >= 99 }
            let before = sink.log.records.count
            try file.write(text.utf8.span.extracting(half...))
            return before
        }
        let played = try await playRecording(
            "{ path: pipe, workers: \(workers) }",
            in: folder,
            sink: sink
        )
        #expect(played.targets == targets(0..<200))
        #expect(try await writer.value >= 99)
        #expect(played.report.sources.first?.whole == nil)
    }

    @Test("does not delay the end while a pipe has no writer")
    func silentPipe() async throws {
        let folder = try TemporaryFolder()
        try #require(unsafe mkfifo(folder("pipe"), 0o600) == 0)
        let begun = ContinuousClock.now
        let played = try await playRecording(
            "{ path: pipe }",
            in: folder,
            stopWhen: { ContinuousClock.now - begun > .milliseconds(100) }
        )
        #expect(played.exchanges.isEmpty && played.report.isSuccess)
    }

    @Test("is reported as progress, in bytes")
    func progress() async throws {
        let folder = try TemporaryFolder()
        let text = (0..<100).map(bareLine).joined()
        try folder.write(text, to: "a")
        let played = try await playRecording("{ path: a, loop: 2 }", in: folder)
        let source = try #require(played.report.sources.first)
        #expect(source.done == Int64(2 * text.utf8.count))
        #expect(source.whole == source.done)
    }
}

@Suite("A recording that changes")
struct ChangingRecordingTests {
    /// Builds a replay of 20 records, changes the file, and plays.
    private func play(
        _ change: (TemporaryFolder) throws -> Void
    ) async throws -> (report: RunReport, count: Int, log: [String]) {
        let folder = try TemporaryFolder()
        try folder.write((0..<20).map(bareLine).joined(), to: "a")
        let replay = try #require(build("{ path: a }", folder: folder.path).0)
        try change(folder)
        let sink = RecordingSink()
        let book = LogBook()
        let topology = Topology(
            sources: [Topology.Source(id: "replay", replay)],
            stages: [],
            sinks: [Topology.Sink(id: "keep", sink)]
        )
        let report = await Pipeline(topology, log: book.log) { Timestamp(microseconds: 0) }.run()
        return (report, sink.log.records.count, book.lines)
    }

    @Test("is read up to its original size, with a warning if it grows")
    func grows() async throws {
        let (report, count, log) = try await play { folder in
            try File(folder("a"), for: .append).write(bareLine(20).utf8.span)
        }
        #expect(count == 20 && report.isSuccess)
        #expect(log.count == 1 && log[0].contains("grew by \(bareLine(20).utf8.count) bytes"))
    }

    @Test("is an error if it is truncated")
    func shrinks() async throws {
        let (report, count, _) = try await play { folder in
            try folder.write((0..<5).map(bareLine).joined(), to: "a")
        }
        #expect(count == 5 && !report.isSuccess)
        #expect(report.failures[0].contains("was truncated while it was read"))
    }

    @Test("is an error if it disappears")
    func vanishes() async throws {
        let (report, count, _) = try await play { folder in
            try FileSystem.remove(folder("a"))
        }
        #expect(count == 0 && !report.isSuccess)
        #expect(report.failures[0].contains("cannot open"))
    }
}
