// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineSQL
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineLeaks

/// Forms, codings and files that the README describes as searched, beside those of other suites.
@Suite("Covered forms")
struct CoveredFormTests {
    private static let value = "s3cr3t=Pa55/word+x&1"

    private func scan(_ path: String, for text: String = secret) throws -> (Int, [String]) {
        var (leaks, unread): (Int, [String]) = (0, [])
        let scan = try LeakScan(for: try values(text), detectors: nil) { event in
            switch event {
            case .leak: leaks += 1
            case .unread(_, let reason), .skipped(_, let reason): unread.append(reason)
            }
        }
        scan.scan(path)
        return (leaks, unread)
    }

    // MARK: Escapes

    @Test("Mixed JSON escapes and all kinds of HTML references are decoded")
    func escapes() throws {
        let scanner = try scanner(Self.value)
        let scalars = Self.value.unicodeScalars
        let mixed = scalars.enumerated().map { number, scalar in
            let digits = String(scalar.value, radix: 16, uppercase: number % 2 == 0)
            return number % 3 == 0 ? String(scalar) : "\\u00" + digits
        }
        let texts = [
            mixed.joined(), scalars.map { "&#\($0.value);" }.joined(),
            scalars.map { "&#x" + String($0.value, radix: 16, uppercase: true) + ";" }.joined(),
            Self.value.replacing("&", with: "&amp;"),
        ]
        for text in texts {
            #expect(scanner.scan("<p title=\"\(text)\">".utf8.span).count == 1, "\(text)")
        }
    }

    @Test("Quoted-printable text is decoded, also with soft line breaks, in JSON and in base64")
    func quotedPrintable() throws {
        let scanner = try scanner(Self.value)
        let escaped = Self.value.replacing("=", with: "=3D")
        let all = Self.value.utf8.map { "=" + String($0, radix: 16, uppercase: true) }.joined()
        let small = Self.value.utf8.map { "=" + String($0, radix: 16) }.joined()
        var texts = [escaped, all, small]
        for end in ["=\n", "=\r\n", "= \r\n"] {
            for position in [1, 5, 12] {
                var text = Array(escaped)
                text.insert(contentsOf: end, at: position)
                texts.append(String(text))
            }
        }
        for text in texts {
            let mail = "a=b; c == d\r\nIt is: \(text)\r\n\r\nx=\r\n"
            #expect(scanner.scan(mail.utf8.span).count == 1, "\(text)")
            let isClean = scanner.areClean("GET\"\(mail)\"{}\"".utf8.span)
            #expect(!isClean, "\(text)")
            let json = text.replacing("\r", with: "\\r").replacing("\n", with: "\\n")
            #expect(scanner.scan("{\"mail\":\"\(json)\"}".utf8.span).count == 1, "\(text)")
            #expect(scanner.scan(base64(Array(mail.utf8)).utf8.span).count == 1, "\(text)")
            let eraser = try ValueEraser(try values(Self.value))
            let erased = try #require(eraser.erase(mail.utf8.span).map(\.bytes))
            let expected = "a=b; c == d\r\nIt is: [erased]\r\n\r\nx=\r\n"
            #expect(String(decoding: erased, as: UTF8.self) == expected, "\(text)")
        }
        #expect(scanner.scan("=3D=\r\n=4=\n=".utf8.span).isEmpty)
    }

    @Test("Quoted-printable text is decoded beside parts with NUL, and erased where it is")
    func quotedPrintableParts() throws {
        let scanner = try scanner(Self.value)
        let escaped = Array("a: =\r\n".utf8) + Array(Self.value.replacing("=", with: "=3D").utf8)
        let image: [UInt8] = [0x89, 0x50, 0, 1, 0, 0, 7]
        let places: [([UInt8], [UInt8])] = [(image, []), ([], image), (image, image)]
        for (before, after) in places {
            let body = before + escaped + after
            let hits = scanner.scan(body.span)
            #expect(hits.count == 1)
            let end = before.count + escaped.count
            #expect(hits.first?.range == before.count + 6..<end)
            let eraser = try ValueEraser(try values(Self.value))
            let erased = eraser.erase(body.span).map(\.bytes)
            #expect(erased == before + Array("a: =\r\n[erased]".utf8) + after)
        }
        // Each run with such a part is decoded.
        #expect(scanner.scan((escaped + image + escaped).span).count == 2)
    }

