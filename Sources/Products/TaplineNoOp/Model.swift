// SPDX-License-Identifier: MIT

// The parts of an exchange, for source code that reads them. Exchanges are never created, so
// nothing of the model is linked.

/// One request, its outcome and the details of its transport; never created.
public struct Exchange: Sendable, Equatable {
    init() {}

    /// An empty value.
    public var id: ExchangeID { ExchangeID() }
    /// Always empty.
    public var source: String { "" }
    /// Always `failed`.
    public var state: ExchangeState { .failed }
    /// An empty value.
    public var started: Timestamp { Timestamp() }
    /// An empty value.
    public var request: Request { Request() }
    /// Always `nil`.
    public var response: Optional<Response> { nil }
    /// Always empty.
    public var timing: Timing { Timing() }
    /// Always empty.
    public var connection: Connection { Connection() }
    /// Always `nil`.
    public var bytes: ByteCounts? { nil }
    /// Always empty.
    public var messages: [StreamMessage] { [] }
    /// Always empty.
    public var original: Original { Original() }
    /// Always empty.
    public var tags: Tags { Tags() }
    /// Always `nil`.
    public var error: ExchangeError? { nil }
    /// Always empty.
    public var har: ByteString { ByteString() }
    /// Always `nil`.
    public var extra: ExchangeExtra? { nil }
}

/// How an exchange ended.
public enum ExchangeState: UInt8, Sendable, Hashable, CaseIterable {
    /// The response is complete.
    case completed
    /// There is no response, or only a part of it.
    case failed
    /// The exchange was cancelled.
    case cancelled

    /// Always empty.
    public var name: String { "" }
}

/// A request; never created.
public struct Request: Sendable, Equatable {
    init() {}

    /// Always empty.
    public var method: ByteString { ByteString() }
    /// Always empty.
    public var target: ByteString { ByteString() }
    /// Always empty.
    public var scheme: ByteString { ByteString() }
    /// Always empty.
    public var authority: ByteString { ByteString() }
    /// Always empty.
    public var version: ByteString { ByteString() }
    /// Always empty.
    public var fields: FieldSection { FieldSection() }
    /// Always empty.
    public var body: Body { Body() }
    /// Always empty.
    public var trailers: FieldSection { FieldSection() }
    /// Always empty.
    public var contentType: ByteString { ByteString() }
    /// Always empty.
    public var mediaType: ByteString { ByteString() }
    /// Always empty.
    public var url: ByteString { ByteString() }
    /// Always empty.
    public var host: ByteString { ByteString() }
    /// Always `nil`.
    public var port: Int? { nil }
    /// Always empty.
    public var hostRange: Range<Int> { 0..<0 }
    /// Always empty.
    public var pathRange: Range<Int> { 0..<0 }
    /// Always empty.
    public var queryRange: Range<Int> { 0..<0 }
}

/// A response; never created.
public struct Response: Sendable, Equatable {
    init() {}

    /// Always 0.
    public var status: Int { 0 }
    /// Always empty.
    public var reason: ByteString { ByteString() }
    /// Always empty.
    public var version: ByteString { ByteString() }
    /// Always empty.
    public var fields: FieldSection { FieldSection() }
    /// Always empty.
    public var body: Body { Body() }
    /// Always empty.
    public var trailers: FieldSection { FieldSection() }
    /// Always empty.
    public var contentType: ByteString { ByteString() }
    /// Always empty.
    public var mediaType: ByteString { ByteString() }
    /// Always empty.
    public var interim: [InterimResponse] { [] }
}

/// An interim response; never created.
public struct InterimResponse: Sendable, Equatable {
    init() {}

    /// Always 0.
    public var status: Int { 0 }
    /// Always empty.
    public var reason: ByteString { ByteString() }
    /// Always empty.
    public var fields: FieldSection { FieldSection() }
}

/// Header fields; always empty.
public struct FieldSection: Sendable, Equatable {
    init() {}

