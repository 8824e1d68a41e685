// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import Testing

@testable import RedactStage

@Suite struct UnreadableBodiesTests {
    /// `{"user": "bob", "password": "s3cret"}` in MessagePack, CBOR, protobuf and gRPC, and other
    /// data.
    static let bodies: [(type: String, bytes: [UInt8])] = [
        (
            "application/msgpack",
            data(
                [0x82, 0xA4],
                word("user"),
                [0xA3],
                word("bob"),
                [0xA8],
                word("password"),
                [0xA6],
                word("s3cret")
            )
        ),
        ("application/cbor", data([0xA1, 0x68], word("password"), [0x66], word("s3cret"))),
        (
            "application/x-protobuf",
            data([0x0A, 0x0A], word("passwords3"), [0x22, 0x06], word("s3cret"))
        ),
        ("application/protobuf; proto=x", word("s3cret")),
        ("application/grpc", data([0, 0, 0, 0, 8, 0x0A, 6], word("s3cret"))),
        ("application/vnd.example+msgpack", data([0xA6], word("s3cret"))),
        ("application/avro", word("$s3cret")), ("application/pdf", word("%PDF-1.4\n(s3cret)")),
        ("application/zip", word("PK\u{3}\u{4}s3cret")),
        ("application/wasm", data([0], word("asm s3cret"))),
        ("application/x-tar", data(word("s3cret"), [0, 0])),
        ("application/octet-stream", data([1, 2], word("s3cret"))),
        ("text/plain", data(word("s3cret"), [0, 1])), ("text/html", data([0], word("<p>s3cret"))),
        ("application/x-www-form-urlencoded", data([0, 1], word("a=s3cret"))),
        ("text/javascript", data([0, 1], word("a=s3cret"))),
        ("text/event-stream", data([1], word("s3cret"))),
    ]

