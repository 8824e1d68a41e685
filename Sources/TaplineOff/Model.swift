// SPDX-License-Identifier: MIT

// What an exchange consists of, for source that reads it: none of these values is ever made, so that
// nothing of the model is linked.

/// One request, what came of it, and what is known about the way: there is none.
public enum Exchange: Sendable, Equatable {
    /// Nothing has one.
    public var id: ExchangeID { switch self {} }
    /// Nothing has one.
    public var source: String { switch self {} }
    /// Nothing has one.
    public var state: ExchangeState { switch self {} }
    /// Nothing has one.
    public var started: Timestamp { switch self {} }
    /// Nothing has one.
    public var request: Request { switch self {} }
    /// Nothing has one.
    public var response: Response? { switch self {} }
    /// Nothing has one.
    public var timing: Timing { switch self {} }
    /// Nothing has one.
    public var connection: Connection { switch self {} }
    /// Nothing has one.
    public var bytes: ByteCounts? { switch self {} }
    /// Nothing has them.
    public var messages: [StreamMessage] { switch self {} }
    /// Nothing has one.
    public var original: Original { switch self {} }
    /// Nothing has them.
    public var tags: Tags { switch self {} }
    /// Nothing has one.
    public var error: ExchangeError? { switch self {} }
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
public enum Request: Sendable, Equatable {
    /// Nothing has one.
    public var method: ByteString { switch self {} }
    /// Nothing has one.
    public var target: ByteString { switch self {} }
    /// Nothing has one.
    public var scheme: ByteString { switch self {} }
    /// Nothing has one.
    public var authority: ByteString { switch self {} }
    /// Nothing has one.
    public var version: ByteString { switch self {} }
    /// Nothing has one.
    public var fields: FieldSection { switch self {} }
    /// Nothing has one.
    public var body: Body { switch self {} }
    /// Nothing has one.
    public var trailers: FieldSection { switch self {} }
    /// Nothing has one.
    public var url: ByteString { switch self {} }
    /// Nothing has one.
    public var host: ByteString { switch self {} }
    /// Nothing has one.
    public var port: Int? { switch self {} }
}

/// A response: there is none.
public enum Response: Sendable, Equatable {
    /// Nothing has one.
    public var status: Int { switch self {} }
    /// Nothing has one.
    public var reason: ByteString { switch self {} }
    /// Nothing has one.
    public var version: ByteString { switch self {} }
    /// Nothing has one.
    public var fields: FieldSection { switch self {} }
    /// Nothing has one.
    public var body: Body { switch self {} }
    /// Nothing has one.
    public var trailers: FieldSection { switch self {} }
    /// Nothing has them.
    public var interim: [InterimResponse] { switch self {} }
}

/// A response before the final one: there is none.
public enum InterimResponse: Sendable, Equatable {
    /// Nothing has one.
    public var status: Int { switch self {} }
    /// Nothing has one.
    public var fields: FieldSection { switch self {} }
}

/// Header fields: there are none.
public enum FieldSection: Sendable, Equatable {
    /// Nothing has one.
    public var count: Int { switch self {} }
    /// Nothing has one.
    public var isEmpty: Bool { switch self {} }
    /// Nothing has one.
    public var indices: Range<Int> { switch self {} }
    /// Nothing has one.
    public var byteCount: Int { switch self {} }
    /// Nothing has one.
    public func contains(_ name: String) -> Bool { switch self {} }
    /// Nothing has one.
    public func first(_ name: String) -> ByteString? { switch self {} }
    /// Nothing has them.
    public func all(_ name: String) -> [ByteString] { switch self {} }
    /// Nothing has one.
    public func firstIndex(of name: String, from start: Int = 0) -> Int? { switch self {} }
}

/// A body: there is none.
public enum Body: Sendable, Equatable {
    /// Nothing has them.
    public var bytes: [UInt8] { switch self {} }
    /// Nothing has one.
    public var size: Int? { switch self {} }
    /// Nothing has one.
    public var coding: ByteString { switch self {} }
    /// Nothing has one.
    public var isTruncated: Bool { switch self {} }
    /// Nothing has one.
    public var decodedSize: Int? { switch self {} }
    /// Nothing has one.
    public var isAbsent: Bool { switch self {} }
}

/// What an exchange went over: there is none.
public enum Connection: Sendable, Equatable {
    /// Nothing has one.
    public var client: String { switch self {} }
    /// Nothing has one.
    public var server: String { switch self {} }
    /// Nothing has one.
    public var isReused: Bool? { switch self {} }
    /// Nothing has one.
    public var tls: TLSInfo? { switch self {} }
    /// Nothing has one.
    public var serverTLS: TLSInfo? { switch self {} }
}

/// What is known of TLS: nothing.
public enum TLSInfo: Sendable, Equatable {
    /// Nothing has one.
    public var version: String { switch self {} }
    /// Nothing has one.
    public var cipher: String { switch self {} }
    /// Nothing has one.
    public var sni: String { switch self {} }
    /// Nothing has one.
    public var alpn: String { switch self {} }
}

/// How long the parts took: there are none.
public enum Timing: Sendable, Equatable {
    /// Nothing has one.
    public var dns: Microseconds? { switch self {} }
    /// Nothing has one.
    public var connect: Microseconds? { switch self {} }
    /// Nothing has one.
    public var tls: Microseconds? { switch self {} }
    /// Nothing has one.
    public var send: Microseconds? { switch self {} }
    /// Nothing has one.
    public var wait: Microseconds? { switch self {} }
    /// Nothing has one.
    public var receive: Microseconds? { switch self {} }
    /// Nothing has one.
    public var total: Microseconds? { switch self {} }
}

/// How many bytes went over the wire: none.
public enum ByteCounts: Sendable, Equatable {
    /// Nothing has one.
    public var up: Direction { switch self {} }
    /// Nothing has one.
    public var down: Direction { switch self {} }
    /// Nothing has one.
    public var isExact: Bool { switch self {} }