    @Test("A long value whose characters are all escaped is found at the border of windows")
    func longEscapes() throws {
        let long = String(repeating: "0123456789abcdef", count: 512)
        let escaped = long.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
        let scanner = try scanner(long)
        for shift in [1000, 20_000, 48_000] {
            var found = 0
            let scan = TextScan(isBinary: true, scanner, windowBytes: 1 << 17) { _ in found += 1 }
            let border = 1 << 17
            let before = [UInt8](repeating: 0, count: border - shift)
            scan.append((before + Array("\"\(escaped)\"".utf8)).span)
            for _ in 0..<10 { scan.append([UInt8](repeating: 0, count: 1 << 15).span) }
            scan.finish()
            #expect(found == 1, "\(shift)")
        }
    }

    @Test("Base64 in several lines is decoded, whatever the lines divide")
    func lines() throws {
        let text = "some text before it and \(secret), and then some more text after it"
        let whole = base64(Array(text.utf8))
        let scanner = try scanner(secret)
        for length in [60, 64, 76] {
            for end in ["\n", "\r\n"] {
                let lines = stride(from: 0, to: whole.count, by: length).map {
                    String(Array(whole)[$0..<min($0 + length, whole.count)])
                }
                let body = lines.joined(separator: end)
                #expect(scanner.scan("\n\(body)\n".utf8.span).count == 1, "\(length)")
            }
        }
    }

    // MARK: Codings

    @Test("Nested streams, several members, and gzip in base64 in gzip are decoded")
    func nested() throws {
        let scanner = try scanner(secret)
        let text = Array("text before \(secret) and after it".utf8)
        var bytes = text
        for depth in 1...3 {
            bytes = try coded(bytes, .gzip)
            #expect(scanner.scan(bytes.span).map(\.codings.count) == [depth])
        }
        let inner = Array("{\"a\":\"\(base64(try coded(text, .gzip)))\"}".utf8)
        let packed = try coded(inner, .gzip)
        #expect(scanner.scan(packed.span).map(\.codings) == [["gzip", "base64", "gzip"]])
        let members = try coded(Array("no value here".utf8), .gzip) + (try coded(text, .gzip))
        #expect(scanner.scan(members.span).map(\.codings) == [["gzip"]])
    }

    @Test("Data that is nested too deeply is reported")
    func depth() throws {
        let scanner = try scanner(secret)
        for (depth, isFound) in [(8, true), (9, false)] {
            var bytes = Array("text before \(secret) and after it".utf8)
            for _ in 0..<depth { bytes = try coded(bytes, .gzip) }
            #expect(scanner.scan(bytes.span).count == (isFound ? 1 : 0))
            #expect(scanner.takeMetLimit() == !isFound)
            let eraser = try ValueEraser(try values(secret))
            let erased = eraser.erase(bytes.span)
            #expect((erased != nil) == isFound)
            #expect(eraser.takeMetLimit() == !isFound)
        }
    }

    @Test("A body with the coding deflate may be raw, and one in an unknown coding is reported")
    func declared() throws {
        let scanner = try scanner(secret)
        var records = RecordScan(scanner)
        let text = Array(String(repeating: "some text, ", count: 20).utf8) + Array(secret.utf8)
        let raw = base64(Array(try coded(text, .deflate).dropFirst(2).dropLast(4)))
        let json = #"{"response":{"body":{"base64":"\#(raw)","coding":"deflate"}}}"#
        let hits = records.scan(json.utf8.span)
        #expect(hits?.map(\.hit.codings) == [["base64", "deflate"]])
        #expect(!scanner.takeMetLimit())
        for (bytes, isReported) in [([0x1F, 0x9D, 0x90, 0xE8] as [UInt8], true), (text, false)] {
            let body = base64(bytes)
            let other = #"{"response":{"body":{"base64":"\#(body)","coding":"compress"}}}"#
            _ = records.scan(other.utf8.span)
            #expect(scanner.takeMetLimit() == isReported)
            let eraser = try ValueEraser(try values("other-value"))
            _ = eraser.erase(body: bytes.span, codings: [[.unknown]])
            #expect(eraser.takeMetLimit() == isReported)
        }
    }

