// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import RedactStage

/// Plants secrets in everything that an exchange can contain, and searches for them afterwards.
@Suite struct PlantedSecretTests {
    private static let secret = "pl4nted"

    /// JSON with secrets only under named keys, in random shapes, and the expected result.
    private struct Document {
        var text = ""
        var expected = ""
        var random: Random

        mutating func add(_ piece: String) {
            text += piece
            expected += piece
        }

        mutating func blank() { add(random.pick(["", "", "", " ", "\n\t"])) }

        mutating func value(_ depth: Int) {
            blank()
            switch depth == 0 ? random.below(4) : random.below(6) {
            case 0: add(random.pick(["1", "-2.5e3", "0"]))
            case 1: add(random.pick(["true", "false", "null"]))
            case 2, 3:
                add(random.pick([#""""#, #""a\"b\\""#, #""é\u00e9\ud83d\ude00""#, #""{[,:]}""#]))
            case 4: list(depth)
            default: object(depth)
            }
            blank()
        }

        private mutating func list(_ depth: Int) {
            add("[")
            for position in 0..<random.below(4) {
                if position > 0 { add(",") }
                value(depth - 1)
            }
            blank()
            add("]")
        }

        private mutating func object(_ depth: Int) {
            add("{")
            for position in 0..<random.below(5) {
                if position > 0 { add(",") }
                blank()
                if random.below(3) == 0 {
                    secretMember()
                } else {
                    add(
                        random.pick([#""a""#, #""name""#, #""""#, #""x\ny""#, #""pass of words""#])
                    )
                    blank()
                    add(":")
                    value(depth - 1)
                }
            }
            blank()
            add("}")
        }

        private mutating func secretMember() {
            add(
                random.pick([
                    #""password""#, #""Access_Token""#, #""p\u0061ssword""#, #""api-key""#,
                    #""pwd""#,
                    #""\u0074oken""#,
                ])
            )
            blank()
            add(":")
            blank()
            text += random.pick([
                #""pl4nted""#, #""x \" pl4nted ] }""#, #"["pl4nted",{"a":"pl4nted"}]"#,
                #"{"b":["}","pl4nted"]}"#, #""pl4nted\\""#,
            ])
            expected += #""[redacted]""#
            blank()
        }
    }

    @Test(arguments: 0..<300)
    func onlySecretsChangeInJSON(seed: Int) throws {
        var document = Document(random: Random(seed: UInt64(seed)))
        document.value(5)
        #expect(try redactBody(document.text) == document.expected)
        let hashed = try redactBody(document.text, "application/json", "action: hash")
        #expect(!hashed.contains(Self.secret))
        let removed = try redactBody(document.text, "application/json", "action: remove")
        #expect(!removed.contains(Self.secret))
        // The result is still JSON, to the last byte, with nothing to redact.
        #expect(try redactBody(removed) == removed)
    }

    @Test(arguments: 0..<5)
    func truncatedJSONRevealsNoSecret(seed: Int) throws {
        var document = Document(random: Random(seed: UInt64(seed) + 1000))
        while document.text.utf8.count < 200 { document.value(4) }
        let bytes = Array(document.text.utf8)
        for action in ["mask", "remove", "hash"] {
            let factory = try #require(build("action: \(action)").factory)
            let stage = try #require(
                try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
            )
            for length in 0...bytes.count {
                var full = exchange(type: "application/json")
                full.request.body = Body(
                    bytes: Array(bytes.prefix(length)),
                    size: bytes.count,
                    isTruncated: true
                )
                var context = ExchangeContext()
                _ = try stage.record(&full, &context)
                let result = String(decoding: full.request.body.bytes, as: UTF8.self)
                guard result.contains("pl4") else { continue }
                Issue.record("\(length): \(result)")
            }
        }
    }

    @Test(arguments: ["mask", "remove", "hash"])
    func secretsAreRedactedInEveryPlace(action: String) throws {
        let url =
            "https://u:pl4nted@h/p?token=pl4nted&next=https%3A%2F%2Fh%2F%3Fapi_key%3Dpl4nted"
            + "&back=/x?sid=pl4nted#access_token=pl4nted"
        var full = exchange(
            target: "/p?a=1&token=pl4nted&next=https%3A%2F%2Fu%3Apl4nted%40h#id_token=pl4nted",
            fields: [
                "Authorization": "Bearer pl4nted", "proxy-authorization": "Basic pl4nted",
                "COOKIE": "sid=pl4nted; b=pl4nted", "X-Api-Key": "pl4nted", "Referer": url,
                ":path": "/?password=pl4nted", ":authority": "u:pl4nted@h", "X-Url": "at \(url)",
                "X-Json": #"{"token":"pl4nted"}"#,
            ],
            type: "application/x-www-form-urlencoded",
            body: "user=u&password=pl4nted&payload=%7B%22token%22%3A%22pl4nted%22%7D&u[pwd]=pl4nted"
        )
        full.request.authority = "u:pl4nted@shop.test"
        full.request.trailers = ["Authorization": "pl4nted"]
        full.original.url = ByteString(url)
        full.tags = ["access_token": "pl4nted", "url": ByteString(url).description]
        full.error = ExchangeError(code: "x", message: "GET \(url): Authorization: Bearer pl4nted")
        full.messages = [
            StreamMessage(direction: .up, bytes: Array(#"{"a":[{"token":"pl4nted"}]}"#.utf8)),
            StreamMessage(direction: .down, bytes: Array("42[\"x\",{\"token\":\"pl4nted\"}]".utf8)),
            StreamMessage(direction: .down, type: "event", bytes: Array("token=pl4nted".utf8)),
        ]
        full.response = Response(
            status: 302,
            reason: "see ?token=pl4nted",
            fields: [
                "Set-Cookie": "sid=pl4nted; Path=/", "Location": url, "Content-Location": url,
                "Refresh": "0; url=\(url)", "Link": "<\(url)>; rel=next",
                "Content-Type": "application/json",
            ],
            body: Body(Array(#"{"next":"\#(url)","in":"{\"token\":\"pl4nted\"}"}"#.utf8)),
            trailers: ["Set-Cookie": "a=pl4nted"],
            interim: [InterimResponse(status: 103, fields: ["Link": "<\(url)>; rel=preload"])]
        )
        let result = try redact(full, "action: \(action)")
        let shown = Self.shown(result)
        #expect(!shown.contains(Self.secret), "\(shown)")
    }

    /// Returns everything that an exchange contains, as text.
    private static func shown(_ exchange: Exchange) -> String {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        func text(_ fields: FieldSection) -> String {
            fields.indices.map { position in
                text(Array(copying: fields.name(at: position))) + ": "
                    + text(Array(copying: fields.value(at: position)))
            }.joined(separator: "\n")
        }
        let request = exchange.request
        var lines = [
            request.target.description, request.authority.description, text(request.fields),
            text(request.trailers), text(request.body.bytes),
            exchange.original.url?.description ?? "", exchange.error?.message ?? "",
        ]
        lines += exchange.tags.map { "\($0.name)=\($0.value)" }
        lines += exchange.messages.map { text($0.bytes) }
        if let response = exchange.response {
            lines += [
                response.reason.description, text(response.fields), text(response.trailers),
                text(response.body.bytes),
            ]
            lines += response.interim.map { text($0.fields) }
        }
        return lines.joined(separator: "\n")
    }

    @Test(arguments: 0..<60)
    func noBytesTrap(seed: Int) throws {
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "token", "password", "=", "&", ";", "?", "#",
            "%", "%3D", "://", "@", "a", " ", "\r\n", "\u{0}", "\u{FF}", "--xYz", "--", "1", "-",
            "'",
            "Content-Disposition: form-data; name=\"pwd\"", "data:", "\\u00", "\\ud800", "<", ">",
        ]
        var random = Random(seed: UInt64(seed) + 77)
        let factory = try #require(
            build("{action: \(["mask", "remove", "hash"][seed % 3]), json: [$..a, \"$.a[*].b\"]}")
                .factory
        )
        let stage = try #require(
            try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
        )
        for _ in 0..<Rounds.count(20, long: 400) {
            func text() -> String {
                (0..<random.below(20)).map { _ in random.pick(pieces) }.joined()
            }
            let type = random.pick([
                "application/json", "text/plain", "multipart/form-data; boundary=xYz", "",
                "application/x-www-form-urlencoded", "text/event-stream",
            ])
            var full = exchange(
                target: text(),
                fields: [
                    "Cookie": text(), "Set-Cookie": text(), "Location": text(), "X": text(),
                    "Link": text(),
                ],
                type: type,
                body: text()
            )
            full.tags = ["a": text(), "token": text()]
            full.error = ExchangeError(code: text(), message: text())
            full.messages = [StreamMessage(direction: .up, bytes: Array(text().utf8))]
            var context = ExchangeContext()
            _ = try stage.record(&full, &context)
        }
    }
}
