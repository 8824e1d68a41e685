// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

/// The options of a test file for the request of an exchange.
enum RequestKeys {
    static let method = ConfigKey(
        "method",
        OptionType<String>.text,
        default: "GET",
        summary: "The method.",
        interpolates: false
    )
    static let url = ConfigKey(
        "url",
        OptionType<ByteString>.url,
        summary: "The whole URL.",
        example: "https://shop.test/cart",
        interpolates: false
    )
    static let target = ConfigKey(
        "target",
        OptionType<String>.text.optional,
        default: nil,
        summary: "The request target as sent, if it is not path and query.",
        example: "https://shop.test/cart",
        interpolates: false
    )
    static let form = ConfigKey(
        "form",
        OptionType<[ConfigEntry<String>]>.map(of: .text).optional,
        default: nil,
        summary: "The body as items of a form.",
        example: "{ name: Ann }",
        interpolates: false
    )

    /// The options, in the order of the reference page.
    static let schema = OptionSchema(
        [method, url, target, form] as [any ConfigKeyDeclaration] + BodyKeys.keys
    )

    /// A request: a URL, a method and a URL, or options.
    static let type = OptionType<Request>(
        name: "request",
        schema: ["anyOf": [["type": "string"], schema.jsonSchema()]]
    ) { node, context in
        if let text = node.text { return line(text, node, &context) }
        guard let options = schema.decode(node, &context) else { return nil }
        return request(options, &context)
    }

    /// Reads a line such as `POST https://shop.test/cart`.
    private static func line(
        _ text: String,
        _ node: ConfigNode,
        _ context: inout OptionContext
    ) -> Request? {
        let words = text.split(separator: " ").map(String.init)
        guard 1...2 ~= words.count, let url = words.last, URLParts(url.utf8.span) != nil else {
            return context.mismatch(node, expected: "a line such as 'GET https://shop.test/cart'")
        }
        var request = Request(method: ByteString(words.count == 2 ? words[0] : "GET"))
        request.setURL(url.utf8.span)
        request.fields.append(name: "Host".utf8.span, value: request.hostField.span)
        return request
    }

    private static func request(_ options: Options, _ context: inout OptionContext) -> Request? {
        var request = Request(
            method: ByteString(options[method]),
            version: ByteString(options[BodyKeys.version]),
            fields: options[BodyKeys.headers],
            trailers: options[BodyKeys.trailers]
        )
        request.setURL(options[url].span)
        if let target = options[target] { request.target = ByteString(target) }
        if !request.fields.contains("host") {
            var fields: FieldSection = [:]
            fields.append(name: "Host".utf8.span, value: request.hostField.span)
            for position in request.fields.indices {
                fields.append(
                    name: request.fields.name(at: position),
                    value: request.fields.value(at: position)
                )
            }
            request.fields = fields
        }
        let items = options[form].map { entries in
            entries.map { "\(encoded($0.key))=\(encoded($0.value))" }.joined(separator: "&")
        }
        let body = BodyKeys.read(
            options,
            &request.fields,
            form: items.map { Array($0.utf8) },
            &context
        )
        guard let body else { return nil }
        request.body = body
        return request
    }

    private static func encoded(_ text: String) -> String {
        String(decoding: PercentEncoding.encode(text.utf8.span), as: UTF8.self)
    }
}

extension Request {
    /// The value of the Host field: the authority without user information (RFC 9110 §7.2).
    fileprivate var hostField: ByteString {
        let bytes = authority.span
        return ByteString(bytes.extracting(hostRange.lowerBound..<bytes.count))
    }
}