    /// Always 0.
    public var count: Int { 0 }
    /// Always `true`.
    public var isEmpty: Bool { true }
    /// Always empty.
    public var indices: Range<Int> { 0..<0 }
    /// Always 0.
    public var byteCount: Int { 0 }
    /// Always empty.
    public var mediaType: ByteString { ByteString() }
    /// Always `false`.
    public func contains(_ name: String) -> Bool { false }
    /// Always `nil`.
    public func first(_ name: String) -> ByteString? { nil }
    /// Always empty.
    public func all(_ name: String) -> [ByteString] { [] }
    /// Always `nil`.
    public func firstIndex(of name: String, from start: Int = 0) -> Int? { nil }
}

/// A body; never created.
public struct Body: Sendable, Equatable {
    init() {}

    /// Always empty.
    public var bytes: [UInt8] { [] }
    /// Always `nil`.
    public var size: Int? { nil }
    /// Always empty.
    public var coding: ByteString { ByteString() }
    /// Always `false`.
    public var isTruncated: Bool { false }
    /// Always `nil`.
    public var decodedSize: Int? { nil }
    /// Always empty.
    public var contentType: ByteString { ByteString() }
    /// Always `false`.
    public var isAbsent: Bool { false }
    /// Always empty.
    public func contentType(_ fields: borrowing FieldSection) -> ByteString { ByteString() }
    /// Always empty.
    public func mediaType(_ fields: borrowing FieldSection) -> ByteString { ByteString() }
}

/// The connection of an exchange; never created.
public struct Connection: Sendable, Equatable {
    init() {}

    /// Always empty.
    public var client: String { "" }
    /// Always empty.
    public var server: String { "" }
    /// Always `nil`.
    public var isReused: Bool? { nil }
    /// Always `nil`.
    public var tls: TLSInfo? { nil }
    /// Always `nil`.
    public var serverTLS: TLSInfo? { nil }
}

/// The details of TLS; never created.
public final class TLSInfo: Sendable, Equatable {
    init() {}

    /// Always empty.
    public var version: String { "" }
    /// Always empty.
    public var cipher: String { "" }
    /// Always empty.
    public var sni: String { "" }
    /// Always empty.
    public var alpn: String { "" }
    /// Always `nil`.
    public var handshake: Handshake? { nil }
    /// Always `true`.
    public static func == (left: TLSInfo, right: TLSInfo) -> Bool { true }

    /// The bytes of a handshake; never created.
    public struct Handshake: Sendable, Equatable {
        init() {}

        /// Always 0.
        public var up: Int { 0 }
        /// Always 0.
        public var down: Int { 0 }
    }
}

/// The durations of an exchange's phases; never created.
public struct Timing: Sendable, Equatable {
    init() {}

    /// Always `nil`.
    public var dns: Microseconds? { nil }
    /// Always `nil`.
    public var connect: Microseconds? { nil }
    /// Always `nil`.
    public var tls: Microseconds? { nil }
    /// Always `nil`.
    public var send: Microseconds? { nil }
    /// Always `nil`.
    public var wait: Microseconds? { nil }
    /// Always `nil`.
    public var firstEvent: Microseconds? { nil }
    /// Always `nil`.
    public var receive: Microseconds? { nil }
    /// Always `nil`.
    public var total: Microseconds? { nil }
}

/// The number of bytes on the wire; never created.
public struct ByteCounts: Sendable, Equatable {
    init() {}

    /// Always empty.
    public var up: Direction { Direction() }
    /// Always empty.
    public var down: Direction { Direction() }
    /// Always `false`.
    public var isExact: Bool { false }

    /// The bytes of one direction; never created.
    public struct Direction: Sendable, Equatable {
        init() {}

        /// Always 0.
        public var line: Int { 0 }
        /// Always 0.
        public var headers: Int { 0 }
        /// Always 0.
        public var body: Int { 0 }
        /// Always 0.
        public var total: Int { 0 }
    }
}

/// A message of a stream; never created.
public struct StreamMessage: Sendable, Equatable {
    init() {}

    /// Always `down`.
    public var direction: Direction { .down }
    /// Always `nil`.
    public var at: Microseconds? { nil }
    /// Always empty.
    public var type: String { "" }
    /// Always empty.
    public var event: String { "" }
    /// Always empty.
    public var eventID: String { "" }
    /// Always `nil`.
    public var code: Int? { nil }
    /// Always empty.
    public var bytes: [UInt8] { [] }
    /// Always `nil`.
    public var size: Int? { nil }
    /// Always `false`.
    public var isTruncated: Bool { false }
    /// Always `false`.
    public var isData: Bool { false }
    /// Always `false`.
    public var isEvent: Bool { false }

