// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplinePlugin
import Testing

@testable import RedactStage

@Suite struct RedactorTests {
    @Test func namedFieldsAreMaskedInAllSections() throws {
        var full = exchange(fields: [
            "Authorization": "Bearer s3cret", "Accept": "*/*", "x_api_key": "s3cret",
        ])
        full.request.trailers = ["X-Auth-Token": "s3cret"]
        full.response = Response(
            fields: ["Set-Cookie": "a=s3cret", "X-CSRF-Token": "s3cret"],
            trailers: ["X-Secret": "s3cret"],
            interim: [
                InterimResponse(
                    status: 103,
                    reason: "token=s3cret",
                    fields: ["Cookie": "b=s3cret"]
                )
            ]
        )
        let result = try redact(full)
        #expect(
            result.request.fields == [
                "Authorization": "[redacted]", "Accept": "*/*", "x_api_key": "[redacted]",
            ]
        )
        #expect(!"\(result)".contains("s3cret"))
        #expect(result.response?.fields.first("set-cookie") == "a=[redacted]")
        #expect(result.response?.interim.first?.fields.first("cookie") == "b=[redacted]")
    }

    @Test func contentThatNoRuleNamesStays() throws {
        var plain = exchange(
            target: "/a?q=1",
            fields: ["Host": "h", "X-Odd": "\u{1}a:b=c"],
            type: "application/json",
            body: #"{"a":[1,"x"]}"#
        )
        plain.response = Response(
            fields: ["ETag": "\"x#y\"", "Content-Type": "image/png"],
            body: Body([0, 1, 2])
        )
        plain.tags = ["team": "checkout"]
        plain.error = ExchangeError(code: "reset", message: "connection reset by peer: host=h")
        plain.messages = [StreamMessage(direction: .up, bytes: [0xFF, 0x00])]
        #expect(try redact(plain) == plain)
    }

    @Test func theActionOfARuleTakesPrecedence() throws {
        let yaml = """
            headers: [{name: x-user, action: hash}, {name: accept*, action: remove}, x-mine]
            json: [{name: email, action: hash}, {name: $.a.b, action: remove}]
            key_env: TAPLINE_REDACT_KEY
            """
        let fields: FieldSection = [
            "X-User": "u", "Accept": "*/*", "Accept-Language": "en", "X-Mine": "m",
        ]
        let result = try redact(
            exchange(fields: fields, type: "application/json", body: #"{"email":"u","a":{"b":1}}"#),
            yaml
        )
        let hash = try #require(result.request.fields.first("x-user")?.text)
        #expect(hash.hasPrefix("h-"))
        #expect(result.request.fields.count == 3)
        #expect(result.request.fields.first("x-mine") == "[redacted]")
        let body = String(decoding: result.request.body.bytes, as: UTF8.self)
        #expect(body == "{\"email\":\"\(hash)\",\"a\":{}}")
    }

    @Test(arguments: [
        ("Authorization: Bearer s3cret\nHost: h", "Host: h"),
        ("failed: https://u:s3cret@h/x", "failed: https://"),
        (#"Get "https://h/?token=s3cret": reset"#, "reset"),
        ("password=s3cret&user=u", "user=u"), ("password = 's3cret word' and", "and"),
        (#"body {"password":"s3cret"} refused"#, "refused"),
        (#"{"a":1,"token":["s3cret"]}"#, #"{"a":1"#), ("Cookie: a=s3cret; b=s3cret", "Cookie: "),
        ("tok%65n=s3cret x", " x"), ("user[password]=s3cret x", " x"),
        (#"42["login",{"password":"s3cret"}]"#, #"42["login""#),
    ])
    func textIsRedactedInErrorsTagsAndMessages(text: String, kept: String) throws {
        var full = exchange()
        full.error = ExchangeError(code: "x", message: text)
        full.tags = ["note": text, "access_token": "s3cret"]
        full.messages = [StreamMessage(direction: .up, bytes: Array(text.utf8))]
        let result = try redact(full)
        let message = String(decoding: result.messages[0].bytes, as: UTF8.self)
        for found in [result.error?.message, result.tags["note"], message] {
            #expect(found?.contains("s3cret") == false, "\(found ?? "")")
            #expect(found?.contains(kept) == true, "\(found ?? "")")
        }
        #expect(result.tags["access_token"] == "[redacted]")
        let removed = try redact(full, "action: remove")
        #expect(removed.tags["access_token"] == nil)
        #expect(removed.error?.message.contains("s3cret") == false)
    }

    @Test func varsAreRedacted() throws {
        let factory = try #require(build("{}").factory)
        let stage = try #require(
            try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
        )
        var full = exchange()
        var context = ExchangeContext()
        context.vars = ["token": "s3cret", "note": "https://u:s3cret@h"]
        _ = try stage.record(&full, &context)
        #expect(context.vars["token"] == "[redacted]")
        #expect(context.vars["note"]?.contains("s3cret") == false)
    }
}

@Suite struct RedactorBodyTests {
    private func result(
        _ coding: String,
        _ bytes: [UInt8],
        type: String = "application/json"
    ) throws -> Body {
        var full = exchange(type: type)
        full.request.body = Body(bytes: bytes, size: bytes.count, coding: ByteString(coding))
        return try redact(full).request.body
    }

    @Test(arguments: [ContentCoding.gzip, .deflate, .brotli, .zstd])
    func bodiesAreEncodedAgain(coding: ContentCoding) throws {
        let text = Array(#"{"token":"s3cret","a":1}"#.utf8)
        let coded = try coding.encode(text.span)
        let body = try result(coding.name, coded)
        let decoded = try coding.decode(body.bytes.span)
        #expect(String(decoding: decoded, as: UTF8.self) == #"{"token":"[redacted]","a":1}"#)
        #expect(body.coding.text == coding.name)
        #expect(body.size == coded.count)
        #expect(body.decodedSize == text.count)
        let plain = try coding.encode(Array(#"{"a":1}"#.utf8).span)
        let same = try result(coding.name, plain)
        #expect(same.bytes == plain)
        #expect(same.coding.text == coding.name)
    }

    @Test func severalCodingsAreDecodedAndEncodedInOrder() throws {
        let text = Array(#"{"token":"s3cret"}"#.utf8)
        let inner = try ContentCoding.gzip.encode(text.span)
        let body = try result("gzip, br", try ContentCoding.brotli.encode(inner.span))
        let codings: [ContentCoding] = [.gzip, .brotli]
        let decoded = try ContentCoding.decode(body.bytes.span, codings: codings)
        #expect(String(decoding: decoded, as: UTF8.self) == #"{"token":"[redacted]"}"#)
        #expect(body.coding.text == "gzip, br")
    }

    @Test func undecodableBodiesAreMaskedWhole() throws {
        let coded = try ContentCoding.gzip.encode(Array(#"{"a":1}"#.utf8).span)
        for (coding, bytes) in [
            ("gzip", Array(coded.dropLast(3))), ("gzip", [1, 2, 3]), ("x-own", [1, 2, 3]),
        ] {
            let body = try result(coding, bytes)
            #expect(body.bytes == Array("[redacted]".utf8))
            #expect(body.coding.isEmpty)
        }
        let image = try result("gzip", [1, 2, 3], type: "image/png")
        #expect(image.bytes == [1, 2, 3])
        #expect(image.coding == "gzip")
    }

    @Test func decodingIsLimited() throws {
        let coded = try ContentCoding.gzip.encode(
            Array(repeating: UInt8(0x20), count: 100_000).span
        )
        var full = exchange(type: "application/json")
        full.request.body = Body(bytes: coded, size: coded.count, coding: "gzip")
        let result = try redact(full, "max_decoded_bytes: 99999B")
        #expect(result.request.body.bytes == Array("[redacted]".utf8))
        #expect(try redact(full, "max_decoded_bytes: 100000B").request.body.bytes == coded)
    }

    @Test(arguments: [
        ("", #"{"token":"s"}"#, #"{"token":"[redacted]"}"#),
        ("", "token=s x", "token=[redacted] x"),
        ("text/plain", #"[{"token":"s"}]"#, #"[{"token":"[redacted]"}]"#),
        ("text/plain", "[info] started", "[info] started"),
        ("image/png", #"{"token":"s"}"#, #"{"token":"[redacted]"}"#),
        ("image/png", "\u{1}PNG token=s", "\u{1}PNG token=s"),
        ("application/problem+json;charset=utf-8", #"{"token":"s"}"#, #"{"token":"[redacted]"}"#),
        ("application/x-ndjson", "{\"pin\":1}\n", "{\"pin\":\"[redacted]\"}\n"),
        (
            "application/x-www-form-urlencoded", "user=u&password=a%26b&c",
            "user=u&password=%5Bredacted%5D&c"
        ),
        ("application/x-www-form-urlencoded", "p%61ssword=x", "p%61ssword=%5Bredacted%5D"),
        (
            "text/event-stream", "event: x\ndata: {\"pin\":1}\n\ndata:{\"a\":1}\n",
            "event: x\ndata: {\"pin\":\"[redacted]\"}\n\ndata:{\"a\":1}\n"
        ),
    ])
    func theTypeDeterminesHowABodyIsRead(type: String, body: String, expected: String) throws {
        #expect(try redactBody(body, type) == expected)
    }

    /// The type that only a recording stores: a form is read as a form.
    @Test func theRecordedTypeIsUsed() throws {
        var full = exchange(body: "pass=s3cret&code=s3cret&a=1")
        full.request.body.contentType = "application/x-www-form-urlencoded; token=s3cret"
        full.response = Response(body: Body(Array("id,password\n1,s3cret\n".utf8)))
        full.response?.body.contentType = "text/csv"
        let result = try redact(full)
        #expect(
            String(decoding: result.request.body.bytes, as: UTF8.self)
                == "pass=%5Bredacted%5D&code=%5Bredacted%5D&a=1"
        )
        #expect(
            result.request.body.contentType
                == "application/x-www-form-urlencoded; token=[redacted]"
        )
        #expect(result.response?.body.contentType == "text/csv")
        #expect(result.response?.body.bytes == Array("id,password\n1,[redacted]\n".utf8))
        full.request.body.contentType = "text/plain; x=SK-ABCD1234"
        let found = try redact(full, "detectors: standard").request.body.contentType
        #expect(found == "text/plain; x=[redacted]")
        let removed = try redact(full, "headers: [{ name: content-type, action: remove }]")
        #expect(removed.request.body.contentType.isEmpty)
    }
}
