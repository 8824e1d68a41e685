// SPDX-License-Identifier: MIT

public import TaplineModel

/// An open sink: it stores or shows records.
///
/// **Isolation**: only the sink's own thread makes calls.
public protocol Sink: AnyObject {
    /// Writes a batch completely or not at all, so that a retry never writes a record twice.
    ///
    /// **Throws**: `SinkError`, whose kind decides what happens to the batch; any other error
    /// counts as temporary.
    /// **Returns**: the number of records that were already there, and so were not written again, and
    /// of those that the destination has discarded.
    func write(_ batch: [Record]) throws -> WriteResult

    /// Hands the written records over; called when the queue is empty and before the end.
    func flush() throws

    /// Makes the flushed records survive a crash of the machine.
    ///
    /// Called after `flush` if something relies on it: a source that acknowledges records, or a
    /// queue on disk that then forgets them.
    func sync() throws

    /// Closes the sink permanently.
    func close() throws

    /// Reopens its files, after they have been moved.
    func reopen() throws

    /// Notifies the sink of exchanges that have begun and of those that have ended.
    ///
    /// **Throws**: if it throws, the sink keeps the notification itself and is called again later,
    /// possibly without further exchanges. No record is lost, so this does not count as a failure
    /// of the run.
    func active(opened: [ActiveExchange], ended: [ExchangeID]) throws
}

extension Sink {
    /// Does nothing: no record is held back.
    public func flush() throws {}
    /// Does nothing: a flushed record is durable, or is meant for a reader.
    public func sync() throws {}
    /// Does nothing.
    public func close() throws {}
    /// Does nothing.
    public func reopen() throws {}
    /// Does nothing: unfinished exchanges are not kept.
    public func active(opened: [ActiveExchange], ended: [ExchangeID]) throws {}
}

/// The result of a write.
public struct WriteResult: Sendable, Equatable {
    /// Records whose id was already there; they are counted but not stored again.
    public var duplicates: Int
    /// Records that the destination has discarded for good; they count as errors.
    public var rejected: Int

    /// Creates a result, by default without duplicates and rejected records.
    public init(duplicates: Int = 0, rejected: Int = 0) {
        self.duplicates = duplicates
        self.rejected = rejected
    }

    /// A result without duplicates and rejected records.
    public static let written = WriteResult()
}

/// A configured sink that is not open yet.
public protocol SinkFactory: Sendable {
    /// The exclusive resources of the sink.
    var claims: [ResourceClaim] { get }
    /// Whether records need the digests of their bodies.
    var needsDigests: Bool { get }
    /// Whether the sink wants to be notified of exchanges that have not ended.
    var wantsActive: Bool { get }
    /// Whether the sink writes records as lines of NDJSON.
    ///
    /// A queue on disk then keeps the lines that it has encoded until the sink has written them.
    var writesLines: Bool { get }
    /// Whether its records stay in the program's own memory.
    ///
    /// If not, `check` and the log of an app warn if no stage redacts.
    var staysInMemory: Bool { get }
    /// The maximum number of records in a batch.
    var batchLimit: Int { get }
    /// The longest time that a record waits for its batch to fill.
    var batchDelay: Microseconds { get }
    /// The sink's own counters; read from any thread, also after the run.
    var metrics: [Metric] { get }

    /// Opens the sink, on its thread.
    ///
    /// **Throws**: an error prevents the run from starting.
    func open(_ context: SinkContext) throws -> any Sink
}

extension SinkFactory {
    /// No exclusive resources.
    public var claims: [ResourceClaim] { [] }
    /// No digests.
    public var needsDigests: Bool { false }
    /// `false`: only ended exchanges.
    public var wantsActive: Bool { false }
    /// `false`: it has a format of its own.
    public var writesLines: Bool { false }
    /// `false`, as for a file, a database or the terminal.
    public var staysInMemory: Bool { false }
    /// 512 records.
    public var batchLimit: Int { 512 }
    /// 50 ms.
    public var batchDelay: Microseconds { Microseconds(50_000) }
    /// Empty: most sinks have no counters of their own.
    public var metrics: [Metric] { [] }
}

/// The runtime services that a sink gets.
public struct SinkContext: Sendable {
    /// The id of the component.
    public let id: String
    /// The log of the component.
    public let log: Log
    /// Returns the wall-clock time.
    public let now: @Sendable () -> Timestamp

    /// Creates a context.
    public init(id: String, log: Log = .none, now: @escaping @Sendable () -> Timestamp) {
        self.id = id
        self.log = log
        self.now = now
    }
}

/// The reason that a sink failed to write.
public struct SinkError: Error, Sendable {
    /// How the runtime handles the error.
    public enum Kind: Sendable {
        /// A temporary error: the batch is retried with back-off, then the sink becomes degraded.
        case passing
        /// The reader is gone: the sink ends, which is not a failure.
        case closed
        /// These records can never be stored: they count as errors, and the sink continues.
        case refused
    }

    /// How the runtime handles the error.
    public let kind: Kind
    /// The problem, for the log; must not contain traffic.
    public let message: String
    /// The shortest time until a batch is retried, if the receiver has asked for one.
    public let retryAfter: Microseconds?

    /// Creates an error of a kind.
    public init(_ kind: Kind, _ message: String, retryAfter: Microseconds? = nil) {
        self.kind = kind
        self.message = message
        self.retryAfter = retryAfter
    }
}

extension SinkError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
