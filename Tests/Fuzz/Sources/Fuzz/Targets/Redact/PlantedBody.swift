// SPDX-License-Identifier: MIT

/// A well-formed body of any type, with words generated from any bytes, and a secret under a name
/// of the standard preset, in the notation of the type.
struct PlantedBody {
    /// The Content-Type.
    private(set) var type = ""
    private(set) var bytes: [UInt8] = []
    private let secret: [UInt8]

    private static let names = [
        "password", "access_token", "accessToken", "api_key", "API-Key", "api.key",
        "client_secret", "otp",
    ]

    init(_ input: inout FuzzInput, secret: [UInt8]) {
        self.secret = secret
        switch input.below(9) {
        case 0: makeJSON(&input)
        case 1: makeForm(&input)
        case 2: makeMultipart(&input)
        case 3: makeEvents(&input)
        case 4: makeMarkup(&input)
        case 5: makeTable(&input)
        case 6: makeScript(&input)
        case 7: makeYAML(&input)
        default: makeText(&input)
        }
    }

    /// A word without characters that have a meaning in any of the types.
    private func word(_ input: inout FuzzInput) -> String {
        let letters = Array(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-é€".unicodeScalars
        )
        var word = "w"
        for byte in input.take(input.below(12)) {
            word.unicodeScalars.append(letters[Int(byte) % letters.count])
        }
        return word
    }

    private func words(_ input: inout FuzzInput) -> String {
        (0...input.below(5)).map { _ in word(&input) }.joined(separator: " ")
    }

    private var hidden: String { String(decoding: secret, as: UTF8.self) }

    private mutating func set(_ type: String, _ text: String) {
        self.type = type
        bytes = Array(text.utf8)
    }

    // MARK: Types

    private func object(_ input: inout FuzzInput, depth: Int) -> String {
        var members = (0..<input.below(4)).map { _ in
            "\"\(word(&input))\": \"\(words(&input))\""
        }
        var planted = "\"\(input.pick(Self.names))\":\"\(hidden)\""
        if depth < 3 {
            switch input.below(6) {
            case 0: planted = "\"a\":" + object(&input, depth: depth + 1)
            case 1: planted = "\"a\":[1,\(object(&input, depth: depth + 1))]"
            case 2:
                let inner = object(&input, depth: depth + 1)
                    .replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                planted = "\"a\":\"\(inner)\""
            case 3: planted = "\"a\":[[\"x\",\"y\"],[\"\(input.pick(Self.names))\", \"\(hidden)\"]]"
            case 4:
                let pair = [
                    "\"\(input.pick(["name", "key", "field", "Param", "path"]))\":\"\(input.pick(Self.names))\"",
                    "\"\(input.pick(["value", "val"]))\":\"\(hidden)\"",
                ]
                let members = input.below(2) == 0 ? pair : pair.reversed()
                planted = "\"a\":{\(members.joined(separator: ","))}"
            default: break
            }
        }
        members.insert(planted, at: input.below(members.count + 1))
        return "{" + members.joined(separator: ",") + "}"
    }

    private mutating func makeJSON(_ input: inout FuzzInput) {
        set(
            input.pick(["application/json", "text/plain", "", "application/vnd.x+json"]),
            object(&input, depth: 0)
        )
    }

    private mutating func makeForm(_ input: inout FuzzInput) {
        var items = (0..<input.below(4)).map { _ in "\(word(&input))=\(word(&input))" }
        var planted = "\(input.pick(Self.names))=\(hidden)"
        switch input.below(4) {
        case 0: planted = "data=" + percent(object(&input, depth: 2))
        case 1: planted = "xml=" + percent("<a><password>\(hidden)</password></a>")
        case 2: planted = percent("user[\(input.pick(Self.names))]") + "=\(hidden)"
        default: break
        }
        items.insert(planted, at: input.below(items.count + 1))
        set("application/x-www-form-urlencoded", items.joined(separator: "&"))
    }

