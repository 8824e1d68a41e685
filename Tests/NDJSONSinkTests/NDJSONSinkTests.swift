// SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import NDJSONSink

@Suite struct NDJSONSinkTests {
    let folder: TemporaryFolder
    let log = TestLog()

    init() throws { folder = try TemporaryFolder() }

    @Test func appendsRecords() throws {
        let sink = try makeSink(folder("a.ndjson"), sync: true)
        #expect(try sink.write(records(0..<3)) == .written)
        #expect(try sink.write([]) == .written)
        _ = try sink.write(records(3..<5))
        try sink.flush()
        try sink.close()
        #expect(try numbers(folder.read("a.ndjson")) == [0, 1, 2, 3, 4])
        #expect(try FileSystem.status(of: folder("a.ndjson"))?.permissions == 0o600)
    }

    @Test func continuesAfterAKilledRun() throws {
        let sink = try makeSink(folder("a.ndjson"))
        _ = try sink.write(records(0..<3))
        try sink.close()
        // A kill in the middle of a write leaves a partial line.
        let whole = try folder.read("a.ndjson")
        try folder.write(whole + whole.prefix(100), to: "b.ndjson")
        let next = try makeSink(folder("b.ndjson"), log: log)
        _ = try next.write(records(3..<5))
        try next.close()
        #expect(try numbers(folder.read("b.ndjson")) == [0, 1, 2, 3, 4])
        #expect(
            log.all == [
                "warning: removed an unfinished line of 100 bytes from '\(folder("b.ndjson"))'"
            ]
        )
    }

    /// The file after a kill at each byte of the second batch's write.
    @Test func survivesAKillAtEveryByte() throws {
        let sink = try makeSink(folder("a.ndjson"))
        _ = try sink.write(records(0..<2))
        let acknowledged = try folder.bytes("a.ndjson").count
        _ = try sink.write(records(2..<3))
        try sink.close()
        let whole = try folder.bytes("a.ndjson")
        for end in acknowledged...whole.count {
            try folder.write(Array(whole[..<end]), to: "b.ndjson")
            let next = try makeSink(folder("b.ndjson"))
            _ = try next.write(records(7..<8))
            try next.close()
            let expected = end == whole.count ? [0, 1, 2, 7] : [0, 1, 7]
            if try numbers(folder.read("b.ndjson")) != expected {
                Issue.record("wrong after a kill at byte \(end)")
            }
        }
    }

    @Test func continuesWhenTheFileIsTruncatedOrRemoved() throws {
        let sink = try makeSink(folder("a.ndjson"), log: log)
        _ = try sink.write(records(0..<2))
        try folder.write("", to: "a.ndjson")
        _ = try sink.write(records(2..<3))
        #expect(try numbers(folder.read("a.ndjson")) == [2])
        try FileSystem.remove(folder("a.ndjson"))
        _ = try sink.write(records(3..<4))
        try sink.close()
        #expect(try numbers(folder.read("a.ndjson")) == [3])
        #expect(log.all.count == 2)
        #expect(log.all.last == "warning: '\(folder("a.ndjson"))' was removed; starting a new file")
    }

    @Test func reportsAMissingFolderOnce() throws {
        let inner = folder("inner")
        try FileSystem.makeFolder(inner)
        let sink = try makeSink("\(inner)/a.ndjson", log: log)
        _ = try sink.write(records(0..<2))
        try FileSystem.removeFolder(inner)
        for _ in 0..<3 {
            #expect(throws: SinkError.self) { try sink.write(records(2..<3)) }
        }
        try FileSystem.makeFolder(inner)
        _ = try sink.write(records(2..<3))
        try sink.close()
        #expect(try numbers(folder.read("inner/a.ndjson")) == [2])
        #expect(log.all == ["warning: '\(inner)/a.ndjson' was removed; starting a new file"])
    }

    @Test func reportsAnotherWriter() throws {
        let sink = try makeSink(folder("a.ndjson"))
        let error = #expect(throws: NDJSONError.self) { try makeSink(folder("a.ndjson")) }
        #expect(
            error?.description
                == "cannot append to '\(folder("a.ndjson"))'; another process is writing to it"
        )
        try sink.close()
    }

    /// The archive takes the lock briefly when it looks for finished files.
    @Test func waitsForTheArchivesLock() throws {
        let path = folder("a.ndjson")
        try folder.write("", to: "a.ndjson")
        let isLocked = DispatchSemaphore(value: 0)
        DispatchQueue(label: "looks").async {
            guard let file = try? File(path, for: .read), (try? file.lock()) == true else { return }
            isLocked.signal()
            usleep(50_000)
            file.unlock()
        }
        #expect(isLocked.wait(timeout: .now() + 10) == .success)
        try makeSink(path).close()
    }

    @Test func reportsAMissingFolderWhenOpening() throws {
        let error = #expect(throws: NDJSONError.self) { try makeSink(folder("no/a.ndjson")) }
        #expect(
            error?.description
                == "cannot open '\(folder("no/a.ndjson"))'; no such file or directory; the folder "
                + "'\(folder("no"))' must exist; create it or change 'path'"
        )
    }

    @Test func rejectsAPathThatIsNotARegularFile() throws {
        let made = unsafe mkfifo(folder("pipe"), 0o600)
        try #require(made == 0)
        for path in [folder("pipe"), "/dev/null"] {
            let error = #expect(throws: NDJSONError.self) { try makeSink(path) }
            #expect(error?.description == "cannot append to '\(path)'; it is not a regular file")
        }
    }

    @Test func reopensAMovedFile() throws {
        let sink = try makeSink(folder("a.ndjson"), log: log)
        _ = try sink.write(records(0..<2))
        try sink.reopen()
        _ = try sink.write(records(2..<3))
        try FileSystem.move(folder("a.ndjson"), to: folder("b.ndjson"))
        _ = try sink.write(records(3..<4))
        try sink.reopen()
        _ = try sink.write(records(4..<5))
        try sink.close()
        #expect(try numbers(folder.read("b.ndjson")) == [0, 1, 2, 3])
        #expect(try numbers(folder.read("a.ndjson")) == [4])
        #expect(log.all == ["info: reopened '\(folder("a.ndjson"))'"])
    }

    @Test func writesRecordsLargerThanTheBuffer() throws {
        let sink = try makeSink(folder("a.ndjson"))
        let body = String(repeating: "x", count: 700_000)
        _ = try sink.write(records(0..<40, body: body))
        _ = try sink.write(records(40..<41, body: String(repeating: "y", count: 20_000_000)))
        _ = try sink.write(records(41..<42))
        try sink.close()
        #expect(try numbers(folder.read("a.ndjson")) == Array(0..<42))
    }
}
