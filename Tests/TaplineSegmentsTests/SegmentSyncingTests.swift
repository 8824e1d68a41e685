// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineSegments

/// A disk that syncs only when it is allowed to, or fails.
private final class SlowDisk: Sendable {
    /// Whether a sync is under way.
    let isSyncing = Atomic<Bool>(false)
    let isFailing = Atomic<Bool>(false)
    private let waits: Bool
    private let allowed = DispatchSemaphore(value: 0)

    init(waits: Bool) { self.waits = waits }

    /// Lets one sync end.
    func allow() { allowed.signal() }

    var writing: SegmentWriting {
        var writing = SegmentWriting()
        writing.sync = { [self] file throws(FileError) in
            isSyncing.store(true, ordering: .releasing)
            if waits { _ = allowed.wait(timeout: .now() + .seconds(20)) }
            isSyncing.store(false, ordering: .releasing)
            if isFailing.load(ordering: .acquiring) { throw FileError("sync", file.path, code: 5) }
        }
        return writing
    }
}

@Suite("A log of segments that syncs its records", .timeLimit(.minutes(1)))
struct SegmentSyncingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ disk: SlowDisk, segmentBytes: Int = 1 << 20) throws -> SegmentLog {
        let log = SegmentLog(
            folder("queue"),
            SegmentLog.Limits(segmentBytes: segmentBytes),
            writing: disk.writing
        )
        _ = try log.open()
        return log
    }

    private func append(_ text: String, to log: SegmentLog) throws {
        var bytes: [UInt8] = []
        SegmentFormat.appendFrame(Array(text.utf8).span, to: &bytes)
        _ = try log.append(bytes.span, records: 1)
    }

    private func read(_ log: SegmentLog) -> (texts: [String], end: SegmentPosition) {
        var texts: [String] = []
        var reader = SegmentReader(log)
        let result = reader.read(from: SegmentPosition(startOf: 0), upTo: 100, end: log.end) {
            texts.append(text($0))
        }
        return (texts, result.end)
    }

    @Test(
        "is read and committed while records are synced, which are beyond its end until then",
        arguments: [1 << 20, 20, 10]
    )
    func readsMeanwhile(segmentBytes: Int) throws {
        let disk = SlowDisk(waits: true)
        let log = try open(disk, segmentBytes: segmentBytes)
        disk.allow()
        try append("first", to: log)
        let appended = DispatchSemaphore(value: 0)
        let thread = try DedicatedThread.start {
            #expect(throws: Never.self) { try append("second", to: log) }
            appended.signal()
        }
        blockingWait(for: "the sync") { disk.isSyncing.load(ordering: .acquiring) }
        let hasRead = Atomic<Bool>(false)
        let reading = try DedicatedThread.start {
            let found = read(log)
            #expect(found.texts == ["first"] && log.end.record == 1 && log.bytes > 0)
            #expect(throws: Never.self) { try log.commit(found.end) }
            hasRead.store(true, ordering: .releasing)
        }
        blockingWait(for: "the reader", within: .seconds(10)) { hasRead.load(ordering: .acquiring) }
        #expect(appended.wait(timeout: .now()) == .timedOut)
        disk.allow()
        appended.wait()
        thread.join()
        reading.join()
        #expect(log.end.record == 2)
        disk.allow()
        try append("third", to: log)
        log.close()
        let again = SegmentLog(folder("queue"), SegmentLog.Limits())
        let opened = try again.open()
        #expect(opened.count == 2)
        var texts: [String] = []
        var reader = SegmentReader(again)
        _ = reader.read(from: opened.next, upTo: 100, end: opened.end) {
            texts.append(text($0))
        }
        #expect(texts == ["second", "third"])
    }

    @Test("takes back records that cannot be synced, and has the next ones in their place")
    func failedSync() throws {
        let disk = SlowDisk(waits: false)
        let log = try open(disk)
        disk.isFailing.store(true, ordering: .releasing)
        #expect(throws: SegmentError.self) { try append("lost", to: log) }
        #expect(log.end.record == 0 && log.bytes == 0)
        disk.isFailing.store(false, ordering: .releasing)
        try append("first", to: log)
        let bytes = log.bytes
        disk.isFailing.store(true, ordering: .releasing)
        #expect(throws: SegmentError.self) { try append("lost", to: log) }
        #expect(log.end.record == 1 && log.bytes == bytes)
        disk.isFailing.store(false, ordering: .releasing)
        try append("second", to: log)
        #expect(read(log).texts == ["first", "second"])
    }
}
