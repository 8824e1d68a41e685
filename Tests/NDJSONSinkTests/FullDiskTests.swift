// SPDX-License-Identifier: MIT

import Glibc
import TaplineCodings
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import NDJSONSink

/// The file size limit of the process simulates a full disk.
///
/// It is far above what any other test writes; files here have a hole that brings them close to it.
@Suite(.serialized) struct FileLimitTests {
    static let limit = 3 << 30
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Self.setLimit()
    }

    /// Sets the limit of the process, always to the same value.
    static func setLimit() throws {
        signal(SIGXFSZ, SIG_IGN)
        var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: .max)
        let isSet = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
        try #require(isSet == 0)
    }

    /// Creates a file of records around a hole, with room for a number of bytes.
    func fill(_ name: String, room: Int) throws {
        let file = try File(folder(name), for: .append)
        try file.write("{}\n".utf8.span)
        try file.truncate(to: Self.limit - room - 1)
        try file.write("\n".utf8.span)
    }

    @Test func revertsABatchThatDoesNotFit() throws {
        try fill("a.ndjson", room: 2000)
        let sink = try makeSink(folder("a.ndjson"))
        _ = try sink.write(records(0..<1))
        let before = try FileSystem.status(of: folder("a.ndjson"))?.size
        let error = #expect(throws: SinkError.self) { try sink.write(records(1..<20)) }
        #expect(error?.kind == .passing)
        #expect(error?.message == "cannot write '\(folder("a.ndjson"))'; file too large")
        #expect(try FileSystem.status(of: folder("a.ndjson"))?.size == before)
        // A smaller batch still fits.
        _ = try sink.write(records(1..<2))
        try sink.close()
        let file = try File(folder("a.ndjson"), for: .read)
        try file.seek(to: Self.limit - 2000)
        var bytes: [UInt8] = []
        while try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        #expect(try numbers(String(decoding: bytes, as: UTF8.self)) == [0, 1])
    }
}

/// A file system of 64 KiB, if the tests run as root.
@Suite(
    .serialized,
    .enabled(if: SmallDisk.isPossible, "a small file system cannot be mounted here")
) struct FullDiskTests {
    @Test func revertsABatchInAllFilesThatItTouched() throws {
        let disk = try SmallDisk()
        let sink = try makeSink(disk.path + "/a.ndjson", Rotation(maxSize: 10_000))
        _ = try sink.write(records(0..<10))
        let body = String(repeating: "x", count: 1000)
        let error = #expect(throws: SinkError.self) {
            try sink.write(records(10..<100, body: body))
        }
        #expect(error?.kind == .passing)
        #expect(error?.message.hasSuffix("no space left on device") == true)
        #expect(try disk.recordNumbers == Array(0..<10))
        // The batch's files exist, but contain only what they had before.
        _ = try sink.write(records(10..<20, body: body))
        try sink.close()
        #expect(try disk.recordNumbers == Array(0..<20))
    }

    @Test func keepsAFileThatCannotBeCompressed() throws {
        let disk = try SmallDisk()
        let log = TestLog()
        // Random letters hardly compress, so there is no room for a second copy.
        var random = Random(seed: 85)
        let letters = "abcdefghijklmnopqrstuvwxyz0123"
        let body = String(
            (0..<40_000).map { _ in letters.randomElement(using: &random) ?? "a" }
        )
        let sink = try makeSink(
            disk.path + "/a.ndjson",
            Rotation(maxSize: 1024, coding: .gzip),
            log: log
        )
        _ = try sink.write(records(0..<1, body: body))
        _ = try sink.write(records(1..<2))
        try sink.close()
        // The round at the start of the sink may run late and try the file too.
        #expect(
            Set(log.all) == [
                "warning: cannot write '\(disk.path)/a.000001.ndjson.gz.tmp'; "
                    + "no space left on device"
            ]
        )
        #expect(try FileSystem.names(in: disk.path).sorted() == ["a.000001.ndjson", "a.ndjson"])
        #expect(try disk.recordNumbers == [0, 1])
    }
}

/// An in-memory file system of 64 KiB.
final class SmallDisk {
    let path: String
    private let folder: TemporaryFolder

    static var isPossible: Bool { (try? SmallDisk()) != nil }

    init() throws {
        folder = try TemporaryFolder()
        path = folder("disk")
        let made = unsafe mkdir(path, 0o700)
        try #require(made == 0)
        let mounted = unsafe mount("tapline", path, "tmpfs", 0, "size=64k")
        guard mounted == 0 else { throw FixtureError() }
    }

    deinit { unsafe umount(path) }

    /// The numbers of the records in all files, in the order of their names.
    var recordNumbers: [Int] {
        get throws {
            var all: [Int] = []
            for name in try FileSystem.names(in: path).sorted() {
                let file = try File("\(path)/\(name)", for: .read)
                var bytes: [UInt8] = []
                while try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
                all += try numbers(String(decoding: bytes, as: UTF8.self))
            }
            return all
        }
    }
}
