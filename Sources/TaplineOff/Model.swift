// SPDX-License-Identifier: MIT

// What an exchange consists of, for source that reads it: none of these values is ever made, so that
// nothing of the model is linked.

/// One request, what came of it, and what is known about the way: there is none.
public struct Exchange: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var id: ExchangeID { ExchangeID() }
    /// Nothing has one.
    public var source: String { "" }
    /// Nothing has one.
    public var state: ExchangeState { .failed }
    /// Nothing has one.
    public var started: Timestamp { Timestamp() }
    /// Nothing has one.
    public var request: Request { Request() }
    /// Nothing has one.
    public var response: Optional<Response> { nil }
    /// Nothing has one.
    public var timing: Timing { Timing() }
    /// Nothing has one.
    public var connection: Connection { Connection() }
    /// Nothing has one.
    public var bytes: ByteCounts? { nil }
    /// Nothing has them.
    public var messages: [StreamMessage] { [] }
    /// Nothing has one.
    public var original: Original { Original() }
    /// Nothing has them.
    public var tags: Tags { Tags() }
    /// Nothing has one.
    public var error: ExchangeError? { nil }
    /// Nothing has it.
    public var har: ByteString { ByteString() }
    /// Nothing has one.
    public var extra: ExchangeExtra? { nil }
}

/// How an exchange ended.
public enum ExchangeState: UInt8, Sendable, Hashable, CaseIterable {
    /// The response is whole.
    case completed
    /// There is no response, or not all of it.
    case failed
    /// It was given up.
    case cancelled

    /// Its name in records.
    public var name: String { "" }
}

/// A request: there is none.
public struct Request: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var method: ByteString { ByteString() }
    /// Nothing has one.
    public var target: ByteString { ByteString() }
    /// Nothing has one.
    public var scheme: ByteString { ByteString() }
    /// Nothing has one.
    public var authority: ByteString { ByteString() }
    /// Nothing has one.
    public var version: ByteString { ByteString() }
    /// Nothing has one.
    public var fields: FieldSection { FieldSection() }
    /// Nothing has one.
    public var body: Body { Body() }
    /// Nothing has one.
    public var trailers: FieldSection { FieldSection() }
    /// Nothing has one.
    public var contentType: ByteString { ByteString() }
    /// Nothing has one.
    public var mediaType: ByteString { ByteString() }
    /// Nothing has one.
    public var url: ByteString { ByteString() }
    /// Nothing has one.
    public var host: ByteString { ByteString() }
    /// Nothing has one.
    public var port: Int? { nil }
    /// Nothing has one.
    public var hostRange: Range<Int> { 0..<0 }
    /// Nothing has one.
    public var pathRange: Range<Int> { 0..<0 }
    /// Nothing has one.
    public var queryRange: Range<Int> { 0..<0 }
}

/// A response: there is none.
public struct Response: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var status: Int { 0 }
    /// Nothing has one.
    public var reason: ByteString { ByteString() }
    /// Nothing has one.
    public var version: ByteString { ByteString() }
    /// Nothing has one.
    public var fields: FieldSection { FieldSection() }
    /// Nothing has one.
    public var body: Body { Body() }
    /// Nothing has one.
    public var trailers: FieldSection { FieldSection() }
    /// Nothing has one.
    public var contentType: ByteString { ByteString() }
    /// Nothing has one.
    public var mediaType: ByteString { ByteString() }
    /// Nothing has them.
    public var interim: [InterimResponse] { [] }
}

/// A response before the final one: there is none.
public struct InterimResponse: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var status: Int { 0 }
    /// Nothing has one.
    public var reason: ByteString { ByteString() }
    /// Nothing has one.
    public var fields: FieldSection { FieldSection() }
}

