// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import NDJSONSink

@Suite struct ArchiveTests {
    let folder: TemporaryFolder
    let log = TestLog()

    init() throws { folder = try TemporaryFolder() }

    func cleanUp(_ template: String, _ rotation: Rotation) throws {
        let archive = Archive(try NameTemplate(folder(template)), rotation, log: log.log)
        archive.cleanUp()
        archive.wait()
    }

    @Test func removesPartsThatACrashLeft() throws {
        for name in ["a.000001.x.gz.tmp", "a.x.zst.tmp", "b.000001.x.gz.tmp", "a.tmp"] {
            try folder.write("half", to: name)
        }
        try cleanUp("a.x", Rotation(keep: 5))
        #expect(try folder.names == ["a.tmp", "b.000001.x.gz.tmp"])
    }

    @Test func removesPlainFilesThatAreAlreadyCompressed() throws {
        try folder.write("{}\n", to: "a.000001.x")
        try folder.write(ContentCoding.gzip.encode("{}\n".utf8.span), to: "a.000001.x.gz")
        try cleanUp("a.x", Rotation(coding: .gzip))
        #expect(try folder.names == ["a.000001.x.gz"])
        #expect(log.all == ["debug: compressed '\(folder("a.000001.x"))'"])
    }

    @Test(arguments: ["{}\n{}\n", "{}", "other", ""])
    func keepsAPlainFileThatDiffersFromTheCompressedOne(text: String) throws {
        try folder.write(text, to: "a.000001.x")
        try folder.write(ContentCoding.gzip.encode("{}\n".utf8.span), to: "a.000001.x.gz")
        try cleanUp("a.x", Rotation(coding: .gzip))
        #expect(try folder.names == ["a.000001.x", "a.000001.x.gz"])
        #expect(try folder.read("a.000001.x") == text)
        let warning = "warning: cannot compress '\(folder("a.000001.x"))'"
        #expect(log.all.first?.hasPrefix(warning) == true)
    }

    @Test func skipsFilesThatAreBeingWritten() throws {
        for number in 1...3 { try folder.write("{}\n", to: "a-00000\(number)") }
        let writer = try File(folder("a-000002"), for: .append)
        #expect(try writer.lock())
        try cleanUp("a-{n}", Rotation(keep: 1, coding: .gzip))
        #expect(try folder.names == ["a-000002", "a-000003.gz"])
        try writer.close()
    }

    @Test func neverTouchesAFileWithAFixedName() throws {
        try folder.write("{}\n", to: "a.x")
        try folder.write("{}\n", to: "a.000001.x")
        try cleanUp("a.x", Rotation(keep: 1, coding: .zstd))
        #expect(try folder.names == ["a.000001.x.zst", "a.x"])
    }

    @Test func compressesLargeFiles() throws {
        let text = String(repeating: "{\"a\":\"0123456789\"}\n", count: 50_000)
        try folder.write(text, to: "a.000001")
        try cleanUp("a", Rotation(coding: .gzip))
        let bytes = try folder.bytes("a.000001.gz")
        #expect(bytes.count < 20_000)
        #expect(String(decoding: try ContentCoding.gzip.decode(bytes.span), as: UTF8.self) == text)
    }
}
