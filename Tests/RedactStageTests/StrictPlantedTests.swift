// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplinePlugin
import Testing

@testable import RedactStage

/// Records that are made of secrets, in all places and all notations: none may be left anywhere.
@Suite struct StrictPlantedTests {
    /// What is planted in one record, and how it is written in places.
    private struct Planter {
        var random: Random
        private(set) var secrets: [String] = []

        /// A secret of any kind: letters and digits, digits, words that are in no list, with marks.
        mutating func secret() -> String {
            let one: String
            switch random.below(6) {
            case 0: one = "\(1 + random.below(9))" + text("0123456789", 9 + random.below(8))
            case 1: one = word(5) + word(4)
            case 2: one = core(8) + random.pick(["-", "_", ".", "!", "*"]) + core(8)
            case 3: one = core(7)
            default: one = core(10 + random.below(30))
            }
            secrets.append(one)
            return one
        }

        private mutating func core(_ count: Int) -> String {
            text("GHJKMNPQRSTUVWXYZ", 1)
                + text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", count - 1)
        }

        private mutating func word(_ pairs: Int) -> String {
            (0..<pairs).map { _ in text("bdfgklmnprstvz", 1) + text("aeiou", 1) }.joined()
        }

        private mutating func text(_ alphabet: String, _ count: Int) -> String {
            let characters = Array(alphabet)
            return String((0..<count).map { _ in random.pick(characters) })
        }

        // MARK: Notations

        /// A secret, or a text around it in any notation.
        mutating func notation(_ depth: Int = 3) -> String {
            guard depth > 0 else { return secret() }
            switch random.below(14) {
            case 0: return base64(notation(depth - 1))
            case 1: return notation(depth - 1).utf8.map { hex($0) }.joined()
            case 2: return notation(depth - 1).utf8.map { "%" + hex($0) }.joined()
            case 3: return json(depth - 1)
            case 4: return form(depth - 1)
            case 5: return "https://\(secret()):\(secret())@x.test/\(secret())?\(form(depth - 1))"
            case 6: return "<\(secret()) a='\(secret())'>\(secret())</\(secret())>"
            case 7: return "error for \(secret()), code: \(secret()); retry=\(secret())"
            case 8: return "Bearer \(secret())"
            case 9: return "\(secret())@\(secret()).test"
            case 10: return "/\(secret())/users/\(secret());v=\(secret())#\(secret())"
            case 11: return base64(#"{"alg":"none"}"#) + "." + base64(json(1)) + "." + secret()
            default: return secret()
            }
        }

        private func hex(_ byte: UInt8) -> String {
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }

        private func base64(_ text: String) -> String {
            var output: [UInt8] = []
            Base64Digits.append(Array(text.utf8), to: &output)
            return String(decoding: output, as: UTF8.self)
        }

        mutating func json(_ depth: Int) -> String {
            let parts = (0..<(1 + random.below(4))).map { _ in
                "\(quoted(name())):\(jsonValue(depth))"
            }
            return "{\(parts.joined(separator: random.pick([",", " , ", ",\n"])))}"
        }

        private mutating func jsonValue(_ depth: Int) -> String {
            switch random.below(depth > 0 ? 7 : 3) {
            case 0: return random.pick(["true", "null", "false"])
            case 1: return quoted(secret())
            case 2:
                secrets.append("\(1_000_000_000 + random.below(1 << 40))")
                return random.pick(["", "-"]) + secrets[secrets.count - 1]
            case 3: return "[\(jsonValue(depth - 1)),\(jsonValue(depth - 1))]"
            case 4: return json(depth - 1)
            case 5: return quoted(notation(depth - 1), isEscaped: true)
            default: return quoted(notation(depth - 1))
            }
        }

        /// A name that is known, or a secret.
        mutating func name() -> String {
            random.pick([true, false])
                ? random.pick(["id", "userName", "created_at", "password", "items"]) : secret()
        }

        private func quoted(_ text: String, isEscaped: Bool = false) -> String {
            "\""
                + text.unicodeScalars.map { scalar in
                    if isEscaped {
                        return "\\u00" + hex(UInt8(truncatingIfNeeded: scalar.value))
                    }
                    switch scalar {
                    case "\"", "\\": return "\\\(scalar)"
                    case "\n": return "\\n"
                    default: return "\(scalar)"
                    }
                }.joined() + "\""
        }

        mutating func form(_ depth: Int) -> String {
            (0..<(1 + random.below(3))).map { _ in
                "\(encoded(name()))=\(encoded(notation(depth)))"
            }.joined(separator: "&")
        }

        private func encoded(_ text: String) -> String {
            String(decoding: PercentEncoding.encode(text.utf8.span), as: UTF8.self)
        }

        mutating func multipart(_ boundary: String) -> String {
            var text = ""
            for _ in 0..<(1 + random.below(3)) {
                text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name())\";"
                text += " filename=\"\(secret()).txt\"\r\n"
                if random.below(2) == 0 { text += "Content-Type: application/json\r\n" }
                text += "X-\(secret()): \(notation(1))\r\n\r\n\(json(2))\r\n"
            }
            return text + "--\(boundary)--\r\n" + secret()
        }