    static func data(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

    static func word(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func body(_ type: String, _ bytes: [UInt8], _ yaml: String = "{}") throws -> [UInt8] {
        var full = exchange(type: type)
        full.request.body = Body(bytes)
        return try redact(full, yaml).request.body.bytes
    }

    @Test(arguments: bodies)
    func bodiesWithoutNamesAreMaskedWhole(type: String, bytes: [UInt8]) throws {
        #expect(try Self.body(type, bytes) == Self.word("[redacted]"))
        #expect(try Self.body(type, bytes, "preset: none") == bytes)
        #expect(try Self.body(type, bytes, "keep_types: ['*']") == bytes)
        let kind = String(type.prefix { $0 != ";" })
        #expect(try Self.body(type.uppercased(), bytes, "keep_types: [\(kind)]") == bytes)
        let other = "{keep_types: [image/*, application/x-other], detectors: standard}"
        #expect(try Self.body(type, bytes, other) == Self.word("[redacted]"))
    }

    @Test(arguments: bodies.filter { !$0.bytes.allSatisfy { $0 < 0x80 && $0 >= 0x20 } })
    func bodiesWithoutATypeAreClassifiedByTheirBytes(type: String, bytes: [UInt8]) throws {
        guard !type.hasPrefix("application/pdf"), !type.contains("protobuf") else { return }
        #expect(try Self.body("", bytes) == Self.word("[redacted]"))
        #expect(try Self.body("application/octet-stream", bytes) == Self.word("[redacted]"))
        #expect(try Self.body("", bytes, "keep_types: ['*']") == bytes)
        #expect(try Self.body("", bytes, "keep_types: ['*/*']") == Self.word("[redacted]"))
        let part = Self.word("--b\r\nContent-Disposition: form-data; name=f\r\n\r\n")
        let whole = Self.data(part, bytes, Self.word("\r\n--b--"))
        let masked = part + Self.word("[redacted]\r\n--b--")
        #expect(try Self.body("multipart/form-data; boundary=b", whole) == masked)
    }

    @Test(
        arguments: [
            ("image/png", [0x89, 0x50, 0x4E, 0x47, 0, 1]), ("audio/mpeg", [0xFF, 0xFB, 0]),
            ("video/mp4", [0, 0, 0, 1]), ("font/woff2", [0, 1]), ("application/font-woff", [0, 1]),
            ("application/vnd.ms-fontobject", [0, 1]), ("text/css", [0, 1]),
            ("", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]),
            ("binary/octet-stream", [0xFF, 0xD8, 0xFF, 0xE0, 0]),
            ("application/octet-stream", data([0, 0, 0, 0x20], word("ftypisom"))),
        ] as [(String, [UInt8])]
    )
    func imagesAudioVideoAndFontsStay(type: String, bytes: [UInt8]) throws {
        #expect(try Self.body(type, bytes) == bytes)
    }

    @Test(arguments: ["", "application/octet-stream", "application/x-unknown", "text/plain"])
    func textStays(type: String) throws {
        for text in [
            "plain", "größe 密码 😀\r\n\t", "\u{1B}[31mred\u{1B}[0m", "\u{FEFF}x", "\u{1E}1\n",
            "\u{C}",
        ] {
            #expect(try Self.body(type, Self.word(text)) == Self.word(text))
            // Cut within a character.
            let cut = Array(Self.word(text + "密").dropLast())
            #expect(try Self.body(type, cut) == cut)
        }
        let latin =
            Self.data(
                Self.word("a line of text, Gr"),
                [0xF6, 0xDF],
                Self.word("e\npassword: s3cret")
            )
        let masked = Self.data(
            Self.word("a line of text, Gr"),
            [0xF6, 0xDF],
            Self.word("e\npassword: [redacted]")
        )
        #expect(try Self.body(type, latin) == masked)
    }

    @Test func jsonWithABinaryTypeIsRead() throws {
        let text = Self.word(#"{"error":"no","password":"s3cret"}"#)
        let masked = Self.word(#"{"error":"no","password":"[redacted]"}"#)
        #expect(try Self.body("application/x-protobuf", text) == masked)
    }

    @Test func encodedBodiesAreMaskedWithinTheirCoding() throws {
        let bytes = Self.bodies[0].bytes
        var full = exchange(type: "application/msgpack")
        let coded = try ContentCoding.gzip.encode(bytes.span)
        full.request.body = Body(bytes: coded, size: coded.count, coding: "gzip")
        let body = try redact(full).request.body
        let decoded = try ContentCoding.gzip.decode(body.bytes.span)
        #expect(decoded == Self.word("[redacted]"))
    }

    @Test func binaryMessagesAreMaskedWhole() throws {
        var full = exchange()
        let bytes = Self.bodies[0].bytes
        full.messages = [
            StreamMessage(direction: .up, type: "binary", bytes: bytes),
            StreamMessage(direction: .up, type: "binary", bytes: Self.word("password: s3cret")),
            StreamMessage(direction: .up, type: "ping", bytes: [0, 1]),
            StreamMessage(direction: .up, type: "text", bytes: [0, 1]),
        ]
        let messages = try redact(full).messages.map(\.bytes)
        #expect(messages[0] == Self.word("[redacted]"))
        #expect(messages[1] == Self.word("password: [redacted]"))
        #expect(messages[2] == [0, 1] && messages[3] == [0, 1])
        #expect(try redact(full, "keep_types: ['*']").messages[0].bytes == bytes)
        #expect(try redact(full, "preset: none").messages[0].bytes == bytes)
    }

    /// A body that cannot be searched by name is searched by detectors if its type is kept.
    @Test func detectorsSearchKeptBodies() throws {
        let bytes = Self.data([0, 1], Self.word("SK-ABCD1234"), [0])
        let yaml = "{detectors: standard, keep_types: ['*']}"
        let expected = Self.data([0, 1], Self.word("[redacted]"), [0])
        #expect(try Self.body("", bytes, yaml) == expected)
    }
}