    /// The direction of a message.
    public enum Direction: UInt8, Sendable {
        /// To the server.
        case up
        /// To the client.
        case down
    }
}

/// The values that stages have changed; never created.
public struct Original: Sendable, Equatable {
    init() {}

    /// Always `nil`.
    public var method: ByteString? { nil }
    /// Always `nil`.
    public var url: ByteString? { nil }
    /// Always `nil`.
    public var status: Int? { nil }
    /// Always `true`.
    public var isEmpty: Bool { true }
}

/// The tags that stages have set; always empty.
public struct Tags: Sendable, Equatable, RandomAccessCollection {
    init() {}

    /// Always 0.
    public var count: Int { 0 }
    /// Always `true`.
    public var isEmpty: Bool { true }
    /// Always `nil`.
    public subscript(name: String) -> String? { nil }
    /// Always 0.
    public var startIndex: Int { 0 }
    /// Always 0.
    public var endIndex: Int { 0 }
    /// An empty value.
    public subscript(position: Int) -> Tag { Tag() }

    /// A tag; never created.
    public struct Tag: Sendable, Equatable {
        init() {}

        /// Always empty.
        public var name: String { "" }
        /// Always empty.
        public var value: String { "" }
    }
}

/// The reason why there is no response; never created.
public struct ExchangeError: Sendable, Equatable {
    init() {}

    /// Always empty.
    public var code: String { "" }
    /// Always empty.
    public var message: String { "" }
}

/// The id of an exchange; never created by a tap.
public struct ExchangeID: Sendable, Hashable, Comparable, CustomStringConvertible {
    init() {}
    /// Ignores the numbers.
    public init(high: UInt64, low: UInt64) {}
    /// Ignores the text.
    public init?(_ text: String) {}

    /// Always 0.
    public var high: UInt64 { 0 }
    /// Always 0.
    public var low: UInt64 { 0 }
    /// Always `false`.
    public var isVersion7: Bool { false }
    /// Always empty.
    public var description: String { "" }
    /// Always `false`.
    public static func < (left: ExchangeID, right: ExchangeID) -> Bool { false }
}

/// A moment; never created by a tap.
public struct Timestamp: Sendable, Hashable, Comparable {
    init() {}
    /// Ignores the moment.
    public init(microseconds: Int64) {}
    /// Ignores the text.
    public init?(rfc3339 text: String) {}

    /// Always 0.
    public var microseconds: Int64 { 0 }
    /// Always empty.
    public var rfc3339: String { "" }
    /// Always zero.
    public var date: (year: Int64, month: Int, day: Int) { (0, 0, 0) }
    /// Always zero.
    public var time: (hour: Int, minute: Int, second: Int, microsecond: Int) { (0, 0, 0, 0) }
    /// Always `false`.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { false }
}

/// A time span; never created by a tap.
public struct Microseconds: Sendable, Hashable, Comparable {
    init() {}
    /// Ignores the number.
    public init(_ count: Int64) {}
    /// Ignores the duration.
    public init(_ duration: Duration) {}
    /// Ignores the number.
    public init?(milliseconds: Double) {}

    /// Always 0.
    public var count: Int64 { 0 }
    /// Always 0.
    public var milliseconds: Double { 0 }
    /// Always `false`.
    public static func < (left: Microseconds, right: Microseconds) -> Bool { false }
}

/// Bytes that may be text: only literals create them, for comparisons.
public struct ByteString: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Ignores the literal.
    public init(stringLiteral value: String) {}
    init() {}
    /// Ignores the text.
    public init(_ text: String) {}
    /// Ignores the bytes.
    public init(_ bytes: [UInt8]) {}

    /// Always 0.
    public var count: Int { 0 }
    /// Always `true`.
    public var isEmpty: Bool { true }
    /// Always empty.
    public var text: String? { "" }
    /// Always empty.
    public var mediaType: ByteString { ByteString() }
    /// Always `false`.
    public var isJSONMediaType: Bool { false }
    /// Always empty.
    public var description: String { "" }
}
