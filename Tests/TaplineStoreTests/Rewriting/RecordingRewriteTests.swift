// SPDX-License-Identifier: MIT

import Glibc
import TaplineCodings
import TaplineModel
import TaplineQuery
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

private let secret = PlainEraser.secret

@Suite("Changing recordings")
struct RecordingRewriteTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func exchanges() -> [Exchange] {
        var exchanges = Exchange.examples(30)
        for number in [3, 13] { exchanges[number].tags["key"] = secret }
        return exchanges
    }

    private func decoded(_ name: String, _ coding: ContentCoding?) throws -> [UInt8] {
        let bytes = try folder.bytes(name)
        return try coding.map { try $0.decode(bytes.span) } ?? bytes
    }

    private func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.split(separator: 0x0A).map(Array.init)
    }

    @Test("counts what is too large to be searched, also in databases")
    func limits() throws {
        let path = try folder.write(try Recorded.bytes(exchanges(), .ndjson, nil), to: "a")
        let eraser = PlainEraser(hasLimit: true)
        #expect(try StoreErasure(path, .values { eraser }).preview().problems == 30)
        let database = folder("a.db")
        try Written.database(exchanges(), at: database)
        #expect(try StoreErasure(database, .values { eraser }).preview().problems >= 30)
    }

    @Test("reports lines and columns that cannot be kept")
    func structure() throws {
        let path = try folder.write(try Recorded.bytes(exchanges(), .ndjson, nil), to: "a")
        let eraser = PlainEraser(isStructural: true)
        #expect(try StoreErasure(path, .values { eraser }).preview().removedParts == 2)
        #expect(try StoreErasure(path, .values { eraser }).run().removedParts == 2)
        #expect(lines(try folder.bytes("a")).count == 28)
        let database = folder("a.db")
        try Written.database(exchanges(), at: database)
        #expect(try StoreErasure(database, .values { eraser }).preview().removedParts == 2)
    }

    @Test("reports lines and columns in which names become equal")
    func joinedNames() throws {
        let path = try folder.write(try Recorded.bytes(exchanges(), .ndjson, nil), to: "a")
        let eraser = PlainEraser(joinedNames: 2)
        let preview = try StoreErasure(path, .values { eraser }).preview()
        #expect(preview.joinedNames.map(\.place) == ["lines"])
        #expect(preview.joinedNames.map(\.count) == [4])
        let database = folder("a.db")
        try Written.database(exchanges(), at: database)
        let report = try StoreErasure(database, .values { eraser }).run()
        #expect(report.joinedNames.map(\.place) == ["exchanges.tags"])
        #expect(try StoreErasure(database, .values { eraser }).run().joinedNames.isEmpty)
    }

    @Test(
        "removes values from lines, and keeps the bytes of others",
        arguments: [nil, ContentCoding.gzip, .zstd]
    )
    func values(coding: ContentCoding?) throws {
        let before = lines(try Recorded.bytes(exchanges()))
        let path = try folder.write(try Recorded.bytes(exchanges(), .ndjson, coding), to: "a")
        let erasure = try StoreErasure(path, .values { PlainEraser() })
        #expect(!erasure.isDatabase)
        #expect(try erasure.preview().places.map(\.count) == [2])
        #expect(try decoded("a", coding) == before.flatMap { $0 + [0x0A] })
        #expect(try erasure.run().places.map(\.count) == [2])
        let after = lines(try decoded("a", coding))
        #expect(after.count == 30)
        for (number, line) in after.enumerated() where number != 3 && number != 13 {
            #expect(line == before[number])
        }
        let found = try Store(path).exchanges(order: .oldestFirst, limit: 30).exchanges
        #expect(found[13].exchange.tags["key"] == "[erased]")
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
        #expect(try FileSystem.names(in: folder.path) == ["a"])
        #expect(try FileSystem.status(of: path)?.permissions == 0o600)
    }

    @Test("removes the records that match, and keeps broken lines")
    func filter() throws {
        let bytes = try Recorded.bytes(exchanges())
        let path = try folder.write(bytes + Array("{\"v\":1,broken}\n".utf8), to: "a.ndjson")
        let report = try StoreErasure(path, .exchanges(try Filter("path ~ \"3$\""))).run()
        #expect(report.exchanges == 3)
        #expect(report.problems == 1)
        let after = lines(try folder.bytes("a.ndjson"))
        #expect(after.count == 28)
        #expect(after.last == Array("{\"v\":1,broken}".utf8))
        #expect(try Store(path).count(try Filter("path ~ \"3$\"")) == 0)
    }

    @Test("reports when the change takes effect, until which the file is as before")
    func commit() throws {
        let path = try folder.write(try Recorded.bytes(exchanges()), to: "a.ndjson")
        let before = try folder.bytes("a.ndjson")
        var seen: [[UInt8]?] = []
        let erasure = try StoreErasure(path, .values { PlainEraser() })
        _ = try erasure.run { seen.append(try? folder.bytes("a.ndjson")) }
        #expect(seen == [before])
        // Nothing changes now.
        _ = try erasure.run { seen.append(nil) }
        #expect(seen.count == 1)
        let database = folder("a.db")
        try Written.database(exchanges(), at: database)
        for target in [
            StoreErasure.Target.values { PlainEraser() }, .exchanges(try Filter("path ~ \"3$\"")),
        ] {
            var count = 0
            _ = try StoreErasure(database, target).run { count += 1 }
            #expect(count == 1)
        }
    }

    @Test("leaves a file alone that does not change, or that is written to meanwhile")
    func concurrency() throws {
        let path = try folder.write(try Recorded.bytes(exchanges()), to: "a.ndjson")
        let inode = try FileSystem.status(of: path)?.inode
        _ = try StoreErasure(path, .values { PlainEraser(["not-there"]) }).run()
        #expect(try FileSystem.status(of: path)?.inode == inode)
        let eraser = PlainEraser(onMatch: {
            try? File(path, for: .append).write("{\"v\":1}\n".utf8.span)
        })
        let error = #expect(throws: StoreError.self) {
            try StoreErasure(path, .values { eraser }).run()
        }
        #expect(error?.code == .notChangeable)
        #expect(try RawFiles.containing(secret, in: folder.path) == [path])
        #expect(try FileSystem.names(in: folder.path) == ["a.ndjson"])
    }

    @Test("refuses a file that the sink has open, and counts in it")
    func locked() throws {
        let path = try folder.write(try Recorded.bytes(exchanges()), to: "a.ndjson")
        let erasure = try StoreErasure(path, .values { PlainEraser() })
        let writer = try File(path, for: .append)
        let isLocked = try writer.lock()
        try #require(isLocked)
        #expect(try erasure.preview().places.map(\.count) == [2])
        let error = #expect(throws: StoreError.self) { try erasure.run() }
        #expect(error?.code == .locked)
        #expect(try FileSystem.names(in: folder.path) == ["a.ndjson"])
        writer.unlock()
        #expect(try erasure.run().places.map(\.count) == [2])
        let isFree = try File(path, for: .read).lock()
        #expect(isFree)
    }

    @Test("keeps the owner and the permissions of a file")
    func owner() throws {
        let path = try folder.write(try Recorded.bytes(exchanges()), to: "a.ndjson")
        let isChanged = unsafe chmod(path, 0o640) == 0
        try #require(isChanged)
        // Succeeds for an administrator only; the permissions are compared in any case.
        _ = unsafe chown(path, 12_345, 12_346)
        var before = stat()
        let hadFile = unsafe stat(path, &before) == 0
        try #require(hadFile)
        _ = try StoreErasure(path, .values { PlainEraser() }).run()
        var after = stat()
        let hasFile = unsafe stat(path, &after) == 0
        try #require(hasFile)
        #expect(after.st_ino != before.st_ino)
        #expect([after.st_uid, after.st_gid] == [before.st_uid, before.st_gid])
        #expect(after.st_mode == before.st_mode)
    }

    @Test("refuses HAR, cut off files and pipes")
    func refusals() throws {
        let har = try folder.write(try Recorded.bytes(exchanges(), .har), to: "a.har")
        let error = #expect(throws: StoreError.self) {
            try StoreErasure(har, .values { PlainEraser() }).run()
        }
        #expect(error?.code == .notChangeable)
        let whole = try Recorded.bytes(exchanges(), .ndjson, .gzip)
        let cut = try folder.write(Array(whole.prefix(whole.count - 9)), to: "cut.gz")
        let second = #expect(throws: StoreError.self) {
            try StoreErasure(cut, .values { PlainEraser() }).run()
        }
        #expect(second?.code == .damaged)
        #expect(second?.description.contains("the gzip file is cut off") == true)
        #expect(second?.description.contains("'tapline convert' copies what can be read") == true)
        #expect(try folder.bytes("cut.gz") == Array(whole.prefix(whole.count - 9)))
        let third = #expect(throws: StoreError.self) {
            try StoreErasure(folder("none"), .values { PlainEraser() }).run()
        }
        #expect(third?.code == .missing)
    }

    @Test("refuses links, whose other names would keep the former content")
    func links() throws {
        let path = try folder.write(try Recorded.bytes(exchanges()), to: "a.ndjson")
        let (soft, hard) = (folder("soft.ndjson"), folder("hard.ndjson"))
        let isSoft = unsafe symlink(path, soft) == 0
        try #require(isSoft)
        let error = #expect(throws: StoreError.self) {
            try StoreErasure(soft, .values { PlainEraser() }).run()
        }
        #expect(error?.code == .notChangeable)
        let isHard = unsafe link(path, hard) == 0
        try #require(isHard)
        let second = #expect(throws: StoreError.self) {
            try StoreErasure(path, .values { PlainEraser() }).run()
        }
        #expect(second?.code == .notChangeable)
        try FileSystem.remove(hard)
        #expect(try StoreErasure(path, .values { PlainEraser() }).run().places.map(\.count) == [2])
    }
}
