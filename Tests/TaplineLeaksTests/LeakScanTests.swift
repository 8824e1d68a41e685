// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineSQL
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineLeaks

@Suite("Files and folders")
struct LeakScanTests {
    private struct Result {
        var leaks: [Leak] = []
        var unread: [String] = []
        var skipped: [String] = []
        var totals = LeakTotals()
    }

    private func scan(_ paths: String..., for texts: String = secret) throws -> Result {
        var result = Result()
        let scan = try LeakScan(for: try values(texts), detectors: nil) { event in
            switch event {
            case .leak(let leak): result.leaks.append(leak)
            case .unread(let file, let reason):
                result.unread.append("\(FileSystem.name(of: file)): \(reason)")
            case .skipped(let file, _): result.skipped.append(FileSystem.name(of: file))
            }
        }
        for path in paths { scan.scan(path) }
        result.totals = scan.totals
        return result
    }

    private static let line = "{\"id\":1,\"request\":{\"url\":\"http://a/?\(secret)\"}}\n"

    @Test("Nested compressed files are decompressed, by content or by name")
    func compressed() throws {
        let folder = try TemporaryFolder()
        let lines =
            Array(String(repeating: "{\"id\":2}\n", count: 50_000).utf8) + Array(Self.line.utf8)
        for (coding, name) in [(ContentCoding.gzip, "a.gz"), (.zstd, "b"), (.deflate, "c.zz")] {
            let result = try scan(try folder.write(try coded(lines, coding), to: name))
            #expect(result.leaks.map(\.place.line) == [50_001], "\(name)")
            #expect(result.leaks.map(\.place.path) == ["request.url"])
            #expect(result.leaks.map(\.codings) == [[coding.name]])
            #expect(result.unread == [])
            #expect(result.totals.bytes == lines.count)
        }
        let twice = try coded(try coded(lines, .zstd), .gzip)
        #expect(
            try scan(try folder.write(twice, to: "d.zst.gz")).leaks.map(\.codings) == [
                ["gzip", "zstd"]
            ]
        )
        let members =
            try coded(Array(Self.line.utf8), .gzip) + (try coded(Array(Self.line.utf8), .gzip))
        #expect(try scan(try folder.write(members, to: "e.gz")).leaks.count == 2)
    }

    @Test("A truncated or damaged compressed file is scanned as far as possible and is unread")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let lines = Array((Self.line + String(repeating: "{\"id\":2}\n", count: 500)).utf8)
        for coding in [ContentCoding.gzip, .zstd] {
            let whole = try coded(lines, coding)
            let cut = try folder.write(Array(whole.dropLast(9)), to: "\(coding.name)-cut")
            let result = try scan(cut)
            #expect(result.unread.count == 1)
            #expect(coding == .zstd || result.leaks.count == 1)
            let more = try folder.write(
                whole + Array("more \(secret)".utf8),
                to: "\(coding.name)-more"
            )
            #expect(try scan(more).unread.count == 1)
            #expect(try scan(more).leaks.map(\.codings) == [[coding.name], []])
        }
    }

    @Test("Folders are scanned, links are not followed, and unreadable files are reported")
    func folders() throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder("\(folder.path)/deep")
        try FileSystem.makeFolder("\(folder.path)/deep/er")
        try folder.write(Self.line, to: "deep/er/a.ndjson")
        try folder.write("nothing", to: "b.txt")
        try folder.write("", to: "empty")
        let other = try TemporaryFolder()
        try other.write(Self.line, to: "outside")
        try symlink(other.path + "/outside", to: folder.path + "/link")
        try symlink(other.path, to: folder.path + "/deep/linked")
        let result = try scan(folder.path)
        #expect(result.leaks.count == 1)
        #expect(result.totals.files == 3)
        #expect(result.skipped.sorted() == ["link", "linked"])
        #expect(result.unread == [])
        // A link that the user names is followed.
        #expect(try scan(folder.path + "/link").leaks.count == 1)
    }

    @Test("A folder without files and a missing file are not clean")
    func missing() throws {
        let folder = try TemporaryFolder()
        #expect(try scan(folder.path).unread.count == 1)
        #expect(try scan(folder.path + "/no").unread == ["no: there is no such file"])
        #expect(try scan(folder.path + "/no").totals.unread == 1)
    }

    @Test("Unsupported formats are scanned as bytes and are not clean")
    func closed() throws {
        let folder = try TemporaryFolder()
        let zip: [UInt8] = [0x50, 0x4B, 3, 4, 0, 0] + Array(secret.utf8)
        let result = try scan(try folder.write(zip, to: "a.zip"))
        #expect(result.leaks.map(\.place.offset) == [6])
        #expect(result.unread == ["a.zip: it is a zip archive; only its raw bytes were scanned"])
        let age = try scan(try folder.write("age-encryption.org/v1\n-> X25519", to: "b.age"))
        #expect(age.unread.count == 1)
    }

    @Test("A file that can be opened but not read is not clean")
    func unreadable() throws {
        // Its first page is never mapped. File permissions would not do, because they do not apply
        // to root.
        let result = try scan("/proc/self/mem")
        #expect(result.unread == ["mem: input/output error"])
        #expect(result.leaks.isEmpty)
    }

    @Test("Data that is compressed too many times is scanned as bytes and is not clean")
    func tooManyCodings() throws {
        let folder = try TemporaryFolder()
        var bytes = Array(Self.line.utf8)
        for _ in 0..<5 { bytes = try coded(bytes, .gzip) }
        let result = try scan(try folder.write(bytes, to: "a.gz"))
        #expect(result.unread == ["a.gz: it is compressed more than 4 times"])
        // The fifth coding is decoded within the bytes of the fourth.
        #expect(result.leaks.map(\.codings) == [["gzip", "gzip", "gzip", "gzip", "gzip"]])
    }

    @Test("A zip archive in a body, also in a database, is unread")
    func archivesInBodies() throws {
        let folder = try TemporaryFolder()
        let zip = zipMember(method: 8)
        let line = #"{"v":1,"request":{"body":{"base64":"\#(base64(zip))"}}}"#
        let reason = UnitScanner.limitReason
        let lines = try scan(try folder.write(line + "\n", to: "a.ndjson"), for: "other-value")
        #expect(lines.unread == ["a.ndjson: \(reason)"])
        let (path, other) = (folder("a.db"), folder("b.db"))
        let database = try SQLiteConnection(path: path)
        try database.execute("CREATE TABLE bodies (content ANY)")
        let insert = try database.prepare("INSERT INTO bodies VALUES (?1)")
        try insert.bind(1, blob: zip.span)
        try insert.run()
        // Only the row shows the archive, not the bytes of the file.
        let second = try SQLiteConnection(path: other)
        try second.execute("CREATE TABLE lines (text TEXT); INSERT INTO lines VALUES ('\(line)')")
        #expect(try scan(path, for: "other-value").unread.contains("a.db: \(reason)"))
        #expect(try scan(other, for: "other-value").unread.contains("b.db: \(reason)"))
    }

    @Test("A value in a file's name is found and masked")
    func names() throws {
        let folder = try TemporaryFolder()
        let result = try scan(try folder.write("x", to: "host-hunter22.txt"), for: "hunter22")
        #expect(result.leaks.map(\.place.path) == ["file name"])
        #expect(result.leaks.map { FileSystem.name(of: $0.file) } == ["host-********.txt"])
    }

    @Test("No report contains the value")
    func silent() throws {
        let folder = try TemporaryFolder()
        let text = "{\"\(secret)\":{\"\(secret)\":\"\(secret)\"}}\n\(secret)\n"
        let result = try scan(try folder.write(text, to: "a"))
        #expect(result.leaks.count == 4)
        for leak in result.leaks { #expect(!"\(leak)".contains(secret)) }
    }

    private func symlink(_ target: String, to path: String) throws {
        try #require(makeLink(target, path) == 0)
    }
}