    private func percent(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: [byte]
            default: [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func makeMultipart(_ input: inout FuzzInput) {
        var parts = (0..<input.below(3)).map { _ in
            "Content-Disposition: form-data; name=\"\(word(&input))\"\r\n\r\n\(words(&input))"
        }
        let name = input.pick(Self.names)
        let field = "Content-Disposition: form-data; name=\"\(word(&input))\""
        let planted =
            switch input.below(5) {
            case 0: "\(field)\r\nContent-Type: application/json\r\n\r\n\(object(&input, depth: 1))"
            case 1: "\(field); filename=\"\(word(&input))?\(name)=\(hidden)\"\r\n\r\nx"
            case 2: "\(field)\r\nX-Api-Key: \(hidden)\r\n\r\n\(words(&input))"
            case 3:
                "\(field)\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable"
                    + "\r\n\r\n\(words(&input))=\r\n \(name)=3D\(hidden.prefix(7))=\r\n\(hidden.dropFirst(7))"
            default: "Content-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(hidden)"
            }
        parts.insert(planted, at: input.below(parts.count + 1))
        set(
            input.pick(["multipart/form-data; boundary=b0b", "text/plain", ""]),
            parts.map { "--b0b\r\n\($0)\r\n" }.joined() + "--b0b--\r\n"
        )
    }

    private mutating func makeEvents(_ input: inout FuzzInput) {
        var events = (0..<input.below(4)).map { _ in
            "event: \(word(&input))\ndata: \(words(&input))\n\n"
        }
        let planted =
            input.below(2) == 0
            ? "data: \(object(&input, depth: 1))\n\n"
            : "data: \(word(&input)) \(input.pick(Self.names))=\(hidden)\n\n"
        events.insert(planted, at: input.below(events.count + 1))
        set("text/event-stream", events.joined())
    }

    private mutating func makeMarkup(_ input: inout FuzzInput) {
        let name = input.pick(Self.names)
        let planted =
            switch input.below(5) {
            case 0: "<input type=\"text\" name=\"\(name)\" value=\"\(hidden)\">"
            case 1: "<\(name)>\(hidden)</\(name)>"
            case 2: "<user \(name)='\(hidden)'/>"
            case 3: "<script>var a = \(object(&input, depth: 2));</script>"
            default: "<a href=\"/x?a=1&amp;\(name)=\(hidden)\">\(word(&input))</a>"
            }
        var parts = (0..<input.below(4)).map { _ in
            "<p class=\"\(word(&input))\">\(words(&input))</p>"
        }
        parts.insert(planted, at: input.below(parts.count + 1))
        set(
            input.pick(["text/html", "application/xml", "application/soap+xml", "text/plain"]),
            "<body>" + parts.joined() + "</body>"
        )
    }

    private mutating func makeTable(_ input: inout FuzzInput) {
        var names = (0...input.below(3)).map { _ in word(&input) }
        let column = input.below(names.count + 1)
        names.insert(input.pick(Self.names), at: column)
        let separator = input.pick([",", ";", "\t"])
        var rows = [names.joined(separator: separator)]
        for _ in 0...input.below(4) {
            var values = names.map { _ in word(&input) }
            values[column] = hidden
            rows.append(values.joined(separator: separator))
        }
        set(input.pick(["text/csv", "text/plain"]), rows.joined(separator: "\r\n"))
    }

    private mutating func makeScript(_ input: inout FuzzInput) {
        let name = input.pick(["password", "accessToken", "api_key", "otp"])
        let text =
            switch input.below(4) {
            case 0: "callback(\(object(&input, depth: 1)));"
            case 1: "var a = \"\(words(&input))\"; \(name) = \"\(hidden)\"; f(a);"
            case 2: "x({a: '\(words(&input))', \(name): '\(hidden)'})"
            default: "window.state = \(object(&input, depth: 1));"
            }
        set(input.pick(["text/javascript", "application/javascript"]), text)
    }

    private mutating func makeYAML(_ input: inout FuzzInput) {
        var lines = (0..<input.below(4)).map { _ in "\(word(&input)): \(words(&input))" }
        let name = input.pick(Self.names)
        let planted =
            switch input.below(5) {
            case 4: "a:\n  - name: \(name)\n    value: \(hidden)"
            case 0: "\(name): |\n  \(words(&input))\n  \(hidden)"
            case 1: "\(name):\n    - \(word(&input))\n    - \(hidden)"
            case 2: "a:\n  - \(name): >-\n      \(hidden)\n    b: \(word(&input))"
            default: "\(name): \(words(&input)) \(hidden)"
            }
        lines.insert(planted, at: input.below(lines.count + 1))
        set(input.pick(["application/yaml", "text/plain"]), lines.joined(separator: "\n"))
    }

    private mutating func makeText(_ input: inout FuzzInput) {
        var lines = (0..<input.below(4)).map { _ in words(&input) }
        let name = input.pick(Self.names)
        let option = input.pick(["password", "api-key", "db-password", "client-secret"])
        let php = "s:\(name.utf8.count):\"\(name)\";s:\(hidden.utf8.count):\"\(hidden)\";"
        let planted = input.pick([
            "\(name)=\(hidden)", "\(name): \(hidden)", "\"\(name)\" => \"\(hidden)\"",
            "run --\(option) \(hidden) now", "run --\(option)=\(hidden)", php,
            "\(name)|s:\(hidden.utf8.count):\"\(hidden)\";", "('\(name)', '\(hidden)')",
            "\(name)\\x3d\(hidden)", "https://h/?a=1&\(name)=\(hidden)", "https://u:\(hidden)@h/",
        ])
        let prefix = input.below(2) == 0 ? "" : words(&input) + " "
        lines.insert(prefix + planted, at: input.below(lines.count + 1))
        set(input.pick(["text/plain", "", "message/rfc822"]), lines.joined(separator: "\n"))
    }
}