/// Header fields: there are none.
public struct FieldSection: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var count: Int { 0 }
    /// Nothing has one.
    public var isEmpty: Bool { true }
    /// Nothing has one.
    public var indices: Range<Int> { 0..<0 }
    /// Nothing has one.
    public var byteCount: Int { 0 }
    /// Nothing has one.
    public var mediaType: ByteString { ByteString() }
    /// Nothing has one.
    public func contains(_ name: String) -> Bool { false }
    /// Nothing has one.
    public func first(_ name: String) -> ByteString? { nil }
    /// Nothing has them.
    public func all(_ name: String) -> [ByteString] { [] }
    /// Nothing has one.
    public func firstIndex(of name: String, from start: Int = 0) -> Int? { nil }
}

/// A body: there is none.
public struct Body: Sendable, Equatable {
    init() {}

    /// Nothing has them.
    public var bytes: [UInt8] { [] }
    /// Nothing has one.
    public var size: Int? { nil }
    /// Nothing has one.
    public var coding: ByteString { ByteString() }
    /// Nothing has one.
    public var isTruncated: Bool { false }
    /// Nothing has one.
    public var decodedSize: Int? { nil }
    /// Nothing has one.
    public var contentType: ByteString { ByteString() }
    /// Nothing has one.
    public var isAbsent: Bool { false }
    /// Nothing has one.
    public func contentType(_ fields: borrowing FieldSection) -> ByteString { ByteString() }
    /// Nothing has one.
    public func mediaType(_ fields: borrowing FieldSection) -> ByteString { ByteString() }
}

/// What an exchange went over: there is none.
public struct Connection: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var client: String { "" }
    /// Nothing has one.
    public var server: String { "" }
    /// Nothing has one.
    public var isReused: Bool? { nil }
    /// Nothing has one.
    public var tls: TLSInfo? { nil }
    /// Nothing has one.
    public var serverTLS: TLSInfo? { nil }
}

/// What is known of TLS: nothing.
public final class TLSInfo: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var version: String { "" }
    /// Nothing has one.
    public var cipher: String { "" }
    /// Nothing has one.
    public var sni: String { "" }
    /// Nothing has one.
    public var alpn: String { "" }
    /// Nothing has one.
    public var handshake: Handshake? { nil }
    /// Always.
    public static func == (left: TLSInfo, right: TLSInfo) -> Bool { true }

    /// What a handshake took: there is none.
    public struct Handshake: Sendable, Equatable {
        init() {}

        /// Nothing has it.
        public var up: Int { 0 }
        /// Nothing has it.
        public var down: Int { 0 }
    }
}

/// How long the parts took: there are none.
public struct Timing: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var dns: Microseconds? { nil }
    /// Nothing has one.
    public var connect: Microseconds? { nil }
    /// Nothing has one.
    public var tls: Microseconds? { nil }
    /// Nothing has one.
    public var send: Microseconds? { nil }
    /// Nothing has one.
    public var wait: Microseconds? { nil }
    /// Nothing has one.
    public var firstEvent: Microseconds? { nil }
    /// Nothing has one.
    public var receive: Microseconds? { nil }
    /// Nothing has one.
    public var total: Microseconds? { nil }
}

/// How many bytes went over the wire: none.
public struct ByteCounts: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var up: Direction { Direction() }
    /// Nothing has one.
    public var down: Direction { Direction() }
    /// Nothing has one.
    public var isExact: Bool { false }

    /// One direction: there is none.
    public struct Direction: Sendable, Equatable {
        init() {}

        /// Nothing has one.
        public var line: Int { 0 }
        /// Nothing has one.
        public var headers: Int { 0 }
        /// Nothing has one.
        public var body: Int { 0 }
        /// Nothing has one.
        public var total: Int { 0 }
    }
}

/// A message of a stream: there is none.
public struct StreamMessage: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var direction: Direction { .down }
    /// Nothing has one.
    public var at: Microseconds? { nil }
    /// Nothing has one.
    public var type: String { "" }
    /// Nothing has one.
    public var event: String { "" }
    /// Nothing has one.
    public var eventID: String { "" }
    /// Nothing has one.
    public var code: Int? { nil }
    /// Nothing has them.
    public var bytes: [UInt8] { [] }
    /// Nothing has one.
    public var size: Int? { nil }
    /// Nothing has one.
    public var isTruncated: Bool { false }
    /// Nothing has one.
    public var isData: Bool { false }
    /// Nothing is one.
    public var isEvent: Bool { false }

    /// Which way a message goes.
    public enum Direction: UInt8, Sendable {
        /// To the server.
        case up
        /// To the client.
        case down
    }
}

