// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import NDJSONSink

@Suite struct FinishedFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func file(_ name: String, codings: [ContentCoding] = []) throws -> FinishedFile {
        let match = try #require(try NameTemplate("a").match("a.000001"))
        return FinishedFile(path: folder(name), match: match, isPlain: true, codings: codings)
    }

    @Test(arguments: [
        ("a.gz", "a"), ("a.zst", "a"), ("a", "a"), ("a.gz.tmp", "a.gz.tmp"), ("a.br", "a.br"),
    ])
    func stripsTheSuffixOfACoding(name: String, plain: String) {
        #expect(FinishedFile.plainName(name) == plain)
    }

    @Test(arguments: [ContentCoding.gzip, .zstd], [0, 1, 262_143, 262_144, 262_145, 1_000_000])
    func compressesFilesOfAnySize(coding: ContentCoding, size: Int) throws {
        var bytes = [UInt8](repeating: 0, count: size)
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 >> 3) }
        try folder.write(bytes, to: "a")
        #expect(try file("a").compress(coding))
        #expect(try folder.names == ["a\(coding.suffix)"])
        let coded = try folder.bytes("a\(coding.suffix)")
        let decoded = try coding.decode(coded.span)
        #expect(decoded == bytes)
        // The same after a crash that left both forms.
        try folder.write(bytes, to: "a")
        #expect(try file("a", codings: [coding]).compress(coding))
        #expect(try folder.names == ["a\(coding.suffix)"])
    }

    @Test func overwritesAPartThatACrashLeft() throws {
        try folder.write("{}\n", to: "a")
        try folder.write(String(repeating: "half", count: 100), to: "a.gz.tmp")
        #expect(try file("a").compress(.gzip))
        #expect(try folder.names == ["a.gz"])
        let coded = try folder.bytes("a.gz")
        let decoded = try ContentCoding.gzip.decode(coded.span)
        #expect(decoded == Array("{}\n".utf8))
    }

    @Test func skipsFilesThatAreBeingWritten() throws {
        let writer = try File(folder("a"), for: .append)
        #expect(try writer.lock())
        #expect(try !file("a").compress(.gzip))
        #expect(try !file("a").remove())
        #expect(try folder.names == ["a"])
        try writer.close()
        #expect(try file("a").remove())
        #expect(try folder.names == [])
    }
}
