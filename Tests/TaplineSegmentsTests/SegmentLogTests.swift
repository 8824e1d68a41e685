// SPDX-License-Identifier: MIT

import Synchronization
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineSegments

/// A log, with texts as records.
private final class Texts {
    let log: SegmentLog
    var opened = SegmentLog.Opened()
    var next = SegmentPosition(startOf: 0)
    var lost = 0
    var failure: FileError?
    private var reader: SegmentReader

    init(
        _ path: String,
        maxBytes: Int = 1 << 20,
        segmentBytes: Int = 1 << 20,
        writing: SegmentWriting = SegmentWriting()
    ) throws {
        log = SegmentLog(
            path,
            .init(maxBytes: maxBytes, segmentBytes: segmentBytes, syncs: false),
            writing: writing
        )
        reader = SegmentReader(log)
        opened = try log.open()
        next = opened.next
    }

    func append(_ texts: [String]) throws {
        var bytes: [UInt8] = []
        for text in texts { SegmentFormat.appendFrame(Array(text.utf8).span, to: &bytes) }
        _ = try log.append(bytes.span, records: texts.count)
    }

    /// Reads at most `limit` records.
    func read(_ limit: Int = 1000) -> [String] {
        var found: [String] = []
        let result = reader.read(from: next, upTo: limit, end: log.end) { record in
            found.append(text(record))
        }
        next = result.end
        lost += result.lost
        failure = result.failure
        return found
    }
}

@Suite("A log of segments")
struct SegmentLogTests {
    private let folder: TemporaryFolder
    private var path: String { folder("queue") }

    init() throws { folder = try TemporaryFolder() }