    @Test("Compressed data in other formats at the start of a body is reported")
    func closedFormats() throws {
        let scanner = try scanner(secret)
        let zeros = [UInt8](repeating: 0, count: 20)
        for head in [Array("BZh91AY&SY".utf8), [0x04, 0x22, 0x4D, 0x18], Array("LZIP\u{1}".utf8)] {
            let bytes = head + zeros
            _ = scanner.scan(bytes.span)
            #expect(scanner.takeMetLimit(), "\(head)")
            let isClean = scanner.areClean((Array("GET\"".utf8) + bytes + [0x22]).span)
            #expect(!isClean, "\(head)")
            _ = scanner.takeMetLimit()
        }
        _ = scanner.scan("BZh is no archive, LZIP neither".utf8.span)
        #expect(!scanner.takeMetLimit())
    }

    // MARK: Files

    @Test("A value in the header of a compressed file is found, and one in it only once")
    func headers() throws {
        let folder = try TemporaryFolder()
        var named = try coded(Array("nothing here".utf8), .gzip)
        named[3] |= 8
        named.insert(contentsOf: Array(secret.utf8) + [0], at: 10)
        #expect(try scan(try folder.write(named, to: "a.gz")).0 == 1)
        let frame: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, UInt8(secret.utf8.count), 0, 0, 0]
        let skipped = frame + Array(secret.utf8) + (try coded(Array("none".utf8), .zstd))
        #expect(try scan(try folder.write(skipped, to: "b.zst")).0 == 1)
        // Few bytes are stored as they are.
        let stored = try coded(Array("a \(secret) b".utf8), .zstd)
        #expect(try scan(try folder.write(stored, to: "c.zst")).0 == 1)
    }

    @Test("A body in brotli is decoded in files, and in blobs of databases")
    func brotli() throws {
        let folder = try TemporaryFolder()
        let text = Array(String(repeating: "some text, ", count: 20).utf8) + Array(secret.utf8)
        let packed = try coded(text, .brotli)
        let file = try folder.write(packed, to: "0a1b2c")
        #expect(try scan(file).0 == 1)
        #expect(try scan(try folder.write(Array(packed.dropLast(3)), to: "cut")).0 == 0)
        let path = folder("a.db")
        let database = try SQLiteConnection(path: path)
        try database.execute("CREATE TABLE bodies (content ANY)")
        try database.cached("INSERT INTO bodies VALUES (?1)").bind(1, blob: packed.span)
        try database.cached("INSERT INTO bodies VALUES (?1)").run()
        try database.close()
        let found = try scan(path)
        #expect(found.0 == 1)
        #expect(found.1 == [])
    }

    @Test("The body files of a database and its journal are searched with it")
    func companions() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.db")
        let database = try SQLiteConnection(path: path)
        try database.execute("CREATE TABLE one (a)")
        try database.close()
        #expect(try scan(path).0 == 0)
        try FileSystem.makeFolder(path + "-bodies")
        try FileSystem.makeFolder(path + "-bodies/0a")
        _ = try folder.write("body with \(secret)", to: "a.db-bodies/0a/0a1b")
        #expect(try scan(path).0 == 1)
        _ = try folder.write([0xD9, 0xD5, 5, 0xF9] + Array(secret.utf8), to: "a.db-journal")
        #expect(try scan(path).0 == 2)
        // In a folder, each file is searched once.
        #expect(try scan(folder.path).0 == 2)
    }
}