        mutating func markup() -> String {
            """
            <?xml version="1.0"?><!DOCTYPE \(secret())><html><!-- \(notation(1)) -->
            <input type="password" \(secret())="\(notation(1))" value=\(secret())>
            <\(secret()):x>\(notation(1)) &amp; &#65;\(secret())</\(secret()):x>
            <script>var t = "\(secret())"; f({"a":"\(secret())"})</script>
            <![CDATA[\(notation(2))]]> \(secret()) < \(secret())
            """
        }

        /// A body, and its type.
        mutating func body() -> (type: String, text: String) {
            switch random.below(12) {
            case 0: return ("application/json", json(4))
            case 1: return ("application/json; charset=utf-8", json(2) + "\n" + json(2))
            case 2: return ("application/x-www-form-urlencoded", form(3))
            case 3:
                let boundary = secret()
                return ("multipart/form-data; boundary=\(boundary)", multipart(boundary))
            case 4: return ("text/html", markup())
            case 5: return ("text/event-stream", "event: \(secret())\ndata: \(json(2))\n\n")
            case 6: return ("text/csv", "id,\(secret())\n1,\(secret())\n\(secret());\(secret())\n")
            case 7: return ("text/plain; x=\(secret())", notation() + " " + notation())
            case 8: return ("application/\(secret())+json", json(2))
            case 9: return ("image/png", secret())
            case 10: return (secret(), notation())
            default: return ("application/json", #"{"id": "\#(secret())", "# + secret())
            }
        }
    }

    private static func fields(_ planter: inout Planter) -> FieldSection {
        var fields: FieldSection = [:]
        for name in [
            "User-Agent", "Server", "ETag", "X-Request-ID", "Cache-Control", "Date", "Vary",
            "Accept", "Content-Disposition", "Content-Length", "Via", "Link", "Retry-After",
            "Expires", "Referer", "Location", "Origin", "Authorization", "X-Forwarded-For",
            "WWW-Authenticate", "Sec-WebSocket-Protocol", "Content-Encoding", "Range",
        ] where planter.random.below(3) == 0 {
            fields.append(name: name, value: planter.notation())
        }
        fields.append(name: "X-" + planter.secret(), value: planter.notation())
        let cookie = "\(planter.secret())=\(planter.secret()); lang=\(planter.secret())"
        fields.append(name: "Cookie", value: cookie)
        let attributes = "; Path=/\(planter.secret()); Domain=\(planter.secret()).test; Max-Age=60"
        fields.append(
            name: "Set-Cookie",
            value: "\(planter.secret())=\(planter.secret())\(attributes); x=\(planter.secret())"
        )
        return fields
    }

