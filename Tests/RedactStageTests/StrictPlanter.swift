// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TestSupport

@testable import RedactStage

/// Creates one record with planted secrets in all places.
struct StrictPlanter {
    var random: Random
    private(set) var secrets: [String] = []
    /// Known names, which half of the names are.
    var names = ["id", "userName", "created_at", "password", "items"]
    /// Whether a secret may repeat one that is already in the record.
    var repeats = false
    /// Whether there are credentials, for which the standard preset's rules may mask too much.
    var hasCredentials = true

    init(seed: Int) { random = Random(seed: UInt64(seed)) }

    /// Returns a secret of any kind: letters and digits, digits, unlisted words, with separators.
    mutating func secret() -> String {
        if repeats, !secrets.isEmpty, random.below(3) == 0 { return random.pick(secrets) }
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

    /// Returns a secret, or a text around it in any notation.
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
        case 8: return (hasCredentials ? "Bearer " : "for ") + secret()
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

    /// Returns a known name, or a secret.
    mutating func name() -> String {
        random.pick([true, false])
            ? random.pick(names) : secret()
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

    /// Returns a body and its type.
    mutating func body() -> (type: String, text: String) {
        switch random.below(12) {
        case 0: return ("application/json", json(4))
        case 1:
            let guarding = random.pick(["", "for (;;);", ")]}',\n", "/* \(secret()) */ "])
            return ("application/json; charset=utf-8", guarding + json(2) + "\n" + json(2))
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

// MARK: - Records

extension StrictPlanter {
    /// Returns fields of many forms.
    private mutating func fields() -> FieldSection {
        var fields: FieldSection = [:]
        for name in [
            "User-Agent", "Server", "ETag", "X-Request-ID", "Cache-Control", "Date", "Vary",
            "Accept", "Content-Disposition", "Content-Length", "Via", "Link", "Retry-After",
            "Expires", "Referer", "Location", "Origin", "Authorization", "X-Forwarded-For",
            "WWW-Authenticate", "Sec-WebSocket-Protocol", "Content-Encoding", "Range",
        ] where random.below(3) == 0 {
            fields.append(name: name, value: notation())
        }
        fields.append(name: "X-" + secret(), value: notation())
        let cookie = "\(secret())=\(secret()); lang=\(secret())"
        fields.append(name: "Cookie", value: cookie)
        let attributes = "; Path=/\(secret()); Domain=\(secret()).test; Max-Age=60"
        fields.append(
            name: "Set-Cookie",
            value: "\(secret())=\(secret())\(attributes); x=\(secret())"
        )
        return fields
    }

    /// Returns an exchange that consists of secrets.
    mutating func record() -> Exchange {
        let target =
            "/\(secret())/\(notation(0))?\(form(2))&\(secret())"
        var full = exchange(target: target, fields: self.fields())
        let (type, text) = body()
        full.request.fields.append(name: "Content-Type", value: type)
        full.request.body = Body(Array(text.utf8))
        full.request.body.contentType = ByteString("text/\(secret())")
        if random.below(4) == 0 { full.request.method = ByteString(secret()) }
        full.request.trailers = ["X-Sum": secret()]
        let answer = body()
        var answered = self.fields()
        answered.append(name: "Content-Type", value: answer.type)
        full.response = Response(
            status: 200,
            reason: ByteString("OK " + secret()),
            fields: answered,
            body: Body(Array(answer.text.utf8)),
            trailers: [secret(): secret()],
            interim: [
                InterimResponse(
                    status: 103,
                    reason: ByteString(secret()),
                    fields: ["Link": "<\(notation())>"]
                )
            ]
        )
        full.original.url = ByteString("https://\(secret()).test/\(secret())")
        full.original.method = ByteString(secret())
        full.connection.client = "10.1.2.3:4711"
        full.connection.server = "\(secret()).test:443"
        full.connection.tls = TLSInfo(
            version: secret(),
            cipher: "TLS_AES_128_GCM_SHA256",
            sni: secret() + ".test",
            alpn: secret()
        )
        full.tags = [secret(): secret(), "team": notation()]
        full.error = ExchangeError(code: secret(), message: notation())
        full.messages = [
            StreamMessage(direction: .up, bytes: Array(json(2).utf8)),
            StreamMessage(direction: .down, bytes: Array(notation().utf8)),
            StreamMessage(direction: .down, type: "binary", bytes: [0, 1] + secret().utf8),
            StreamMessage(direction: .up, type: secret(), bytes: Array("x".utf8)),
        ]
        return full
    }
}
