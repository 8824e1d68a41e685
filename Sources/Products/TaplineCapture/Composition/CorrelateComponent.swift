// SPDX-License-Identifier: MIT

extension Component {
    /// Where `correlate` finds an id, and how the id is encoded.
    public struct Extractor: Sendable, ExpressibleByStringLiteral {
        /// The encoding of a value.
        public enum Coding: String, Sendable {
            /// Percent-encoded, as in URLs.
            case percent
            /// Base64 in either alphabet, with or without padding.
            case base64
            /// Hexadecimal digits.
            case hex
        }

        /// The message that contains the value.
        public enum Message: String, Sendable {
            /// The request; if it has no value, the response.
            case any
            /// The request.
            case request
            /// The response.
            case response
        }

        /// A part of a value, recorded in its own tag.
        public struct Part: Sendable, ExpressibleByStringLiteral {
            fileprivate let value: Value

            /// Creates a part.
            ///
            /// - Parameters:
            ///   - name: Its name; `_` skips the part, `id` makes it the id itself.
            ///   - json: Its path if the value is JSON, instead of its position.
            ///   - decode: The encodings to remove, in this order.
            public init(_ name: String, json: String? = nil, decode: [Coding] = []) {
                var list = OptionList()
                list.set("name", .text(name))
                list.set("json", json.map(Value.text))
                list.set("decode", .texts(decode.map(\.rawValue)))
                value = list.map
            }

            /// Creates a part from its position.
            public init(stringLiteral name: String) { self.init(name) }
        }

        fileprivate let value: Value

        /// A header field, including `traceparent`, or a path in JSON, which begins with `$`.
        public init(stringLiteral name: String) { value = .text(name) }

        /// Creates an extractor for a header field.
        ///
        /// - Parameters:
        ///   - name: Its name.
        ///   - message: The message that contains it.
        ///   - tag: The tag for the id; by default `correlation`.
        ///   - decode: The encodings to remove, in this order.
        ///   - separator: The separator between its parts.
        ///   - parts: Its parts.
        public init(
            header name: String,
            in message: Message = .any,
            tag: String? = nil,
            decode: [Coding] = [],
            separator: String? = nil,
            parts: [Part] = []
        ) {
            value = Extractor.value(("header", name), message, tag, decode, separator, parts)
        }

        /// Creates an extractor for a value in a JSON body.
        ///
        /// - Parameters:
        ///   - path: Its path, such as `$.meta.id`.
        ///   - message: The message that contains it.
        ///   - tag: The tag for the id; by default `correlation`.
        ///   - decode: The encodings to remove, in this order.
        ///   - separator: The separator between its parts.
        ///   - parts: Its parts.
        public init(
            json path: String,
            in message: Message = .any,
            tag: String? = nil,
            decode: [Coding] = [],
            separator: String? = nil,
            parts: [Part] = []
        ) {
            value = Extractor.value(("json", path), message, tag, decode, separator, parts)
        }

        private static func value(
            _ place: (name: String, text: String),
            _ message: Message,
            _ tag: String?,
            _ decode: [Coding],
            _ separator: String?,
            _ parts: [Part]
        ) -> Value {
            var list = OptionList()
            list.set(place.name, .text(place.text))
            list.set("in", .text(message.rawValue))
            list.set("tag", tag.map(Value.text))
            list.set("decode", .texts(decode.map(\.rawValue)))
            list.set("separator", separator.map(Value.text))
            list.set("parts", .list(parts.map(\.value)))
            return list.map
        }
    }

    /// The stage `correlate`: records the ids that connect exchanges, before a redaction.
    ///
    /// - Parameters:
    ///   - extractors: Where the ids are found; by default, trace and request ids.
    ///   - maxBytes: The longest value that is recorded.
    ///   - maxBody: The largest body that is searched for JSON.
    /// - Returns: The stage.
    public static func correlate(
        _ extractors: [Extractor] = [],
        maxBytes: Int? = nil,
        maxBody: Int? = nil
    ) -> Component {
        Component(.stage, "correlate") { options in
            options.set("from", extractors.isEmpty ? nil : .list(extractors.map(\.value)))
            options.set("max_bytes", maxBytes.map(Value.bytes))
            options.set("max_body", maxBody.map(Value.bytes))
        }
    }
}