    private var segments: [String] {
        get throws { try #require(try SegmentFolder.segments(of: path)) }
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        try folder.bytes("queue/" + FileSystem.name(of: path))
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try folder.write(bytes, to: "queue/" + FileSystem.name(of: path))
    }

    @Test("continues after the last committed record when it is opened again")
    func restart() throws {
        let first = try Texts(path, segmentBytes: 100)
        for number in 0..<20 { try first.append(["record \(number)"]) }
        #expect(first.read(7) == (0..<7).map { "record \($0)" })
        try first.log.commit(first.next)
        #expect(first.read(5).last == "record 11")
        first.log.close()
        let second = try Texts(path, segmentBytes: 100)
        #expect(second.opened.count == 13)
        try second.append(["new"])
        #expect(second.read() == (7..<20).map { "record \($0)" } + ["new"])
        #expect(second.lost == 0)
    }

    @Test("has files and a folder that only their owner may read")
    func modes() throws {
        let texts = try Texts(path)
        try texts.append(["secret"])
        try texts.log.commit(texts.next)
        #expect(try FileSystem.status(of: path)?.permissions == 0o700)
        for name in try FileSystem.names(in: path) {
            #expect(try FileSystem.status(of: "\(path)/\(name)")?.permissions == 0o600, "\(name)")
        }
    }

    @Test("frees segments whose records are committed, and all of them at the end")
    func frees() throws {
        let texts = try Texts(path, segmentBytes: 100)
        for number in 0..<20 { try texts.append(["record \(number)"]) }
        let before = try segments.count
        _ = texts.read(12)
        try texts.log.commit(texts.next)
        #expect(try segments.count < before)
        _ = texts.read()
        try texts.log.commit(texts.next)
        texts.log.close()
        #expect(try segments.isEmpty)
        let next = try Texts(path)
        #expect(next.opened.count == 0)
        try next.append(["later"])
        #expect(next.read() == ["later"])
    }

    @Test("cuts off a torn tail of any length, and nothing else")
    func tornTail() throws {
        let texts = try Texts(path)
        try texts.append(["first", "second", "third"])
        texts.log.close()
        let whole = try bytes(try segments[0])
        let frame = SegmentFormat.frameHeaderBytes + "third".utf8.count
        for cut in 1...frame {
            try write(Array(whole.dropLast(cut)), to: try segments[0])
            let again = try Texts(path)
            #expect(again.opened.cutBytes == frame - cut)
            #expect(again.opened.count == 2)
            try again.append(["fourth"])
            #expect(again.read() == ["first", "second", "fourth"])
            again.log.close()
            for path in try segments.dropFirst() { try FileSystem.remove(path) }
        }
    }

    @Test("skips a damaged record, and reads those after it")
    func damagedRecord() throws {
        let texts = try Texts(path)
        try texts.append(["first", "second", "third"])
        texts.log.close()
        var damaged = try bytes(try segments[0])
        let second = SegmentFormat.headerBytes + 2 * SegmentFormat.frameHeaderBytes + 5
        damaged[second] ^= 0x10
        try write(damaged, to: try segments[0])
        let again = try Texts(path)
        #expect(again.opened.cutBytes == 0 && again.opened.count == 3)
        #expect(again.read() == ["first", "third"])
        #expect(again.lost == 1)
    }

    @Test("finds the next record after a damaged length")
    func damagedLength() throws {
        let texts = try Texts(path, segmentBytes: 60)
        for number in 0..<9 { try texts.append(["record \(number)"]) }
        texts.log.close()
        #expect(try segments.count == 3)
        var damaged = try bytes(try segments[1])
        damaged[SegmentFormat.headerBytes + 16] ^= 0x40
        try write(damaged, to: try segments[1])
        let again = try Texts(path)
        #expect(again.read() == [0, 1, 2, 3, 5, 6, 7, 8].map { "record \($0)" })
        #expect(again.lost == 1)
    }

    @Test("keeps the records after damage in the last segment when it is opened", arguments: 1...2)
    func damagedLastSegment(count: Int) throws {
        let texts = try Texts(path)
        for number in 0..<9 { try texts.append(["record \(number)"]) }
        texts.log.close()
        var damaged = try bytes(try segments[0])
        for number in 4..<4 + count { damaged[SegmentFormat.headerBytes + 16 * number] ^= 0x40 }
        try write(damaged, to: try segments[0])
        let again = try Texts(path)
        #expect(again.opened.cutBytes == 0)
        try again.append(["new"])
        let kept = (0..<4).map { "record \($0)" } + (4 + count..<9).map { "record \($0)" }
        #expect(again.read() == kept + ["new"])
        #expect(again.lost == 1)
        #expect(try bytes(try segments[0]) == damaged)
    }

    @Test("keeps all unread records if those that were read are damaged")
    func damagedBeforePosition() throws {
        let texts = try Texts(path)
        for number in 0..<9 { try texts.append(["record \(number)"]) }
        _ = texts.read(6)
        try texts.log.commit(texts.next)
        texts.log.close()
        var damaged = try bytes(try segments[0])
        for number in 1...3 { damaged[SegmentFormat.headerBytes + 16 * number] ^= 0x40 }
        try write(damaged, to: try segments[0])
        let again = try Texts(path)
        #expect(again.opened.end.record == 9)
        #expect(again.read() == (6..<9).map { "record \($0)" } && again.lost == 0)
    }

    @Test("survives a flipped bit anywhere: no other record is lost, and the loss is counted")
    func anyFlippedBit() throws {
        let texts = try Texts(path, segmentBytes: 60)
        for number in 0..<6 { try texts.append(["record \(number)"]) }
        texts.log.close()
        let files = try segments
        #expect(files.count == 2)
        for file in files {
            let whole = try bytes(file)
            for position in whole.indices where position % 3 == 0 && !(8..<12 ~= position) {
                var damaged = whole
                damaged[position] ^= 0x04
                try write(damaged, to: file)
                let again = try Texts(path)
                let found = again.read()
                #expect(again.next.record == again.log.end.record)
                let cut = again.opened.cutBytes > 0 ? 1 : 0
                #expect(found.count + again.lost + cut == 6, "position \(position) of \(file)")
                #expect(found.count >= 5, "position \(position) of \(file)")
                again.log.close()
                // What was cut off comes back.
                try write(whole, to: file)
            }
        }
    }

    @Test("loses nothing when a segment cannot be read for a time, and reads it later")
    func failingRead() throws {
        let texts = try Texts(path, segmentBytes: 60)
        for number in 0..<6 { try texts.append(["record \(number)"]) }
        let second = try segments[1]
        try FileSystem.move(second, to: folder("away"))
        // A folder cannot be opened as a segment, but it is not missing.
        try FileSystem.makeFolder(second)
        #expect(texts.read() == (0..<3).map { "record \($0)" })
        #expect(texts.failure != nil && texts.lost == 0)
        #expect(texts.read() == [] && texts.next.record == 3)
        try FileSystem.removeFolder(second)
        try FileSystem.move(folder("away"), to: second)
        #expect(texts.read() == (3..<6).map { "record \($0)" })
        #expect(texts.failure == nil && texts.lost == 0)
    }

    @Test("refuses records beyond its limit until others are committed")
    func limit() throws {
        let texts = try Texts(path, maxBytes: 200, segmentBytes: 60)
        var count = 0
        #expect(throws: SegmentError.limit(200)) {
            while count < 100 {
                try texts.append(["record \(count)"])
                count += 1
            }
        }
        #expect(3..<12 ~= count)
        _ = texts.read(3)
        try texts.log.commit(texts.next)
        try texts.append(["another"])
        #expect(texts.read().last == "another")
    }

