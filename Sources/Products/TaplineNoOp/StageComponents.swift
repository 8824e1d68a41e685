// SPDX-License-Identifier: MIT

extension Component {
    /// The messages whose bodies a stage sees completely.
    public enum Buffered: String, Sendable {
        /// Requests.
        case request
        /// Responses.
        case response
    }

    /// The limits of a script.
    public struct ScriptLimits: Sendable {
        /// The most memory of the script.
        public var maxMemory: Int?
        /// The most instructions of one call.
        public var maxInstructions: Int?
        /// The longest time of one call.
        public var maxTime: Duration?
        /// The most entries of one table.
        public var maxTable: Int?
        /// The most lines that the script may log.
        public var maxLog: Int?
        /// The memory of the store `shared`.
        public var sharedMaxBytes: Int?

        /// Creates limits without effect.
        public init(
            maxMemory: Int? = nil,
            maxInstructions: Int? = nil,
            maxTime: Duration? = nil,
            maxTable: Int? = nil,
            maxLog: Int? = nil,
            sharedMaxBytes: Int? = nil
        ) {}
    }

    /// A value for a script.
    public struct Setting: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
        ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
        ExpressibleByDictionaryLiteral
    {
        /// Creates a value without effect.
        public init(_ text: String) {}
        /// Creates a value without effect.
        public init(stringLiteral text: String) {}
        /// Creates a value without effect.
        public init(integerLiteral number: Int) {}
        /// Creates a value without effect.
        public init(floatLiteral number: Double) {}
        /// Creates a value without effect.
        public init(booleanLiteral truth: Bool) {}
        /// Creates a value without effect.
        public init(arrayLiteral elements: Setting...) {}
        /// Creates a value without effect.
        public init(dictionaryLiteral elements: (String, Setting)...) {}
    }

    /// What `limit_body` stores of the bodies of one direction.
    public struct BodyLimit: Sendable {
        /// No limit.
        public init(maxBytes: Int? = nil, skip: [String]? = nil) {}
    }

    /// A component without effect.
    public static func lua(
        code: String,
        buffer: [Buffered] = [],
        config: Setting? = nil,
        limits: ScriptLimits = ScriptLimits()
    ) -> Component { Component() }
    /// A component without effect.
    public static func lua(
        script path: String,
        buffer: [Buffered] = [],
        config: Setting? = nil,
        limits: ScriptLimits = ScriptLimits(),
        reload: Bool = false
    ) -> Component { Component() }
    /// A component without effect.
    public static func limitBody(
        maxBytes: Int,
        skip: [String] = [],
        request: BodyLimit? = nil,
        response: BodyLimit? = nil,
        messages: Int? = nil
    ) -> Component { Component() }
    /// A component without effect.
    public static func correlate(
        _ extractors: [Extractor] = [],
        maxBytes: Int? = nil,
        maxBody: Int? = nil
    ) -> Component { Component() }

    /// Where `correlate` finds an id.
    public struct Extractor: Sendable, ExpressibleByStringLiteral {
        /// The encoding of a value.
        public enum Coding: String, Sendable {
            /// Percent-encoded.
            case percent
            /// Base64.
            case base64
            /// Hexadecimal digits.
            case hex
        }

        /// The message that contains the value.
        public enum Message: String, Sendable {
            /// The request or the response.
            case any
            /// The request.
            case request
            /// The response.
            case response
        }

        /// A part of a value.
        public struct Part: Sendable, ExpressibleByStringLiteral {
            /// Creates a part without effect.
            public init(_ name: String, json: String? = nil, decode: [Coding] = []) {}
            /// Creates a part without effect.
            public init(stringLiteral name: String) {}
        }

        /// Creates a value without effect.
        public init(stringLiteral name: String) {}
        /// Creates a value without effect.
        public init(
            header name: String,
            in message: Message = .any,
            tag: String? = nil,
            decode: [Coding] = [],
            separator: String? = nil,
            parts: [Part] = []
        ) {}
        /// Creates a value without effect.
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
