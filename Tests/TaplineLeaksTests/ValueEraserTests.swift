// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineCrypto
import TaplineJSON
import TaplineModel
import Testing

@testable import TaplineLeaks

@Suite("Erasing values")
struct ValueEraserTests {
    private let eraser: ValueEraser

    init() throws { eraser = try ValueEraser(try values(secret)) }

    private func base64(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        Base64.encode(bytes.span, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private func quoted(_ text: String) -> String {
        var writer = JSONWriter(capacity: 256)
        writer.string(text)
        return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
    }

    private func percent(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Erases in bytes that contain the value.
    private func erase(_ bytes: [UInt8], by eraser: ValueEraser) throws -> ErasedBytes {
        let erased = eraser.erase(bytes.span)
        return try #require(erased)
    }

    /// Erases in JSON that contains the value.
    private func erase(json text: String, by eraser: ValueEraser) throws -> ErasedBytes {
        let erased = eraser.erase(json: text.utf8.span)
        return try #require(erased)
    }

    /// Erases in a body that contains the value.
    private func erase(
        body bytes: [UInt8],
        _ codings: [ContentCoding]
    ) throws -> ErasedBytes {
        let erased = eraser.erase(body: bytes.span, codings: [codings])
        return try #require(erased)
    }

    private func erased(_ text: String) -> String? {
        eraser.erase(text.utf8.span).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("replaces only the value in plain and escaped text")
    func text() {
        #expect(erased("a=\(secret)&b=2") == "a=[erased]&b=2")
        #expect(erased("\(secret)\(secret.uppercased())") == "[erased][erased]")
        let coded = erased("q=%20x&a=\(percent(secret))&b=2")
        #expect(coded?.hasPrefix("q=%20x&a=") == true)
        #expect(coded?.hasSuffix("&b=2") == true)
        #expect(erased("nothing here") == nil)
    }

    @Test("replaces a value with letters outside ASCII in other cases, also percent-encoded")
    func letterCases() throws {
        let eraser = try ValueEraser(try values("josé núñez"))
        let name = "José Núñez"
        let plain = try erase(Array("a=\(name)&b=\(name.uppercased())&c=1".utf8), by: eraser)
        #expect(String(decoding: plain.bytes, as: UTF8.self) == "a=[erased]&b=[erased]&c=1")
        let coded = try erase(Array("a=\(percent(name.uppercased()))&d=1".utf8), by: eraser)
        #expect(eraser.scanner.scan(coded.bytes.span).isEmpty)
        #expect(String(decoding: coded.bytes, as: UTF8.self).hasSuffix("&d=1"))
    }

    @Test("leaves no form of the value, at any offset and in nested codings")
    func forms() throws {
        var texts: [[UInt8]] = []
        for offset in 0..<4 {
            let inner = String(repeating: "k", count: offset) + secret + "tail of the text"
            texts.append(Array("x \(base64(Array(inner.utf8))) y".utf8))
            texts.append(Array("x=\(percent(base64(Array(inner.utf8))))".utf8))
        }
        texts.append(Array(secret.utf8.map { String($0, radix: 16) }.joined().utf8))
        texts.append(Array("{\"a\":\"\(percent(secret))\"}".utf8))
        texts.append(secret.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
        for coding in [ContentCoding.gzip, .zstd, .deflate] {
            let body = Array("some text before \(secret) and after it, some more".utf8)
            texts.append(try coded(body, coding))
            texts.append(Array("{\"body\":\"\(base64(try coded(body, coding)))\"}".utf8))
        }
        for text in texts {
            let result = try erase(text, by: eraser)
            #expect(result.count >= 1)
            #expect(eraser.scanner.scan(result.bytes.span).isEmpty)
            #expect(eraser.erase(result.bytes.span) == nil)
        }
    }

    @Test("decodes a compressed body, erases in it and compresses it again")
    func compressed() throws {
        for coding in [ContentCoding.gzip, .zstd, .deflate] {
            let body = Array("first line\ntoken=\(secret)\nlast line".utf8)
            let result = try erase(try coded(body, coding), by: eraser)
            let text = String(decoding: try coding.decode(result.bytes.span), as: UTF8.self)
            #expect(text == "first line\ntoken=[erased]\nlast line")
        }
    }

    @Test("knows the declared coding of a body, which brotli needs")
    func brotli() throws {
        let body = try coded(Array("token=\(secret)".utf8), .brotli)
        let result = try erase(body: body, [.brotli])
        let text = try ContentCoding.brotli.decode(result.bytes.span)
        #expect(String(decoding: text, as: UTF8.self) == "token=[erased]")
        let twice = try coded(try coded(Array(secret.utf8), .gzip), .brotli)
        let inner = try erase(body: twice, [.gzip, .brotli])
        let decoded = try ContentCoding.decode(inner.bytes.span, codings: [.gzip, .brotli])
        #expect(String(decoding: decoded, as: UTF8.self) == "[erased]")
    }

    @Test("keeps nothing of compressed content that has a value and exceeds the limit")
    func limits() throws {
        let limits = UnitScanner.Limits(maxDepth: 8, maxDecodedBytes: 10_000)
        let limited = try ValueEraser(try values(secret), limits)
        let tail = (0..<5000).map { "line \($0)\n" }.joined()
        for coding in [ContentCoding.gzip, .zstd, .deflate] {
            let stream = try coded(Array("token=\(secret)\n\(tail)".utf8), coding)
            let result = try erase(Array("before ".utf8) + stream + [0x21], by: limited)
            #expect(String(decoding: result.bytes, as: UTF8.self) == "before [erased]")
            #expect(!limited.takeMetLimit())
        }
        let body = try coded(Array("token=\(secret)\n\(tail)".utf8), .brotli)
        let erased = limited.erase(body: body.span, codings: [[.brotli]])
        #expect(erased?.bytes == Array("[erased]".utf8))
        #expect(!limited.takeMetLimit())
        // What is beyond the limit cannot be searched.
        let late = try coded(Array("\(tail)\(secret)".utf8), .gzip)
        #expect(limited.erase(late.span) == nil)
        #expect(limited.takeMetLimit())
        #expect(!limited.takeMetLimit())
        let lateBody = try coded(Array("\(tail)\(secret)".utf8), .brotli)
        #expect(limited.erase(body: lateBody.span, codings: [[.brotli]]) == nil)
        #expect(limited.takeMetLimit())
    }

    @Test("counts an archive as a part that was not searched")
    func archives() {
        let body = zipMember(method: 8)
        let other = Array("other-value".utf8)
        guard let value = LeakValue(other, name: "v"), let eraser = try? ValueEraser([value]) else {
            Issue.record("no eraser")
            return
        }
        #expect(eraser.erase(body: body.span, codings: []) == nil)
        #expect(eraser.takeMetLimit())
        let json = #"{"body":{"base64":"\#(base64(body))"}}"#
        #expect(eraser.erase(json: json.utf8.span) == nil)
        #expect(eraser.takeMetLimit())
        #expect(eraser.erase(json: #"{"body":{"text":"none"}}"#.utf8.span) == nil)
        #expect(!eraser.takeMetLimit())
    }

    @Test("keeps JSON valid, and adapts hash and size of a body")
    func json() throws {
        let body = Array("pin=\(secret)".utf8)
        let hash = SHA256.hash(body.span).hex
        let escaped = secret.unicodeScalars.map { "\\u00" + String($0.value, radix: 16) }.joined()
        let line = """
            {"v":1,"tags":{"a":"\(escaped)","b":"\\"kept\\""},"n":7,"request":{"body":\
            {"base64":"\(base64(body))","size":99,"kept":\(body.count),"sha256":"\(hash)"}}}
            """
        let result = try erase(json: line, by: eraser)
        let expected = Array("pin=[erased]".utf8)
        let text = String(decoding: result.bytes, as: UTF8.self)
        #expect(text.contains(#""a":"[erased]","b":"\"kept\""},"n":7"#))
        #expect(text.contains("\"base64\":\"\(base64(expected))\",\"size\":99,\"kept\":12,"))
        #expect(text.contains("\"sha256\":\"\(SHA256.hash(expected.span).hex)\""))
        #expect(!text.contains(hash))
        var parser = JSONParser()
        _ = try parser.parse(result.bytes.span)
    }

    @Test("counts members of JSON objects whose names become equal, also in a body")
    func joinedNames() throws {
        let names = try ValueEraser(try values("aaaa1", "bbbb2"))
        for (json, count) in [
            (#"{"tags":{"aaaa1":1,"bbbb2":2},"x":{"k":1,"k":2}}"#, 1),
            (#"{"tags":{"aaaa1":1},"more":{"bbbb2":2}}"#, 0),
            (#"{"x":{"k":"aaaa1","k":"bbbb2"}}"#, 0),
            (#"{"body":{"text":"{\"aaaa1\":1,\"bbbb2\":2,\"[erased]\":3}"}}"#, 2),
        ] {
            _ = try erase(json: json, by: names)
            #expect(names.takeJoinedNames() == count, "\(json)")
            #expect(names.takeJoinedNames() == 0)
        }
    }

    @Test("replaces numbers, keys, and values that span several strings")
    func tokens() throws {
        let numbers = try ValueEraser(try values("4111111111111111"))
        let card = #"{"card":4111111111111111,"4111111111111111":1}"#
        let result = try erase(json: card, by: numbers)
        #expect(String(decoding: result.bytes, as: UTF8.self) == #"{"card":0,"[erased]":1}"#)
        let literals = try ValueEraser(try values("true", "null"))
        let flags = try erase(json: #"{"a":true,"b":"trueish","c":[null,false]}"#, by: literals)
        let expected = #"{"a":0,"b":"[erased]ish","c":[0,false]}"#
        #expect(String(decoding: flags.bytes, as: UTF8.self) == expected)
        let across = try ValueEraser(try values(#"one","two"#))
        let list = #"{"list":["zone","twofold","three"]}"#
        let spanned = try erase(json: list, by: across)
        #expect(
            String(decoding: spanned.bytes, as: UTF8.self)
                == #"{"list":["[erased]","[erased]","three"]}"#
        )
    }

    @Test("keeps JSON in bodies valid, also arrays and after blanks")
    func jsonBodies() throws {
        let numbers = try ValueEraser(try values("12345678"))
        for (before, after) in [
            (#"[{"pin":12345678}]"#, #"[{"pin":0}]"#),
            ("\r\n {\"pin\":12345678}\n", "\r\n {\"pin\":0}\n"),
            ("\u{FEFF}{\"pin\":12345678}", "\u{FEFF}{\"pin\":0}"),
            ("[12345678 is no JSON", "[[erased] is no JSON"),
        ] {
            let result = numbers.erase(body: before.utf8.span, codings: [])
            #expect(result?.bytes == Array(after.utf8), "\(before)")
            let line = #"{"body":{"text":\#(quoted(before)),"kept":1}}"#
            let erased = try erase(json: line, by: numbers)
            let kept = after.utf8.count
            let expected = #"{"body":{"text":\#(quoted(after)),"kept":\#(kept)}}"#
            #expect(String(decoding: erased.bytes, as: UTF8.self) == expected)
        }
        let coded = #"{"base64":"\#(base64(Array("[12345678]".utf8)))"}"#
        let erased = try erase(json: coded, by: numbers)
        let expected = #"{"base64":"\#(base64(Array("[0]".utf8)))"}"#
        #expect(String(decoding: erased.bytes, as: UTF8.self) == expected)
    }

    @Test("uses another mask if the value occurs in the first one")
    func mask() throws {
        let word = try ValueEraser(try values("erased"))
        let result = try erase(Array("an erased word".utf8), by: word)
        #expect(String(decoding: result.bytes, as: UTF8.self) == "an ******** word")
        let both = try ValueEraser(try values("erased", "****", "----"))
        let empty = try erase(Array("an erased **** word".utf8), by: both)
        #expect(String(decoding: empty.bytes, as: UTF8.self) == "an   word")
    }
}