    @Test("frees room in parts even if a segment may be larger than the log")
    func largeSegments() throws {
        let texts = try Texts(path, maxBytes: 400, segmentBytes: 1 << 20)
        #expect(throws: SegmentError.limit(400)) {
            for number in 0..<100 { try texts.append(["record \(number)"]) }
        }
        let full = texts.log.bytes
        _ = texts.read(8)
        try texts.log.commit(texts.next)
        #expect(texts.log.bytes < full)
        try texts.append(["another"])
        #expect(texts.log.bytes <= 400)
    }

    @Test("takes a batch beyond its limit if it is empty, since it would never fit")
    func largeBatch() throws {
        let texts = try Texts(path, maxBytes: 50)
        let large = String(repeating: "x", count: 500)
        try texts.append([large])
        #expect(throws: SegmentError.limit(50)) { try texts.append(["y"]) }
        #expect(texts.read() == [large])
        try texts.log.commit(texts.next)
        try texts.append(["y"])
    }

    @Test("drops the oldest segment on request")
    func dropsOldest() throws {
        let texts = try Texts(path, segmentBytes: 60)
        for number in 0..<9 { try texts.append(["record \(number)"]) }
        texts.next = texts.log.dropOldest()
        #expect(texts.read() == (3..<9).map { "record \($0)" })
        while texts.log.bytes > 0 { texts.next = texts.log.dropOldest() }
        try texts.append(["next"])
        #expect(texts.read() == ["next"] && texts.lost == 0)
    }

    @Test("does not go back to a position in a segment that was dropped")
    func olderCommit() throws {
        let texts = try Texts(path, maxBytes: 300, segmentBytes: 60)
        for number in 0..<9 { try texts.append(["record \(number)"]) }
        _ = texts.read(2)
        let older = texts.next
        while texts.log.bytes > 0 { texts.next = texts.log.dropOldest() }
        try texts.log.commit(older)
        // It holds no unread record, so it takes a batch beyond its limit.
        let large = String(repeating: "x", count: 400)
        try texts.append([large])
        #expect(texts.read() == [large] && texts.lost == 0)
    }

    @Test("is used by one process at a time")
    func locked() throws {
        let texts = try Texts(path)
        #expect(throws: SegmentError.inUse(path)) { try Texts(path) }
        texts.log.close()
        _ = try Texts(path)
    }

    @Test("refuses a segment of another version, and leaves it as it is")
    func version() throws {
        let texts = try Texts(path)
        try texts.append(["record"])
        texts.log.close()
        var newer = try bytes(try segments[0])
        newer[8] = 2
        try write(newer, to: try segments[0])
        #expect(throws: SegmentError.version(try segments[0], 2)) { try Texts(path) }
        #expect(try bytes(try segments[0]) == newer)
    }

    @Test("ignores a segment whose number cannot be counted on from")
    func largestNumber() throws {
        try Texts(path).log.close()
        try write(segment(["record"]), to: SegmentFolder(path).segment(.max))
        let texts = try Texts(path)
        #expect(texts.opened.count == 0)
        try texts.append(["next"])
        #expect(texts.read() == ["next"])
    }

    @Test("reads everything again if the position is damaged or lost", arguments: [true, false])
    func lostPosition(isDamaged: Bool) throws {
        let texts = try Texts(path)
        try texts.append(["first", "second"])
        _ = texts.read(1)
        try texts.log.commit(texts.next)
        texts.log.close()
        if isDamaged {
            try write(Array("tapline-queue 1 0".utf8), to: "\(path)/position")
        } else {
            try FileSystem.remove("\(path)/position")
        }
        let again = try Texts(path)
        #expect(again.opened.isPositionLost)
        #expect(again.read() == ["first", "second"])
    }

    @Test("keeps what is appended after a position that was ahead of the log")
    func positionAhead() throws {
        let texts = try Texts(path)
        try texts.append(["first", "second", "third"])
        // As after a power failure that has cost the last records.
        let ahead = SegmentPosition(segment: 0, offset: 4000, record: 50)
        try texts.log.folder.writePosition(ahead)
        texts.log.close()
        let again = try Texts(path)
        #expect(again.opened.next.record == 3)
        try again.append(["fourth", "fifth"])
        again.log.close()
        #expect(try Texts(path).read() == ["fourth", "fifth"])
    }

    @Test("removes segments that were read when the process ended before it could")
    func stale() throws {
        let texts = try Texts(path, segmentBytes: 60)
        for number in 0..<9 { try texts.append(["record \(number)"]) }
        _ = texts.read(4)
        // As if the process had been killed between the position and the removal.
        try texts.log.folder.writePosition(texts.next)
        texts.log.close()
        let again = try Texts(path)
        #expect(try segments.count == 2)
        #expect(again.read().first == "record 4")
    }

    @Test("appends all or nothing when the disk fails, and goes on when it works again")
    func failingDisk() throws {
        let texts = try Texts(path, segmentBytes: 1)
        try texts.append(["first"])
        try FileSystem.move(path, to: folder("away"))
        #expect(throws: SegmentError.self) { try texts.append(["lost"]) }
        try FileSystem.move(folder("away"), to: path)
        try texts.append(["second"])
        #expect(texts.read() == ["first", "second"] && texts.lost == 0)
    }

    @Test("gives up its last segment on a full disk once that is read, and goes on in a new one")
    func fullDisk() throws {
        let isFull = Atomic<Bool>(false)
        var writing = SegmentWriting()
        writing.bytes = { file, bytes throws(FileError) in
            if isFull.load(ordering: .relaxed) { throw FileError("write", file.path, code: 28) }
            try file.write(bytes)
        }
        let texts = try Texts(path, writing: writing)
        try texts.append(["first", "second"])
        isFull.store(true, ordering: .relaxed)
        #expect(throws: SegmentError.self) { try texts.append(["third"]) }
        _ = texts.read(1)
        try texts.log.commit(texts.next)
        #expect(!texts.log.makeRoom(for: 10), "a record is not read")
        _ = texts.read()
        try texts.log.commit(texts.next)
        #expect(texts.log.makeRoom(for: 1 << 20))
        #expect(try segments.isEmpty && texts.log.bytes == 0)
        // Its reserve is only for few bytes.
        #expect(!texts.log.makeRoom(for: 1 << 20))
        #expect(texts.log.makeRoom(for: 10) && !texts.log.makeRoom(for: 10))
        isFull.store(false, ordering: .relaxed)
        try texts.append(["third"])
        #expect(texts.read() == ["third"] && texts.lost == 0)
        try texts.append(["fourth"])
        try texts.log.commit(texts.next)
        #expect(try FileSystem.status(of: "\(path)/reserve") != nil)
        texts.log.close()
        let again = try Texts(path)
        #expect(again.opened.count == 1 && again.read() == ["fourth"])
    }

    @Test("is found by its files, and no other folder is treated as one")
    func recognized() throws {
        #expect(try SegmentFolder.segments(of: folder.path) == nil)
        let texts = try Texts(path)
        #expect(!texts.opened.isPositionLost)
        #expect(try SegmentFolder.segments(of: path) == [])
        try texts.append(["record"])
        #expect(try SegmentFolder.segments(of: path + "/")?.count == 1)
        texts.log.close()
        #expect(!(try Texts(path).opened.isPositionLost), "nothing was written so far")
    }
}
