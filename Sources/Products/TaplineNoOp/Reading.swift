// SPDX-License-Identifier: MIT

public import Foundation
public import TaplineModel

/// The latest exchanges; always empty.
public final class MemoryStore: Sendable {
    /// The limits of a store; they have no effect.
    public struct Limits: Sendable, Equatable {
        /// The most entries.
        public var entries: Int
        /// The most bytes of all entries together.
        public var bytes: Int
        /// How long an entry is kept.
        public var age: Duration?
        /// Whether the exchanges of one run are kept in the next.
        public var keepsAcrossRuns: Bool

        /// Creates limits without effect.
        public init(
            entries: Int = 100,
            bytes: Int = 64 << 20,
            age: Duration? = nil,
            keepsAcrossRuns: Bool = false
        ) {
            self.entries = entries
            self.bytes = bytes
            self.age = age
            self.keepsAcrossRuns = keepsAcrossRuns
        }
    }

    /// The limits, which have no effect.
    public let limits: Limits

    init(_ limits: Limits) { self.limits = limits }

    /// Always empty.
    public var entries: [Entry] { [] }
    /// Does nothing.
    public func clear() {}
}

/// A captured exchange; never created.
public struct Entry: Sendable, Identifiable {
    init() {}

    /// The progress of an exchange.
    public enum State: Sendable, Equatable {
        /// The exchange has not ended.
        case loading
        /// The response is complete.
        case success
        /// There is no response, or only a part of it.
        case failed
        /// The app or a stage cancelled the exchange.
        case cancelled
    }

    /// A header field.
    public struct Field: Sendable, Hashable {
        /// The name as it was recorded.
        public let name: String
        /// The value.
        public let value: String
    }

    /// An empty value.
    public var id: ExchangeID { .none }
    /// Always `nil`.
    public var record: Record? { nil }
    /// Always `nil`.
    public var exchange: Exchange? { nil }
    /// Always `failed`.
    public var state: State { .failed }
    /// An empty value.
    public var started: Timestamp { Timestamp(microseconds: 0) }
    /// An empty value.
    public var startTime: Date { Date() }
    /// Always `nil`.
    public var endTime: Date? { nil }
    /// Always `nil`.
    public var duration: Duration? { nil }
    /// Always `nil`.
    public var formattedDuration: String? { nil }
    /// Always empty.
    public var method: String { "" }
    /// Always empty.
    public var url: String { "" }
    /// Always `nil`.
    public var statusCode: Int? { nil }
    /// Always `nil`.
    public var error: ExchangeError? { nil }
    /// Always empty.
    public var requestHeaders: [Field] { [] }
    /// Always empty.
    public var responseHeaders: [Field] { [] }
    /// Always `nil`.
    public var requestBody: Data? { nil }
    /// Always `nil`.
    public var responseBody: Data? { nil }
    /// Always `nil`.
    public var prettyPrintedRequestBody: String? { nil }
    /// Always `nil`.
    public var prettyPrintedResponseBody: String? { nil }
    /// Always empty.
    public var exportText: String { "" }
    /// Always empty.
    public var copyText: String { "" }
    /// Always `nil`.
    public var curl: String? { nil }
    /// Always `nil`.
    public var har: String? { nil }
}

/// The exchanges that a tap captures; the sequence ends at once.
public struct ExchangeEvents: AsyncSequence, Sendable {
    /// An event of the traffic.
    public enum Event: Sendable {
        /// Never occurs.
        case began(ActiveExchange)
        /// Never occurs.
        case ended(Record)
        /// Never occurs.
        case missed(Int)
    }

    /// The sequence never throws.
    public typealias Failure = Never

    /// Returns an iterator without elements.
    public func makeAsyncIterator() -> Iterator { Iterator() }

    /// An iterator without elements.
    public struct Iterator: AsyncIteratorProtocol {
        /// Always `nil`.
        public mutating func next() async -> Event? { nil }
        /// Always `nil`.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? { nil }
    }
}

/// The data of an unfinished exchange; never created.
public struct ActiveExchange: Sendable, Equatable {
    init() {}

    /// An empty value.
    public var id: ExchangeID { .none }
    /// Always empty.
    public var source: String { "" }
    /// An empty value.
    public var started: Timestamp { Timestamp(microseconds: 0) }
    /// Always empty.
    public var method: ByteString { ByteString() }
    /// Always empty.
    public var scheme: ByteString { ByteString() }
    /// Always empty.
    public var host: ByteString { ByteString() }
    /// Always `nil`.
    public var port: Int? { nil }
}

/// An exchange as sinks receive it; never created.
public final class Record: Sendable {
    init() {}

    /// An empty value.
    public var exchange: Exchange { Exchange(id: .none) }
    /// Always 0.
    public var memory: Int { 0 }
}

/// The traffic of an app; always empty.
public struct TrafficSummary: Sendable {
    /// The exchanges of one host and path pattern; never created.
    public struct Row: Sendable {
        init() {}

        /// Always empty.
        public var host: String { "" }
        /// Always empty.
        public var path: String { "" }
        /// Always 0.
        public var requests: Int { 0 }
        /// Always 0.
        public var responses: Int { 0 }
        /// Always 0.
        public var errors: Int { 0 }
        /// Always 0.
        public var bytesUp: Int { 0 }
        /// Always 0.
        public var bytesDown: Int { 0 }
        /// Always `nil`.
        public func latency(_ part: Double) -> Duration? { nil }
    }

    /// Always empty.
    public var rows: [Row] { [] }
}

extension ExchangeID {
    /// The id in values that are never created.
    fileprivate static let none = ExchangeID(high: 0, low: 0)
}
