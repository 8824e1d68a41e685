// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import StdoutSink

/// A regular file simulates a disk that is temporarily full.
///
/// No write passes `limit`, as with `ulimit -f`, until the file is emptied. The limit is far above
/// what any other test writes.
@Suite(.serialized) struct RetryTests {
    static let limit = 3 << 30
    private let folder: TemporaryFolder
    var path: String { folder("out") }

    init() throws {
        signal(SIGXFSZ, SIG_IGN)
        folder = try TemporaryFolder()
        var limits = rlimit(rlim_cur: rlim_t(Self.limit), rlim_max: .max)
        let isSet = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
        try #require(isSet == 0)
    }

    /// Creates a sink whose file has room for a number of bytes, and a second handle on the file.
    func makeSink(room: Int) throws -> StdoutSink {
        let file = try File(path, for: .append)
        try file.truncate(to: Self.limit - room)
        let settings = StdoutFactory(
            format: .compact,
            maxBody: nil,
            colors: .never,
            allowsColor: true
        )
        return StdoutSink(to: file, settings, clock: utc)
    }

    func written(room: Int) throws -> String {
        let file = try File(path, for: .read)
        try file.seek(to: Self.limit - room)
        var bytes: [UInt8] = []
        while try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        return String(decoding: bytes, as: UTF8.self)
    }

    func batch(_ names: [String]) throws -> [Record] {
        try names.map { name in
            try record(exchange { $0.request.target = ByteString("/\(name)") })
        }
    }

    @Test func continuesWhereAFailedAttemptStopped() throws {
        let sink = try makeSink(room: 50)
        let records = try batch(["one", "two", "three"])
        let error = #expect(throws: SinkError.self) { try sink.write(records) }
        #expect(error?.kind == .passing)
        let before = try written(room: 50)
        #expect(before.utf8.count == 50)
        try File(path, for: .append).truncate(to: 0)
        _ = try sink.write(records)
        let file = try File(path, for: .read)
        var after: [UInt8] = []
        while try file.read(appendingTo: &after, atMost: 65_536) > 0 {}
        let whole = before + String(decoding: after, as: UTF8.self)
        #expect(
            whole
                == ["one", "two", "three"].map { "POST 201 https://shop.test/\($0) 5B 15.5ms\n" }
                .joined()
        )
    }

    @Test func completesTheLineOfAnAbandonedBatch() throws {
        let sink = try makeSink(room: 50)
        #expect(throws: SinkError.self) { try sink.write(batch(["one", "two", "three"])) }
        let before = try written(room: 50)
        try File(path, for: .append).truncate(to: 0)
        _ = try sink.write(batch(["four"]))
        let file = try File(path, for: .read)
        var after: [UInt8] = []
        while try file.read(appendingTo: &after, atMost: 65_536) > 0 {}
        let whole = before + String(decoding: after, as: UTF8.self)
        #expect(
            whole
                == ["one", "two", "four"].map { "POST 201 https://shop.test/\($0) 5B 15.5ms\n" }
                .joined()
        )
    }
}
