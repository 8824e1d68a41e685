// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import NDJSONSink

@Suite struct RotationTests {
    let folder: TemporaryFolder
    let clock: TestClock

    init() throws {
        folder = try TemporaryFolder()
        clock = try TestClock()
    }

    /// The numbers of the records in each file, by its name.
    func contents() throws -> [String: [Int]] {
        var result: [String: [Int]] = [:]
        for name in try folder.names { result[name] = try numbers(folder.read(name)) }
        return result
    }

    /// A file size that fits three records, even those with longer numbers.
    func sizeOfThree() throws -> Int {
        let sink = try makeSink(folder("size"))
        _ = try sink.write(records(0..<3))
        try sink.close()
        let size = try folder.read("size").utf8.count + 30
        try FileSystem.remove(folder("size"))
        return size
    }

    @Test func splitsABatchWhenAFileIsFull() throws {
        let size = try sizeOfThree()
        let sink = try makeSink(folder("a.ndjson"), Rotation(maxSize: size))
        _ = try sink.write(records(0..<2))
        _ = try sink.write(records(2..<8))
        try sink.close()
        #expect(
            try contents() == [
                "a.000001.ndjson": [0, 1, 2], "a.000002.ndjson": [3, 4, 5], "a.ndjson": [6, 7],
            ]
        )
        let next = try makeSink(folder("a.ndjson"), Rotation(maxSize: size))
        _ = try next.write(records(8..<10))
        try next.close()
        #expect(try contents()["a.000003.ndjson"] == [6, 7, 8])
        #expect(try contents()["a.ndjson"] == [9])
    }

    @Test func givesALongLineAFileOfItsOwn() throws {
        let sink = try makeSink(folder("a.ndjson"), Rotation(maxSize: 2000))
        _ = try sink.write(records(0..<1))
        _ = try sink.write(records(1..<2, body: String(repeating: "x", count: 5000)))
        _ = try sink.write(records(2..<3))
        try sink.close()
        #expect(
            try contents() == ["a.000001.ndjson": [0], "a.000002.ndjson": [1], "a.ndjson": [2]]
        )
    }

    @Test func usesTheCounterInTheName() throws {
        let size = try sizeOfThree()
        let sink = try makeSink(folder("a-{n}.ndjson"), Rotation(maxSize: size))
        _ = try sink.write(records(0..<4))
        try sink.close()
        #expect(try contents() == ["a-000001.ndjson": [0, 1, 2], "a-000002.ndjson": [3]])
        let next = try makeSink(folder("a-{n}.ndjson"), Rotation(maxSize: size))
        _ = try next.write(records(4..<7))
        try next.close()
        #expect(
            try contents() == [
                "a-000001.ndjson": [0, 1, 2], "a-000002.ndjson": [3, 4, 5],
                "a-000003.ndjson": [6],
            ]
        )
    }

    @Test func startsANewFileWhenTheDateChanges() throws {
        let size = try sizeOfThree()
        let sink = try makeSink(
            folder("a-%Y-%m-%d.ndjson"),
            Rotation(maxSize: size),
            clock: clock
        )
        _ = try sink.write(records(0..<4))
        try clock.set("2026-11-21T00:00:00Z")
        _ = try sink.write(records(4..<5))
        // A clock that is set back changes nothing.
        try clock.set("2026-11-20T23:59:59Z")
        _ = try sink.write(records(5..<6))
        try sink.close()
        #expect(
            try contents() == [
                "a-2026-11-20.000001.ndjson": [0, 1, 2], "a-2026-11-20.ndjson": [3],
                "a-2026-11-21.ndjson": [4, 5],
            ]
        )
    }

    @Test func restartsTheCounterWhenTheDateChanges() throws {
        let size = try sizeOfThree()
        let sink = try makeSink(
            folder("a-%Y-%m-%d-{n}"),
            Rotation(maxSize: size),
            clock: clock
        )
        _ = try sink.write(records(0..<4))
        try clock.set("2026-11-21T00:00:00Z")
        _ = try sink.write(records(4..<5))
        try sink.close()
        #expect(
            try contents() == [
                "a-2026-11-20-000001": [0, 1, 2], "a-2026-11-20-000002": [3],
                "a-2026-11-21-000001": [4],
            ]
        )
    }

    @Test func endsFilesAtMultiplesOfTheirAge() throws {
        let hourly = Rotation(age: Microseconds(3_600_000_000))
        let sink = try makeSink(folder("a"), hourly, clock: clock)
        _ = try sink.write(records(0..<1))
        try clock.set("2026-11-20T14:59:59Z")
        _ = try sink.write(records(1..<2))
        try clock.set("2026-11-20T15:00:00Z")
        _ = try sink.write(records(2..<3))
        // Nothing is written for hours, which creates no empty files.
        try clock.set("2026-11-20T20:00:00Z")
        _ = try sink.write(records(3..<4))
        try sink.close()
        #expect(try contents() == ["a.000001": [0, 1], "a.000002": [2], "a": [3]])
    }

    @Test func keepsOnlyTheNewestFiles() throws {
        let size = try sizeOfThree()
        let sink = try makeSink(folder("a.ndjson"), Rotation(maxSize: size, keep: 2))
        try folder.write("mine", to: "a.1.ndjson")
        for start in stride(from: 0, to: 30, by: 3) {
            _ = try sink.write(records(start..<start + 3))
        }
        try sink.close()
        try FileSystem.remove(folder("a.1.ndjson"))
        #expect(
            try contents() == [
                "a.000008.ndjson": [21, 22, 23], "a.000009.ndjson": [24, 25, 26],
                "a.ndjson": [27, 28, 29],
            ]
        )
    }

    @Test(arguments: [ContentCoding.gzip, .zstd])
    func compressesFinishedFiles(coding: ContentCoding) throws {
        let size = try sizeOfThree()
        let rotation = Rotation(maxSize: size, keep: 2, coding: coding)
        let sink = try makeSink(folder("a-{n}.ndjson"), rotation)
        for start in stride(from: 0, to: 12, by: 3) {
            _ = try sink.write(records(start..<start + 3))
        }
        try sink.close()
        let suffix = coding.suffix
        #expect(
            try folder.names == [
                "a-000002.ndjson\(suffix)", "a-000003.ndjson\(suffix)", "a-000004.ndjson",
            ]
        )
        let bytes = try folder.bytes("a-000003.ndjson\(suffix)")
        let text = String(decoding: try coding.decode(bytes.span), as: UTF8.self)
        #expect(try numbers(text) == [6, 7, 8])
        #expect(
            try FileSystem.status(of: folder("a-000003.ndjson\(suffix)"))?.permissions == 0o600
        )
        // The next run continues the last file.
        let next = try makeSink(folder("a-{n}.ndjson"), rotation)
        _ = try next.write(records(12..<13))
        try next.close()
        #expect(try numbers(folder.read("a-000005.ndjson")) == [12])
    }
}