/// What stages have changed: nothing.
public struct Original: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var method: ByteString? { nil }
    /// Nothing has one.
    public var url: ByteString? { nil }
    /// Nothing has one.
    public var status: Int? { nil }
    /// Nothing has one.
    public var isEmpty: Bool { true }
}

/// What stages have noted: nothing.
public struct Tags: Sendable, Equatable, RandomAccessCollection {
    init() {}

    /// Nothing has one.
    public var count: Int { 0 }
    /// Nothing has one.
    public var isEmpty: Bool { true }
    /// Nothing has one.
    public subscript(name: String) -> String? { nil }
    /// None.
    public var startIndex: Int { 0 }
    /// None.
    public var endIndex: Int { 0 }
    /// Nothing has one.
    public subscript(position: Int) -> Tag { Tag() }

    /// One of them: there is none.
    public struct Tag: Sendable, Equatable {
        init() {}

        /// Nothing has one.
        public var name: String { "" }
        /// Nothing has one.
        public var value: String { "" }
    }
}

/// Why there is no response: there is none.
public struct ExchangeError: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var code: String { "" }
    /// Nothing has one.
    public var message: String { "" }
}

/// The id of an exchange: there is none.
public struct ExchangeID: Sendable, Hashable, Comparable, CustomStringConvertible {
    init() {}
    /// The numbers are not kept.
    public init(high: UInt64, low: UInt64) {}
    /// Nothing of the text is kept.
    public init?(_ text: String) {}

    /// Nothing has one.
    public var high: UInt64 { 0 }
    /// Nothing has one.
    public var low: UInt64 { 0 }
    /// Nothing has one.
    public var isVersion7: Bool { false }
    /// Nothing has one.
    public var description: String { "" }
    /// Never.
    public static func < (left: ExchangeID, right: ExchangeID) -> Bool { false }
}

/// A moment: there is none.
public struct Timestamp: Sendable, Hashable, Comparable {
    init() {}
    /// The moment is not kept.
    public init(microseconds: Int64) {}
    /// Nothing of the text is kept.
    public init?(rfc3339 text: String) {}

    /// Nothing has one.
    public var microseconds: Int64 { 0 }
    /// Nothing has one.
    public var rfc3339: String { "" }
    /// Nothing has one.
    public var date: (year: Int64, month: Int, day: Int) { (0, 0, 0) }
    /// Nothing has one.
    public var time: (hour: Int, minute: Int, second: Int, microsecond: Int) { (0, 0, 0, 0) }
    /// Never.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { false }
}

/// A time span: there is none.
public struct Microseconds: Sendable, Hashable, Comparable {
    init() {}
    /// The number is not kept.
    public init(_ count: Int64) {}
    /// The time is not kept.
    public init(_ duration: Duration) {}
    /// The number is not kept.
    public init?(milliseconds: Double) {}

    /// Nothing has one.
    public var count: Int64 { 0 }
    /// Nothing has one.
    public var milliseconds: Double { 0 }
    /// Never.
    public static func < (left: Microseconds, right: Microseconds) -> Bool { false }
}

/// Bytes that may be text: only literals make any, to be compared with what is not there.
public struct ByteString: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Nothing of the literal is kept.
    public init(stringLiteral value: String) {}
    init() {}
    /// Nothing of the text is kept.
    public init(_ text: String) {}
    /// Nothing of the bytes is kept.
    public init(_ bytes: [UInt8]) {}

    /// None.
    public var count: Int { 0 }
    /// Always.
    public var isEmpty: Bool { true }
    /// Nothing.
    public var text: String? { "" }
    /// Nothing.
    public var mediaType: ByteString { ByteString() }
    /// Never.
    public var isJSONMediaType: Bool { false }
    /// Nothing.
    public var description: String { "" }
}
