// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import Testing

@testable import RedactStage

@Suite struct RedactorCharsetTests {
    private func coded(_ text: String, _ label: String) throws -> [UInt8] {
        let converter = try #require(Charset(label: label.utf8.span).flatMap(CharsetConverter.init))
        let bytes = converter.encode(text.utf8.span)
        return try #require(bytes)
    }

    private func body(_ bytes: [UInt8], _ type: String, _ yaml: String = "{}") throws -> [UInt8] {
        try UnreadableBodiesTests.body(type, bytes, yaml)
    }

    /// Texts in which a byte of a character is a quote, a bracket or a backslash if read byte by
    /// byte.
    private static let texts = [
        ("gbk", #"{"名誠":"凗乗","password":"秘密s3cret","rest":"誠\\"}"#),
        ("gb18030", #"{"a":"乗😀€","token":"s3cret"}"#),
        ("big5", #"{"許功蓋":"功","password":"s3cret許","b":1}"#),
        ("shift_jis", #"{"表示":"ソ十予","password":"s3cret表","b":["能"]}"#),
        ("euc-jp", #"{"名":"日本","password":"s3cret"}"#),
        ("euc-kr", #"{"이름":"값","password":"s3cret"}"#),
        ("euc-tw", #"{"名":"值","password":"s3cret"}"#),
        ("johab", #"{"이름":"값","password":"s3cret"}"#),
        ("iso-8859-1", #"{"größe":"ä","password":"s3cret"}"#),
        ("windows-1251", #"{"имя":"да","password":"s3cret"}"#),
        ("koi8-u", #"{"имя":"да","password":"s3cret"}"#),
        ("ibm866", #"{"имя":"да","password":"s3cret"}"#),
        ("ibm037", #"{"a":"b","password":"s3cret"}"#),
        ("ibm1047", #"{"a":["b"],"password":"s3cret"}"#),
        ("ibm500", #"{"a":"b","password":"s3cret"}"#),
    ]

    @Test(arguments: texts)
    func onlyTheSecretChanges(label: String, text: String) throws {
        let secret = text.firstMatch(of: /"(?:password|token)":"([^"]*)"/)?.output.1 ?? ""
        let expected = text.replacing(secret, with: "[redacted]")
        let bytes = try coded(text, label)
        let result = try body(bytes, "application/json; charset=\(label)")
        #expect(result == (try coded(expected, label)))
        let mail = "a: \(text.prefix(12))\nx: y\npassword: s3cret\nend: \(text.suffix(6))\n"
        let plain = try body(try coded(mail, label), "text/plain; charset=\(label)")
        #expect(plain == (try coded(mail.replacing("s3cret", with: "[redacted]"), label)))
    }

    @Test func namesInOtherAlphabetsAreFound() throws {
        let text = #"{"Пароль":"s3cret","имя":"x"}"#
        let result = try body(
            try coded(text, "windows-1251"),
            "application/json; charset=windows-1251",
            "json: [Пароль]"
        )
        let expected = text.replacing("s3cret", with: "[redacted]")
        #expect(result == (try coded(expected, "windows-1251")))
    }

    /// Text without findings stays unchanged, including invalid bytes.
    @Test func textWithoutFindingsStays() throws {
        for (label, text) in Self.texts {
            let bytes = try coded(text.replacing(/password|token/, with: "harmless"), label)
            #expect(try body(bytes, "application/json; charset=\(label)") == bytes)
        }
        let damaged = UnreadableBodiesTests.data(
            try coded("名: 値\npassword: ", "shift_jis"),
            [0xFF],
            Array("\nz: 1 ".utf8),
            [UInt8](repeating: 0x20, count: 40)
        )
        let type = "text/plain; charset=shift_jis"
        let result = try body(damaged, type)
        #expect(String(decoding: result, as: UTF8.self).contains("password: [redacted]\nz: 1"))
        #expect(result.starts(with: damaged.prefix(4)))
    }

    /// Recordings store decoded text with the field that names its original charset.
    @Test(arguments: ["gbk", "utf-16", "utf-32", "ibm037", "shift_jis", "iso-2022-jp", "utf-7"])
    func validUTF8IsReadAsUTF8(label: String) throws {
        let text = #"{"名":"密码","password":"s3cret"}"#
        let result = try body(Array(text.utf8), "application/json; charset=\(label)")
        #expect(
            String(decoding: result, as: UTF8.self) == text.replacing("s3cret", with: "[redacted]")
        )
    }

    @Test func statefulTextWithAFindingIsMaskedWhole() throws {
        let words: [UInt8] = [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42]
        let type = "text/plain; charset=iso-2022-jp"
        let harmless = words + Array(" harmless".utf8)
        #expect(try body(harmless, type) == harmless)
        let secret = words + Array("\npassword: s3cret\nx".utf8)
        #expect(try body(secret, type) == Array("[redacted]".utf8))
        let hidden = Array("x: y\npass+AHcAbwByAGQ-: s3cret".utf8)
        #expect(try body(hidden, "text/plain; charset=utf-7") == Array("[redacted]".utf8))
        #expect(try body([0x41, 0xFF], type) == Array("[redacted]".utf8))
    }

    @Test(arguments: ["x-rot13", "hz-gb-2312", "iso-2022-cn-ext", "ibm9999", "iso-8859-12"])
    func textInAnUnknownCharsetIsMaskedWhole(label: String) throws {
        let bytes = Array("cnffjbeq: f3perg".utf8)
        for type in ["text/plain", "application/json", "text/html", "application/octet-stream"] {
            let type = "\(type); charset=\(label)"
            #expect(try body(bytes, type) == Array("[redacted]".utf8))
            if type.contains("json") { continue }
            #expect(try body(bytes, type, "preset: none") == bytes)
        }
        let html = Array("<html><meta charset=\(label)><p>f3perg".utf8)
        #expect(try body(html, "text/html") == Array("[redacted]".utf8))
        #expect(try body(html, "") == Array("[redacted]".utf8))
        #expect(try body(html, "text/html; charset=utf-8") == html)
        #expect(
            try body(bytes, "text/plain; charset=\(label)", "keep_types: [text/plain]") == bytes
        )
        #expect(try body(bytes, "image/png; charset=\(label)") == bytes)
    }

    @Test(arguments: ["none", "", "{{charset}}", "undefined", "UTF-8", "us-ascii"])
    func meaninglessCharsetsDoNotMaskTheBody(label: String) throws {
        let type = "text/plain; charset=\(label)"
        let result = try body(Array("a: b\npassword: s3cret".utf8), type)
        #expect(result == Array("a: b\npassword: [redacted]".utf8))
    }

    @Test(arguments: ["text/html", "", "application/xml"])
    func pagesAndDocumentsDeclareTheirCharset(type: String) throws {
        let page = "<html><meta charset='shift_jis'><password>s3cretソ</password><p>表</html>"
        let masked = page.replacing("s3cretソ", with: "[redacted]")
        #expect(try body(try coded(page, "shift_jis"), type) == (try coded(masked, "shift_jis")))
        let xml = "<?xml version=\"1.0\" encoding=\"ibm1047\"?><a><password>s3cret</password></a>"
        let clean = xml.replacing("s3cret", with: "[redacted]")
        #expect(try body(try coded(xml, "ibm1047"), type) == (try coded(clean, "ibm1047")))
    }

    /// A page cannot be in a charset in which its own declaration would be unreadable.
    @Test(arguments: ["utf-16", "utf-32", "ibm037", "ibm500"])
    func aReadablePageIsInASCII(label: String) throws {
        let page = UnreadableBodiesTests.data(
            Array("<meta charset=\(label)><p>caf".utf8),
            [0xE9],
            Array("</p><password>s3cret</password><!-- -->".utf8)
        )
        let result = try body(page, "text/html")
        #expect(String(decoding: result, as: UTF8.self).contains("<password>[redacted]</password>"))
        let text = UnreadableBodiesTests.data(
            Array("{\"a\":\"caf".utf8),
            [0xE9],
            Array("\",\"password\":\"s3cret\"} ".utf8)
        )
        let json = try body(text, "application/json; charset=\(label)")
        #expect(String(decoding: json, as: UTF8.self).hasSuffix("\"password\":\"[redacted]\"} "))
    }

    @Test func aByteOrderMarkOverridesAName() throws {
        let text = Array("\u{FEFF}{\"password\":\"s3cret\"}".utf8)
        let masked = Array("\u{FEFF}{\"password\":\"[redacted]\"}".utf8)
        #expect(try body(text, "application/json; charset=x-rot13") == masked)
    }

    @Test(arguments: [true, false], ["application/json", "", "application/json; charset=utf-32"])
    func utf32IsRead(hasMark: Bool, type: String) throws {
        func wide(_ text: String) -> [UInt8] {
            let mark = hasMark ? "\u{FEFF}" : ""
            return (mark + text).unicodeScalars.flatMap { scalar in
                (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> UInt32(8 * (3 - $0))) }
            }
        }
        let text = #"{"a":"ü😀","password":"s3cret"}"#
        let result = try body(wide(text), type)
        #expect(result == wide(text.replacing("s3cret", with: "[redacted]")))
    }

    @Test func aCharsetWithoutTheCharactersOfTheMaskIsMaskedWhole() throws {
        let bytes = try coded("имя: да\npassword: s3cret\nx", "koi8-r")
        let result = try body(bytes, "text/plain; charset=koi8-r", "mask: 密")
        #expect(result == Array("密".utf8))
    }

    @Test func detectorsSearchTextInOtherCharsets() throws {
        let text = "see SK-ABCD1234 there"
        let yaml = "{preset: none, detectors: standard}"
        let result = try body(try coded(text, "ibm037"), "text/plain; charset=ibm037", yaml)
        #expect(result == (try coded("see [redacted] there", "ibm037")))
    }
}