    private static func record(_ planter: inout Planter) -> Exchange {
        let target =
            "/\(planter.secret())/\(planter.notation(0))?\(planter.form(2))&\(planter.secret())"
        var full = exchange(target: target, fields: fields(&planter))
        let (type, text) = planter.body()
        full.request.fields.append(name: "Content-Type", value: type)
        full.request.body = Body(Array(text.utf8))
        if planter.random.below(4) == 0 { full.request.method = ByteString(planter.secret()) }
        full.request.trailers = ["X-Sum": planter.secret()]
        let answer = planter.body()
        var answered = fields(&planter)
        answered.append(name: "Content-Type", value: answer.type)
        full.response = Response(
            status: 200,
            reason: ByteString("OK " + planter.secret()),
            fields: answered,
            body: Body(Array(answer.text.utf8)),
            trailers: [planter.secret(): planter.secret()],
            interim: [InterimResponse(status: 103, fields: ["Link": "<\(planter.notation())>"])]
        )
        full.original.url = ByteString("https://\(planter.secret()).test/\(planter.secret())")
        full.original.method = ByteString(planter.secret())
        full.connection.client = "10.1.2.3:4711"
        full.connection.server = "\(planter.secret()).test:443"
        full.connection.tls = TLSInfo(
            version: planter.secret(),
            cipher: "TLS_AES_128_GCM_SHA256",
            sni: planter.secret() + ".test",
            alpn: planter.secret()
        )
        full.tags = [planter.secret(): planter.secret(), "team": planter.notation()]
        full.error = ExchangeError(code: planter.secret(), message: planter.notation())
        full.messages = [
            StreamMessage(direction: .up, bytes: Array(planter.json(2).utf8)),
            StreamMessage(direction: .down, bytes: Array(planter.notation().utf8)),
            StreamMessage(direction: .down, type: "binary", bytes: [0, 1] + planter.secret().utf8),
            StreamMessage(direction: .up, type: planter.secret(), bytes: Array("x".utf8)),
        ]
        return full
    }

    /// Seven bytes as a number; no secret has fewer.
    private static func window(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// All runs of seven bytes in texts.
    private static func windows(_ layers: [[UInt8]]) -> Set<UInt64> {
        var windows: Set<UInt64> = []
        for layer in layers {
            var word: UInt64 = 0
            for byte in layer {
                word = (word << 8 | UInt64(byte)) & 0xFF_FFFF_FFFF_FFFF
                windows.insert(word)
            }
        }
        return windows
    }

    /// All texts of an exchange, and what comes of them with forms in them undone, again and again.
    private static func layers(_ exchange: Exchange) -> [[UInt8]] {
        var layers: [[UInt8]] = [line(exchange)]
        let finder = EmbeddedFinder()
        for _ in 0..<4 {
            guard let last = layers.last else { break }
            var runs: [EmbeddedRun] = []
            finder.find(in: last.span, appendingTo: &runs)
            var next: [UInt8] = []
            for run in runs {
                _ = finder.decode(
                    last.span.extracting(run.range),
                    from: run.form,
                    limit: 1 << 20,
                    appendingTo: &next
                )
                next.append(0x0A)
            }
            guard !next.isEmpty else { break }
            layers.append(next)
        }
        return layers
    }

    private static func line(_ exchange: Exchange) -> [UInt8] {
        var output: [UInt8] = []
        func add(_ bytes: Span<UInt8>) {
            output.append(copying: bytes)
            output.append(0x0A)
        }
        func add(_ fields: FieldSection) {
            for position in fields.indices {
                add(fields.name(at: position))
                add(fields.value(at: position))
            }
        }
        let request = exchange.request
        for text in [request.method, request.target, request.authority, request.version] {
            add(text.span)
        }
        add(request.fields)
        add(request.trailers)
        add(request.body.bytes.span)
        if let response = exchange.response {
            add(response.reason.span)
            add(response.fields)
            add(response.trailers)
            add(response.body.bytes.span)
            for interim in response.interim { add(interim.fields) }
        }
        for text in [exchange.original.url, exchange.original.method] {
            if let text { add(text.span) }
        }
        let tls = exchange.connection.tls
        for text in [
            exchange.connection.client, exchange.connection.server, tls?.sni ?? "",
            tls?.alpn ?? "", tls?.version ?? "", exchange.error?.code ?? "",
            exchange.error?.message ?? "",
        ] {
            add(text.utf8.span)
        }
        for tag in exchange.tags {
            add(tag.name.utf8.span)
            add(tag.value.utf8.span)
        }
        for message in exchange.messages {
            add(message.type.utf8.span)
            add(message.bytes.span)
        }
        return output
    }

    @Test(arguments: ["pseudonym", "mask", "hash", "remove"], 0..<6)
    func noPlantedSecretIsLeft(action: String, seed: Int) throws {
        let factory = try #require(build("{preset: strict, action: \(action)}").factory)
        let stage = try #require(
            try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
        )
        for number in 0..<25 {
            var planter = Planter(random: Random(seed: UInt64(seed * 1000 + number + 1)))
            var full = Self.record(&planter)
            var context = ExchangeContext()
            context.vars = ["x": planter.secret()]
            _ = try stage.record(&full, &context)
            let layers = Self.layers(full)
            let windows = Self.windows(layers)
            for secret in planter.secrets {
                // Of a value with marks, each part counts.
                for part in secret.utf8.split(whereSeparator: { "-_.!*".utf8.contains($0) })
                where windows.contains(Self.window(part.prefix(7))) {
                    let text = String(decoding: Array(part), as: UTF8.self)
                    let shown = String(decoding: layers[0], as: UTF8.self)
                    Issue.record("\(seed)/\(number): '\(text)' in \(shown)")
                }
            }
            #expect(!planter.secrets.contains(context.vars["x"] ?? ""))
        }
    }

