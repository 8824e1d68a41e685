// SPDX-License-Identifier: MIT

extension Component {
    /// Where `correlate` finds an id, and how it is written.
    public struct Extractor: Sendable, ExpressibleByStringLiteral {
        /// How a value is written.
        public enum Coding: String, Sendable {
            /// With percent signs, as in URLs.
            case percent
            /// In either alphabet, padded or not.
            case base64
            /// As hexadecimal digits.
            case hex
        }

        /// In which message it stands.
        public enum Message: String, Sendable {
            /// In the request, or else in the response.
            case any
            /// In the request.
            case request
            /// In the response.
            case response
        }

        /// A part of a value, noted in a tag of its own.
        public struct Part: Sendable, ExpressibleByStringLiteral {
            fileprivate let value: Value

            /// A part.
            ///
            /// - Parameters:
            ///   - name: Its name; `_` leaves it out, `id` makes it the id itself.
            ///   - json: Its path in a value that is JSON, in the place of its position.
            ///   - decode: How it is written, what is undone first being first.
            public init(_ name: String, json: String? = nil, decode: [Coding] = []) {
                var list = OptionList()
                list.set("name", .text(name))
                list.set("json", json.map(Value.text))
                list.set("decode", .texts(decode.map(\.rawValue)))
                value = list.map
            }

            /// A part by its position.
            public init(stringLiteral name: String) { self.init(name) }
        }

        fileprivate let value: Value

        /// A field, `traceparent` among them, or a path in JSON, which begins with `$`.
        public init(stringLiteral name: String) { value = .text(name) }

        /// A field.
        ///
        /// - Parameters:
        ///   - name: Its name.
        ///   - message: In which message.
        ///   - tag: The tag that holds the id; `correlation` where it is left out.
        ///   - decode: How the value is written, what is undone first being first.
        ///   - separator: What stands between its parts.
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

        /// A value in a JSON body.
        ///
        /// - Parameters:
        ///   - path: Its path, such as `$.meta.id`.
        ///   - message: In which message.
        ///   - tag: The tag that holds the id; `correlation` where it is left out.
        ///   - decode: How the value is written, what is undone first being first.
        ///   - separator: What stands between its parts.
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

    /// The stage `correlate`: notes the ids that tie exchanges to each other, before a redaction.
    ///
    /// - Parameters:
    ///   - extractors: Where ids stand; trace and request ids where they are left out.
    ///   - maxBytes: The longest value that is noted.
    ///   - maxBody: The largest body in which JSON is looked for.
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
