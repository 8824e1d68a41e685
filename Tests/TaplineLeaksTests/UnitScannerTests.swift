// SPDX-License-Identifier: MIT

import TaplineCodings
import TestSupport
import Testing

@testable import TaplineLeaks

@Suite("Scanning a unit")
struct UnitScannerTests {
    private func find(_ bytes: [UInt8], _ scanner: UnitScanner) -> [Hit] {
        scanner.scan(bytes.span)
    }

    private static let value = "s3cr3t/Pa55word+x=1\"\\ü"

    private static func percent(_ text: String, isUpper: Bool = true, all: Bool = true) -> String {
        text.utf8.map { byte in
            let isPlain = byte.isASCIIAlphanumeric
            if isPlain, !all { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: isUpper)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }

    private static func escaped(_ text: String) -> String {
        text.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    private static func jsonString(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func utf16(_ text: String, isBig: Bool = false) -> [UInt8] {
        text.utf16.flatMap { unit in
            let pair = [UInt8(unit >> 8), UInt8(unit & 255)]
            return isBig ? pair : pair.reversed()
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func encodings() throws -> [(name: String, bytes: [UInt8])] {
        let plain = Array(value.utf8)
        let json = "{\"user\":\"me\",\"password\":\(jsonString(value))}"
        var all: [(String, [UInt8])] = [
            ("plain", plain),
            ("percent", Array("/path?q=\(percent(value))&x=1".utf8)),
            ("percent, small", Array("/path?q=\(percent(value, isUpper: false))".utf8)),
            ("percent, partly", Array("/path?q=\(percent(value, all: false))#".utf8)),
            ("percent, twice", Array("u=\(percent(percent(value, all: false)))".utf8)),
            ("json", Array(json.utf8)),
            ("json, escaped", Array("{\"a\":\"\(escaped(value))\"}".utf8)),
            ("json in json", Array("{\"a\":\(jsonString(json))}".utf8)),
            (
                "json in json in json",
                Array("{\"a\":\(jsonString("{\"b\":\(jsonString(json))}"))}".utf8)
            ),
            ("hex", Array("id: \(hex(plain))".utf8)),
            ("hex, capitals", Array("id: \(hex(plain).uppercased())".utf8)),
            ("utf-16", utf16("say \(value) again")),
            ("utf-16, big-endian", utf16("say \(value) again", isBig: true)),
            ("references", Array("<a b=\"s3cr3t/Pa55word+x=1&quot;\\&#xfc;\">".utf8)),
            ("percent of base64", Array("t=\(percent(base64(Array(json.utf8)), all: false))".utf8)),
            ("base64 of percent", Array(base64(Array("q=\(percent(value))&r=2".utf8)).utf8)),
            ("base64 of base64", Array(base64(Array(base64(Array(json.utf8)).utf8)).utf8)),
            ("base64 of utf-16", Array(base64(utf16("say \(value) again")).utf8)),
        ]
        for offset in 0..<3 {
            let shifted = Array("abc".utf8.prefix(offset)) + plain + Array(": and more".utf8)
            all.append(("base64 \(offset)", Array("Basic \(base64(shifted))".utf8)))
            all.append(
                ("base64url \(offset)", Array("x-\(base64(shifted, isURLSafe: true))-y".utf8))
            )
        }
        let jwt = ["{\"alg\":\"none\"}", "{\"sub\":\(jsonString(value))}", "sig"].map {
            base64(Array($0.utf8), isURLSafe: true).replacing("=", with: "")
        }
        all.append(("jwt", Array("Bearer \(jwt.joined(separator: "."))".utf8)))
        for coding in [ContentCoding.gzip, .deflate, .zstd] {
            let packed = try coded(Array(json.utf8), coding)
            all.append(("\(coding.name)", packed))
            all.append(("\(coding.name) in the midst", [1, 2, 0, 255] + packed + [9, 0, 8]))
            all.append(("\(coding.name) in base64", Array("b: \(base64(packed))".utf8)))
            all.append(("\(coding.name) in \(coding.name)", try coded(packed, coding)))
            all.append(("\(coding.name), cut", Array(packed.dropLast(5))))
        }
        let boundary = "--b\r\nContent-Disposition: form-data; name=f\r\n\r\n"
        all.append(("multipart", Array((boundary + value + "\r\n--b--").utf8)))
        all.append(
            (
                "multipart with gzip",
                Array(boundary.utf8) + (try coded(Array(json.utf8), .gzip))
                    + Array("\r\n--b--".utf8)
            )
        )
        return all
    }

    @Test("A value is found once in each of its encodings")
    func encodings() throws {
        let scanner = try scanner(Self.value)
        for (name, bytes) in try Self.encodings() {
            #expect(find(bytes, scanner).count == 1, "\(name)")
        }
    }

    @Test("Texts are not clean together if one of them has a value in any of its encodings")
    func texts() throws {
        let scanner = try scanner(Self.value)
        let quote = [UInt8(ascii: "\"")]
        let before = ["", "GET", "a\\", "application/json", "text%", "&", "QUJDREVGR0hJSktM"]
        for (name, bytes) in try Self.encodings() {
            for text in before {
                let texts = Array(text.utf8) + quote + bytes + quote + Array("{}".utf8) + quote
                let isClean = scanner.areClean(texts.span)
                #expect(!isClean, "\(name) after '\(text)'")
            }
        }
        let other = Array("GET\"/items?a=%20\"{\"a\":\"b\"}\"QUJDREVGR0hJSktM\"".utf8)
        let isClean = scanner.areClean(other.span)
        #expect(isClean)
        let detecting = try UnitScanner(ValueIndex([]), Hashes())
        let isKnown = detecting.areClean(other.span)
        #expect(!isKnown)
    }

    @Test("Another value is found in none of them")
    func others() throws {
        let scanner = try scanner(Self.value + "?", "x" + Self.value)
        for (name, bytes) in try Self.encodings() where name != "plain" {
            #expect(find(bytes, scanner).isEmpty, "\(name)")
        }
    }

    @Test("Detectors find secrets in decoded data")
    func detectors() throws {
        let scanner = try scanner(detectors: Hashes())
        let text = Array("{\"some text\":\"and #SECRET# within\"}".utf8)
        // zstd stores so few bytes uncompressed.
        for coding in [ContentCoding.gzip, .deflate] {
            let hits = find(try coded(text, coding), scanner)
            #expect(hits.map(\.codings) == [[coding.name]])
        }
        #expect(find(Array(base64(text).utf8), scanner).map(\.codings) == [["base64"]])
        #expect(find(Array("a%23%53ECRET%23b".utf8), scanner).map(\.codings) == [["escapes"]])
    }

    @Test("A plus matches a space")
    func plus() throws {
        let scanner = try scanner("my pass & word")
        #expect(find(Array("p=my+pass+%26+word&x".utf8), scanner).count == 1)
        #expect(find(Array("p=my%20pass%20%26%20word&x".utf8), scanner).count == 1)
    }

    @Test("Exceeding the decoding limit is reported")
    func limits() throws {
        let list = try values(secret)
        var limits = UnitScanner.Limits()
        limits.maxDecodedBytes = 1000
        let scanner = try UnitScanner(ValueIndex(list), nil, limits)
        _ = find(try coded([UInt8](repeating: 0x20, count: 900), .gzip), scanner)
        #expect(!scanner.takeMetLimit())
        _ = find(try coded([UInt8](repeating: 0x20, count: 2000), .gzip), scanner)
        #expect(scanner.takeMetLimit())
        #expect(!scanner.takeMetLimit())
    }

    @Test("Compressed members of archives are reported, stored ones are searched")
    func archives() throws {
        let scanner = try scanner(secret)
        let noHeader: [UInt8] = [0x50, 0x4B, 3, 4] + [UInt8](repeating: 0xFF, count: 40)
        let parts: [(name: String, bytes: [UInt8], isReported: Bool)] = [
            ("deflated", zipMember(method: 8), true), ("stored", zipMember(method: 0), false),
            ("encrypted", zipMember(method: 0, flags: 1), true),
            ("cut", Array(zipMember(method: 8).prefix(29)), false), ("no header", noHeader, false),
            ("7z", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4], true),
            ("rar", [0x52, 0x61, 0x72, 0x21, 0x1A, 7, 1, 0, 0x33], true),
        ]
        for part in parts {
            _ = find(part.bytes, scanner)
            #expect(scanner.takeMetLimit() == part.isReported, "\(part.name)")
            // Also if a row is scanned as a whole.
            let texts = Array("GET\"".utf8) + part.bytes + [UInt8(ascii: "\"")]
            let isClean = scanner.areClean(texts.span)
            #expect(!isClean || !part.isReported, "\(part.name)")
            _ = scanner.takeMetLimit()
        }
        let form = Array("--b\r\nContent-Type: application/zip\r\n\r\n".utf8)
        let padded = zipMember(method: 8) + [UInt8](repeating: 7, count: 100)
        for bytes in [form + zipMember(method: 8) + form, try coded(padded, .gzip)] {
            _ = find(bytes, scanner)
            #expect(scanner.takeMetLimit())
        }
        #expect(find(zipMember(method: 0), scanner).count == 1)
    }

    @Test("Any bytes can be scanned")
    func randomBytes() throws {
        let scanner = try scanner(secret, detectors: Hashes())
        var random = Random(seed: 156)
        for _ in 0..<300 {
            let count = Int.random(in: 0..<400, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if count > 20 { bytes.replaceSubrange(3..<6, with: [0x1F, 0x8B, 8]) }
            #expect(find(bytes, scanner).allSatisfy { $0.range.upperBound <= count })
        }
    }
}

extension UInt8 {
    fileprivate var isASCIIAlphanumeric: Bool {
        0x30...0x39 ~= self || 0x41...0x5A ~= self || 0x61...0x7A ~= self
    }
}
