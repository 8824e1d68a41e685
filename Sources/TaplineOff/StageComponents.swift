// SPDX-License-Identifier: MIT

extension Component {
    /// The messages whose bodies a stage would see whole.
    public enum Buffered: String, Sendable {
        /// Requests.
        case request
        /// Responses.
        case response
    }

    /// The bounds of a script.
    public struct ScriptLimits: Sendable {
        /// The memory that the script might hold.
        public var memory: Int?
        /// The instructions that one call might take.
        public var instructions: Int?
        /// The time that one call might take.
        public var time: Duration?
        /// The entries that one table might have.
        public var table: Int?
        /// The lines that the script might log.
        public var log: Int?
        /// The memory of the store `shared`.
        public var shared: Int?

        /// Bounds of nothing.
        public init(
            memory: Int? = nil,
            instructions: Int? = nil,
            time: Duration? = nil,
            table: Int? = nil,
            log: Int? = nil,
            shared: Int? = nil
        ) {}
    }

    /// A value for a script.
    public struct Setting: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
        ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
        ExpressibleByDictionaryLiteral
    {
        /// Nothing.
        public init(_ text: String) {}
        /// Nothing.
        public init(stringLiteral text: String) {}
        /// Nothing.
        public init(integerLiteral number: Int) {}
        /// Nothing.
        public init(floatLiteral number: Double) {}
        /// Nothing.
        public init(booleanLiteral truth: Bool) {}
        /// Nothing.
        public init(arrayLiteral elements: Setting...) {}
        /// Nothing.
        public init(dictionaryLiteral elements: (String, Setting)...) {}
    }

    /// What would be kept of the bodies of one direction.
    public struct BodyLimit: Sendable {
        /// No limit.
        public init(_ maxBytes: Int? = nil, skipping: [String]? = nil) {}
    }

    /// Nothing.
    public static func lua(
        code: String,
        buffer: [Buffered] = [],
        config: Setting? = nil,
        limits: ScriptLimits = ScriptLimits()
    ) -> Component { Component() }
    /// Nothing.
    public static func lua(
        script path: String,
        buffer: [Buffered] = [],
        config: Setting? = nil,
        limits: ScriptLimits = ScriptLimits(),
        reloads: Bool = false
    ) -> Component { Component() }
    /// Nothing.
    public static func limitBody(
        _ maxBytes: Int,
        skipping: [String] = [],
        request: BodyLimit? = nil,
        response: BodyLimit? = nil,
        messages: Int? = nil
    ) -> Component { Component() }
    /// Nothing.
    public static func correlate(
        _ extractors: [Extractor] = [],
        maxBytes: Int? = nil,
        maxBody: Int? = nil
    ) -> Component { Component() }

    /// Where an id would be found.
    public struct Extractor: Sendable, ExpressibleByStringLiteral {
        /// How a value is written.
        public enum Coding: String, Sendable {
            /// With percent signs.
            case percent
            /// In base64.
            case base64
            /// As hexadecimal digits.
            case hex
        }

        /// In which message it stands.
        public enum Message: String, Sendable {
            /// In either.
            case any
            /// In the request.
            case request
            /// In the response.
            case response
        }

        /// A part of a value.
        public struct Part: Sendable, ExpressibleByStringLiteral {
            /// A part.
            public init(_ name: String, json: String? = nil, decode: [Coding] = []) {}
            /// A part.
            public init(stringLiteral name: String) {}
        }

        /// Nowhere.
        public init(stringLiteral name: String) {}
        /// Nowhere.
        public init(
            header name: String,
            in message: Message = .any,
            tag: String? = nil,
            decode: [Coding] = [],
            separator: String? = nil,
            parts: [Part] = []
        ) {}
        /// Nowhere.
        public init(
            json path: String,
            in message: Message = .any,
            tag: String? = nil,
            decode: [Coding] = [],
            separator: String? = nil,
            parts: [Part] = []
        ) {}
    }
}