    /// One direction: there is none.
    public enum Direction: Sendable, Equatable {
        /// Nothing has one.
        public var line: Int { switch self {} }
        /// Nothing has one.
        public var headers: Int { switch self {} }
        /// Nothing has one.
        public var body: Int { switch self {} }
        /// Nothing has one.
        public var total: Int { switch self {} }
    }
}

/// A message of a stream: there is none.
public enum StreamMessage: Sendable, Equatable {
    /// Nothing has one.
    public var direction: Direction { switch self {} }
    /// Nothing has one.
    public var at: Microseconds? { switch self {} }
    /// Nothing has one.
    public var type: String { switch self {} }
    /// Nothing has one.
    public var code: Int? { switch self {} }
    /// Nothing has them.
    public var bytes: [UInt8] { switch self {} }
    /// Nothing has one.
    public var size: Int? { switch self {} }
    /// Nothing has one.
    public var isTruncated: Bool { switch self {} }
    /// Nothing has one.
    public var isData: Bool { switch self {} }

    /// Which way a message goes.
    public enum Direction: UInt8, Sendable {
        /// To the server.
        case up
        /// To the client.
        case down
    }
}

/// What stages have changed: nothing.
public enum Original: Sendable, Equatable {
    /// Nothing has one.
    public var method: ByteString? { switch self {} }
    /// Nothing has one.
    public var url: ByteString? { switch self {} }
    /// Nothing has one.
    public var status: Int? { switch self {} }
    /// Nothing has one.
    public var isEmpty: Bool { switch self {} }
}

/// What stages have noted: nothing.
public enum Tags: Sendable, Equatable, Sequence {
    /// Nothing has one.
    public var count: Int { switch self {} }
    /// Nothing has one.
    public var isEmpty: Bool { switch self {} }
    /// Nothing has one.
    public subscript(name: String) -> String? { switch self {} }
    /// Nothing has one.
    public func makeIterator() -> IndexingIterator<[Tag]> { switch self {} }

    /// One of them: there is none.
    public enum Tag: Sendable, Equatable {
        /// Nothing has one.
        public var name: String { switch self {} }
        /// Nothing has one.
        public var value: String { switch self {} }
    }
}

/// Why there is no response: there is none.
public enum ExchangeError: Sendable, Equatable {
    /// Nothing has one.
    public var code: String { switch self {} }
    /// Nothing has one.
    public var message: String { switch self {} }
}

/// The id of an exchange: there is none.
public enum ExchangeID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Nothing has one.
    public var high: UInt64 { switch self {} }
    /// Nothing has one.
    public var low: UInt64 { switch self {} }
    /// Nothing has one.
    public var isVersion7: Bool { switch self {} }
    /// Nothing has one.
    public var description: String { switch self {} }
}

/// A moment: there is none.
public enum Timestamp: Sendable, Hashable, Comparable {
    /// Nothing has one.
    public var microseconds: Int64 { switch self {} }
    /// Nothing has one.
    public var rfc3339: String { switch self {} }
}

/// A time span: there is none.
public enum Microseconds: Sendable, Hashable, Comparable {
    /// Nothing has one.
    public var count: Int64 { switch self {} }
    /// Nothing has one.
    public var milliseconds: Double { switch self {} }
}

/// Bytes that may be text: only literals make any, to be compared with what is not there.
public struct ByteString: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Nothing of the literal is kept.
    public init(stringLiteral value: String) {}

    /// None.
    public var count: Int { 0 }
    /// Always.
    public var isEmpty: Bool { true }
    /// Nothing.
    public var text: String? { "" }
    /// Nothing.
    public var description: String { "" }
}