    @Test(arguments: 0..<80)
    func jsonStaysValid(seed: Int) throws {
        var planter = Planter(random: Random(seed: UInt64(seed) + 9000))
        let text = planter.json(4)
        for action in ["pseudonym", "mask", "hash"] {
            let made = try redactBody(
                text,
                "application/json",
                "{preset: strict, action: \(action)}"
            )
            let words = StrictWords(ownNames: [])
            #expect(JSONOutline(Array(made.utf8).span, words, maxDepth: 100) != nil, "\(made)")
        }
    }

    @Test(arguments: 0..<40)
    func noBytesTrap(seed: Int) throws {
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "token", "=", "&", ";", "?", "#", "%", "%3D",
            "://", "@", "a", " ", "\r\n", "\u{0}", "\u{FF}", "--xYz", "--", "1", "-", "'", "/", "+",
            "Content-Disposition: form-data; name=\"pwd\"", "data:", "\\u00", "<", ">", "<!--",
            "/>",
            "</", "<a ", "&#", "é", ".", "e9", "//", "*",
        ]
        var random = Random(seed: UInt64(seed) + 4000)
        let factory = try #require(
            build(#"{preset: strict, keep: ["$..a", "$.a[*].b", json id, query a]}"#).factory
        )
        let stage = try #require(
            try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
        )
        for _ in 0..<60 {
            func text() -> String {
                (0..<random.below(24)).map { _ in random.pick(pieces) }.joined()
            }
            let type = random.pick([
                "application/json", "text/plain", "multipart/form-data; boundary=xYz", "",
                "application/x-www-form-urlencoded", "text/event-stream", "text/html", "text/csv",
                text(),
            ])
            var full = exchange(
                target: text(),
                fields: [
                    "Cookie": text(), "Set-Cookie": text(), "Location": text(), text(): text(),
                    "Content-Disposition": text(), "Date": text(), "Server": text(),
                    "Host": text(),
                ],
                type: type,
                body: text()
            )
            full.request.authority = ByteString(text())
            full.connection = Connection(client: text(), server: text())
            full.tags = ["a": text(), text(): text()]
            full.error = ExchangeError(code: text(), message: text())
            full.messages = [StreamMessage(direction: .up, bytes: Array(text().utf8))]
            var context = ExchangeContext()
            _ = try stage.record(&full, &context)
        }
    }
}
