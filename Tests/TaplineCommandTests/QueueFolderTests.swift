// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineModel
import TaplineSegments
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("The queue of a sink, read as a recording")
struct QueueFolderTests {
    private let folder: TemporaryFolder
    private var queue: String { folder("queue") }

    /// A queue of two segments with twenty records each.
    init() async throws {
        let stored = try await StoredTraffic(StoredTraffic.someFailed(40))
        folder = stored.folder
        let log = SegmentLog(folder("queue"), .init(segmentBytes: 1, syncs: false))
        _ = try log.open()
        let lines = try TestFiles.text(of: stored.recording).split(separator: "\n")
        for part in [lines[..<20], lines[20...]] {
            var frames: [UInt8] = []
            for line in part {
                SegmentFormat.appendFrame(Array("\(line)\n".utf8).span, to: &frames)
            }
            _ = try log.append(frames.span, records: part.count)
        }
        // A running pipeline has the log open.
        #expect(try SegmentFolder.segments(of: folder("queue"))?.count == 2)
    }

    @Test("is queried as a folder and as a single file")
    func query() async throws {
        let whole = await tapline("query", queue, "status >= 500", "--format=ids", "--oldest")
        #expect(whole.output.split(separator: "\n").map(String.init) == ids([7, 17, 27, 37]))
        let segments = try #require(try SegmentFolder.segments(of: queue))
        let half = await tapline("query", segments[1], "--format=ids", "--oldest", "--limit=2")
        #expect(half.output.split(separator: "\n").map(String.init) == ids([20, 21]))
        #expect(half.errors == "" && whole.errors == "")
    }

    @Test("is an empty store if it has no record; another folder is not a store")
    func empty() async throws {
        let log = SegmentLog(folder("empty"), .init(syncs: false))
        _ = try log.open()
        let count = await tapline("query", folder("empty"), "--count")
        #expect(count.code == .success && count.output == "0\n", "\(count.errors)")
        let none = await tapline("query", folder("empty"), "status >= 500", "--format=ids")
        #expect(none.code == .success && none.output == "", "\(none.errors)")
        let both = await tapline("query", folder("empty"), queue, "--count")
        #expect(both.output == "40\n", "\(both.errors)")
        try FileSystem.makeFolder(folder("other"))
        let other = await tapline("query", folder("other"), "--count")
        #expect(other.code == .failure && other.errors.contains("there is no store"))
    }

    @Test("is replayed in order, once")
    func replay() async throws {
        let pipeline = """
            version: 1
            sources: [{ replay: { path: \(queue) } }]
            sinks: [{ ndjson: { path: \(folder("out.ndjson")) } }]
            """
        let run = try await withFile(pipeline) { await tapline("run", $0, "--quiet") }
        #expect(run.code == .success, "\(run.errors)")
        let found = await tapline("query", folder("out.ndjson"), "--format=ids", "--oldest")
        #expect(found.output.split(separator: "\n").map(String.init) == ids(Array(0..<40)))
    }

    @Test("is read up to a damaged record, which is reported")
    func damaged() async throws {
        let segment = try #require(try SegmentFolder.segments(of: queue)?.first)
        var bytes = try TestFiles.bytes(of: segment)
        bytes[bytes.count - 3] ^= 1
        try folder.write(bytes, to: "queue/" + FileSystem.name(of: segment))
        let found = await tapline("query", segment, "--format=ids", "--oldest")
        #expect(found.output.split(separator: "\n").count == 19)
        #expect(found.errors.contains("a record of the queue is damaged"))
    }
}
