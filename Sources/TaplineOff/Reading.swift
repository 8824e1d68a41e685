// SPDX-License-Identifier: MIT

public import Foundation

/// What was captured last: nothing.
public final class MemoryStore: Sendable {
    /// How much would be kept.
    public struct Limits: Sendable, Equatable {
        /// The most entries.
        public var entries: Int
        /// The most bytes of all entries together.
        public var bytes: Int
        /// How long an entry would stay.
        public var age: Duration?
        /// Whether what one run has captured would still be there in the next.
        public var keepsAcrossRuns: Bool

        /// Limits of nothing.
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

    /// How much would be kept.
    public let limits: Limits

    init(_ limits: Limits) { self.limits = limits }

    /// None.
    public var entries: [Entry] { [] }
    /// Does nothing.
    public func clear() {}
}

/// A captured exchange as it is read back: there is none.
public struct Entry: Sendable, Identifiable {
    init() {}

    /// How far an exchange has come.
    public enum State: Sendable, Equatable {
        /// It has not ended.
        case loading
        /// The response is whole.
        case success
        /// There is no response, or not all of it.
        case failed
        /// The app, or a stage, gave it up.
        case cancelled
    }

    /// A header field.
    public struct Field: Sendable, Hashable {
        /// The name as it was recorded.
        public let name: String
        /// The value.
        public let value: String
    }

    /// Nothing has one.
    public var id: ExchangeID { ExchangeID() }
    /// Nothing has one.
    public var record: Record? { nil }
    /// Nothing has one.
    public var exchange: Exchange? { nil }
    /// Nothing has one.
    public var state: State { .failed }
    /// Nothing has one.
    public var started: Timestamp { Timestamp() }
    /// Nothing has one.
    public var startTime: Date { Date() }
    /// Nothing has one.
    public var endTime: Date? { nil }
    /// Nothing has one.
    public var duration: Duration? { nil }
    /// Nothing has one.
    public var formattedDuration: String? { nil }
    /// Nothing has one.
    public var method: String { "" }
    /// Nothing has one.
    public var url: String { "" }
    /// Nothing has one.
    public var statusCode: Int? { nil }
    /// Nothing has one.
    public var error: ExchangeError? { nil }
    /// Nothing has them.
    public var requestHeaders: [Field] { [] }
    /// Nothing has them.
    public var responseHeaders: [Field] { [] }
    /// Nothing has one.
    public var requestBody: Data? { nil }
    /// Nothing has one.
    public var responseBody: Data? { nil }
    /// Nothing has one.
    public var prettyPrintedRequestBody: String? { nil }
    /// Nothing has one.
    public var prettyPrintedResponseBody: String? { nil }
    /// Nothing has one.
    public var exportText: String { "" }
    /// Nothing has one.
    public var copyText: String { "" }
    /// Nothing has one.
    public var curl: String? { nil }
    /// Nothing has one.
    public var har: String? { nil }
}

/// What a tap captures, as it happens: it ends at once.
public struct ExchangeEvents: AsyncSequence, Sendable {
    /// What would happen.
    public enum Event: Sendable {
        /// Never.
        case began(ActiveExchange)
        /// Never.
        case ended(Record)
        /// Never.
        case missed(Int)
    }

    /// Never: it just ends.
    public typealias Failure = Never

    /// Reads nothing.
    public func makeAsyncIterator() -> Iterator { Iterator() }

    /// Reads nothing.
    public struct Iterator: AsyncIteratorProtocol {
        /// Nothing.
        public mutating func next() async -> Event? { nil }
        /// Nothing.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? { nil }
    }
}

/// What may be known of an exchange on its way: there is none.
public struct ActiveExchange: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var id: ExchangeID { ExchangeID() }
    /// Nothing has one.
    public var source: String { "" }
    /// Nothing has one.
    public var started: Timestamp { Timestamp() }
    /// Nothing has one.
    public var method: ByteString { ByteString() }
    /// Nothing has one.
    public var scheme: ByteString { ByteString() }
    /// Nothing has one.
    public var host: ByteString { ByteString() }
    /// Nothing has one.
    public var port: Int? { nil }
}

/// An exchange as sinks see it: there is none.
public final class Record: Sendable {
    init() {}

    /// Nothing has one.
    public var exchange: Exchange { Exchange() }
    /// Nothing has it.
    public var memory: Int { 0 }
}

/// What an app has sent and received: nothing was counted.
public struct TrafficSummary: Sendable {
    /// The exchanges of one host and kind of path: there are none.
    public struct Row: Sendable {
        init() {}

        /// Nothing has one.
        public var host: String { "" }
        /// Nothing has one.
        public var path: String { "" }
        /// Nothing has them.
        public var requests: Int { 0 }
        /// Nothing has them.
        public var responses: Int { 0 }
        /// Nothing has them.
        public var errors: Int { 0 }
        /// Nothing has them.
        public var bytesUp: Int { 0 }
        /// Nothing has them.
        public var bytesDown: Int { 0 }
        /// Nothing has one.
        public func latency(_ part: Double) -> Duration? { nil }
    }

    /// None.
    public var rows: [Row] { [] }
}
