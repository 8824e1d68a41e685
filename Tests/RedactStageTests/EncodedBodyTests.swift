// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import Testing

@testable import RedactStage

/// Bodies that are in another encoding, as a whole or in parts.
@Suite struct EncodedBodyTests {
    private func result(_ type: String, _ bytes: [UInt8], _ yaml: String = "{}") throws -> [UInt8] {
        var full = exchange(type: type)
        full.request.body = Body(bytes)
        return try redact(full, yaml).request.body.bytes
    }

    private func utf16(_ text: String, mark: Bool, big: Bool) -> [UInt8] {
        ((mark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return big ? pair : pair.reversed()
        }
    }

    @Test(arguments: [true, false], [true, false])
    func utf16StaysUTF16(mark: Bool, big: Bool) throws {
        let text = utf16(#"{"token":"s3cret","name":"é😀"}"#, mark: mark, big: big)
        let expected = utf16(#"{"token":"[redacted]","name":"é😀"}"#, mark: mark, big: big)
        #expect(try result("application/json", text) == expected)
        #expect(try result("", text) == expected)
        let plain = utf16(#"{"name":"é😀"}"#, mark: mark, big: big)
        #expect(try result("application/json", plain) == plain)
    }

    @Test func messagesMayBeCompressedOrUTF16() throws {
        let text = #"{"token":"s3cret"}"#
        let expected = Array(#"{"token":"[redacted]"}"#.utf8)
        let plain = Array(text.utf8)
        let coded = try ContentCoding.gzip.encode(plain.span)
        let changed = try redactedMessage(coded)
        let decoded = try ContentCoding.gzip.decode(changed.span)
        #expect(decoded == expected)
        let wide = utf16(text, mark: false, big: false)
        #expect(try redactedMessage(wide).filter { $0 != 0 } == expected)
    }

    private func redactedMessage(_ bytes: [UInt8]) throws -> [UInt8] {
        var full = exchange()
        full.messages = [StreamMessage(direction: .up, bytes: bytes)]
        return try #require(try redact(full).messages.first).bytes
    }

    @Test(arguments: ["application/grpc", "application/octet-stream", "", "application/x-tar"])
    func detectorsSearchBinaryFormats(type: String) throws {
        let yaml = "{preset: standard, detectors: standard, keep_types: ['*']}"
        let bytes = [0, 1, 2] + Array("SK-ABCD1234".utf8) + [0]
        let expected = [0, 1, 2] + Array("[redacted]".utf8) + [0]
        #expect(try result(type, bytes, yaml) == expected)
        let coded = try ContentCoding.gzip.encode(bytes.span)
        let changed = try result(type, coded, yaml)
        let decoded = try ContentCoding.gzip.decode(changed.span)
        #expect(decoded == expected)
        #expect(try result("image/png", bytes, yaml) == bytes)
    }

    @Test(arguments: ["text/plain", "application/octet-stream", "", "application/x-unknown"])
    func namesAreFoundInTextOfAnyType(type: String) throws {
        #expect(
            String(
                decoding: try result(type, Array("a: b\npassword: s3cret\nc: d".utf8)),
                as: UTF8.self
            )
                == "a: b\npassword: [redacted]\nc: d"
        )
        #expect(
            String(
                decoding: try result(type, Array("<a><password>s3cret</password></a>".utf8)),
                as: UTF8.self
            )
                == "<a><password>[redacted]</password></a>"
        )
    }

    @Test func utf16WithoutLatinLettersIsRecognizedByCharset() throws {
        let text = utf16("日本語日本語 token=秘密秘密", mark: false, big: false)
        let expected = utf16("日本語日本語 token=[redacted]", mark: false, big: false)
        #expect(try result("text/plain; charset=UTF-16LE", text) == expected)
    }

    @Test(arguments: ["application/json", "text/plain", "text/plain; charset=utf-16", ""])
    func aWrongByteOrderMarkHidesNoNames(type: String) throws {
        for mark: [UInt8] in [[0xFE, 0xFF], [0xFF, 0xFE]] {
            for text in [#"{"password":"s3cret","a":[""#, #"[{"user":1,"password":"s3cret"}]"#] {
                let text = String(decoding: try result(type, mark + text.utf8), as: UTF8.self)
                #expect(text.contains("[redacted]") && !text.contains("s3cret"))
            }
        }
    }

    @Test func undeclaredCompressionIsPreserved() throws {
        let text = Array(#"{"token":"s3cret"}"#.utf8)
        let coded = try ContentCoding.gzip.encode(text.span)
        let changed = try result("application/json", coded)
        let decoded = try ContentCoding.gzip.decode(changed.span)
        #expect(String(decoding: decoded, as: UTF8.self) == #"{"token":"[redacted]"}"#)
    }

    @Test func detectorsSearchFormsAndParts() throws {
        let yaml = "{preset: none, detectors: standard}"
        let form = "application/x-www-form-urlencoded"
        #expect(
            try redactBody("card=4111+1111+1111+1111&a=1", form, yaml)
                == "card=%5Bredacted%5D&a=1"
        )
        let head = "--b\r\nContent-Disposition: form-data; name=a; filename=x\r\n\r\n"
        #expect(
            try redactBody(
                "\(head)see SK-ABCD1234\r\n--b--",
                "multipart/form-data; boundary=b",
                yaml
            )
                == "\(head)see [redacted]\r\n--b--"
        )
        let named = "--b\r\nContent-Disposition: form-data; name*=UTF-8''pass%77ord\r\n\r\n"
        #expect(
            try redactBody("\(named)s3cret\r\n--b--", "multipart/form-data; boundary=b")
                == "\(named)[redacted]\r\n--b--"
        )
    }

    @Test func binaryDataStays() throws {
        let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0, 1, 2] + Array("SK-ABCD1234".utf8)
        #expect(try result("image/png", image, "detectors: standard") == image)
        let text = Array("no image: SK-ABCD1234".utf8)
        let expected = Array("no image: [redacted]".utf8)
        #expect(try result("image/png", text, "detectors: standard") == expected)
    }

    @Test func aTokenKeepsNothingOfItsPayload() throws {
        let token = "eyJhbGciOiJub25lIn0.eyJwYXNzd29yZCI6InMzY3JldCJ9.c2lnbmF0dXJl"
        #expect(try redactBody("see \(token) there", "text/plain") == "see [redacted] there")
        #expect(try redactBody(#"{"a":"\#(token)"}"#) == #"{"a":"[redacted]"}"#)
    }
}
