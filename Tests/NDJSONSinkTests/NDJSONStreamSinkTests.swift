// SPDX-License-Identifier: MIT

import Glibc
import TaplineCodings
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import NDJSONSink

@Suite("A path that does not name a regular file")
struct NDJSONStreamSinkTests {
    let folder: TemporaryFolder
    let log = TestLog()

    init() throws { folder = try TemporaryFolder() }

    private func factory(_ path: String, _ rotation: Rotation = .none) throws -> NDJSONFactory {
        NDJSONFactory(template: try NameTemplate(path), rotation: rotation, syncs: true)
    }

    private func open(_ path: String, _ rotation: Rotation = .none) throws -> any Sink {
        let context = SinkContext(id: "ndjson", log: log.log) { Timestamp(microseconds: 0) }
        return try factory(path, rotation).open(context)
    }

    private func makeFIFO() throws -> String {
        let status = unsafe mkfifo(folder("fifo"), 0o600)
        try #require(status == 0)
        return folder("fifo")
    }

    /// Whether this process has a controlling terminal (tty(4)).
    fileprivate static var hasTerminal: Bool {
        do throws(FileError) {
            _ = try File("/dev/tty", for: .writeWithoutWaiting)
            return true
        } catch {
            return false
        }
    }

    /// The current content of a FIFO.
    private func bytes(in reader: borrowing File) throws -> String {
        var bytes: [UInt8] = []
        while try reader.waitForInput(milliseconds: 0),
            try reader.read(appendingTo: &bytes, atMost: 65_536) > 0
        {}
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("is written to, and never rotated", arguments: ["/dev/null", "/dev/zero"])
    func device(path: String) throws {
        let sink = try open(path, Rotation(maxSize: 1024, keep: 1, coding: .gzip))
        for _ in 0..<10 { #expect(try sink.write(records(0..<50)) == .written) }
        try sink.reopen()
        #expect(try sink.write(records(0..<50)) == .written)
        try sink.flush()
        try sink.close()
        #expect(try FileSystem.status(of: path)?.kind == .device)
        #expect(try FileSystem.names(in: "/dev").allSatisfy { !$0.hasPrefix("null.") })
    }

    @Test("passes every record to the reader of a FIFO, even after reopening")
    func fifo() throws {
        let path = try makeFIFO()
        let reader = try File(path, for: .readWithoutWaiting)
        let sink = try open(path)
        _ = try sink.write(records(0..<3))
        try sink.reopen()
        _ = try sink.write(records(3..<5))
        #expect(try numbers(bytes(in: reader)) == [0, 1, 2, 3, 4])
        try sink.close()
    }

    @Test(
        "is retried only if it is a FIFO without a reader",
        arguments: [
            (StreamTarget.fifo("/f"), ENXIO, true), (.fifo("/f"), EACCES, false),
            (.fifo("/f"), ENODEV, false), (.device("/dev/tty"), ENXIO, false),
            (.standardOutput, ENXIO, false),
        ]
    )
    func waiting(target: StreamTarget, code: Int32, isWaitedFor: Bool) {
        #expect(target.isAwaited(after: FileError("open", "/f", code: code)) == isWaitedFor)
    }

    @Test(
        "is reported with the system's message if the device does not exist",
        .enabled(
            if: !NDJSONStreamSinkTests.hasTerminal,
            "the tests have a terminal, so /dev/tty exists"
        )
    )
    func noDevice() throws {
        let error = #expect(throws: FileError.self) { try open("/dev/tty") }
        #expect(error?.description == "cannot open '/dev/tty'; no such device or address")
        #expect(log.all.isEmpty)
    }

    @Test("fails temporarily while it has no reader")
    func noReader() throws {
        let path = try makeFIFO()
        let sink = try open(path)
        #expect(log.all == ["info: '\(path)' has no reader yet"])
        let error = #expect(throws: SinkError.self) { try sink.write(records(0..<1)) }
        #expect(error?.kind == .passing)
        #expect(error?.message == "'\(path)' has no reader")
        do {
            let reader = try File(path, for: .readWithoutWaiting)
            _ = try sink.write(records(0..<2))
            #expect(try numbers(bytes(in: reader)) == [0, 1])
        }
        // The reader closes the FIFO, and another one opens it.
        let gone = #expect(throws: SinkError.self) { try sink.write(records(2..<3)) }
        #expect(gone?.kind == .passing)
        let reader = try File(path, for: .readWithoutWaiting)
        _ = try sink.write(records(2..<4))
        #expect(try numbers(bytes(in: reader)) == [2, 3])
    }

    @Test("claims shared streams")
    func claims() throws {
        #expect(try factory("/dev/stdout").claims == [.standardOutput])
        #expect(try factory("/dev/stderr").claims == [])
        #expect(try factory("/dev/null").claims == [])
        let path = try makeFIFO()
        #expect(try factory(path).claims == [.file(path)])
        #expect(try factory(folder("a.ndjson")).claims == [.file(folder("a.ndjson"))])
        #expect(StreamTarget(folder("none")) == nil)
        #expect(StreamTarget(folder.path) == nil)
    }
}
