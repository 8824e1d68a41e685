// SPDX-License-Identifier: MIT

public import TaplineModel

/// An open sink: it stores or shows records.
///
/// **Isolation**: one thread, the sink's own, calls everything.
public protocol Sink: AnyObject {
    /// Writes a batch, all of it or nothing, so that a retry never writes a record twice.
    ///
    /// **Throws**: `SinkError` says what becomes of the batch; any other error is taken as one that
    /// may pass. Returns how many records were already there, and so were not written again.
    func write(_ batch: [Record]) throws -> WriteResult

    /// Makes what was written last: called when the queue runs dry and before the end.
    func flush() throws

    /// Closes for good.
    func close() throws

    /// Opens its files anew, after somebody has moved them.
    func reopen() throws

    /// Exchanges that have begun, and those of them that have ended.
    ///
    /// **Throws**: the sink keeps what it was told, and is called again, with nothing more to tell if
    /// need be; that loses no record, so it is no failure of the run.
    func active(opened: [ActiveExchange], ended: [ExchangeID]) throws
}

extension Sink {
    /// Nothing is held back.
    public func flush() throws {}
    /// Nothing to close.
    public func close() throws {}
    /// Nothing to open anew.
    public func reopen() throws {}
    /// Unfinished exchanges are not kept.
    public func active(opened: [ActiveExchange], ended: [ExchangeID]) throws {}
}

/// What became of a batch that was written.
public struct WriteResult: Sendable, Equatable {
    /// Records whose id was there already; counted, not stored again.
    public var duplicates: Int

    /// A result; no duplicates where that is left out.
    public init(duplicates: Int = 0) { self.duplicates = duplicates }

    /// All were new.
    public static let written = WriteResult()
}

/// A configured sink, not yet open.
public protocol SinkFactory: Sendable {
    /// What of the outside it holds for itself.
    var claims: [Claim] { get }
    /// Whether records need the digests of their bodies.
    var needsDigests: Bool { get }
    /// Whether it wants to hear of exchanges that have not ended.
    var wantsActive: Bool { get }
    /// Whether what it gets stays in the program's own memory; otherwise `check`, and the log of an app,
    /// warn where no stage redacts.
    var staysInMemory: Bool { get }
    /// The most records of a batch.
    var batchLimit: Int { get }
    /// The longest that a record waits for its batch to fill.
    var batchDelay: Microseconds { get }

    /// Opens the sink, on its thread.
    ///
    /// **Throws**: an error keeps the run from starting.
    func open(_ context: SinkContext) throws -> any Sink
}

extension SinkFactory {
    /// Nothing of its own.
    public var claims: [Claim] { [] }
    /// No digests.
    public var needsDigests: Bool { false }
    /// Only what has ended.
    public var wantsActive: Bool { false }
    /// A file, a database, the terminal.
    public var staysInMemory: Bool { false }
    /// 512 records.
    public var batchLimit: Int { 512 }
    /// 50 ms.
    public var batchDelay: Microseconds { Microseconds(50_000) }
}

/// What a sink gets from its surroundings.
public struct SinkContext: Sendable {
    /// The id of the component.
    public let id: String
    /// Where it logs.
    public let log: Log
    /// The wall clock.
    public let now: @Sendable () -> Timestamp

    /// Surroundings of these parts.
    public init(id: String, log: Log = .none, now: @escaping @Sendable () -> Timestamp) {
        self.id = id
        self.log = log
        self.now = now
    }
}

/// Why a sink could not write.
public struct SinkError: Error, Sendable {
    /// What the runtime does about it.
    public enum Kind: Sendable {
        /// It may pass: the batch is tried again, with back-off, then the sink is degraded.
        case passing
        /// The reader has gone: the sink ends, and that is no failure.
        case closed
        /// These records can never be stored; they count as errors and the sink goes on.
        case refused
    }

    /// What the runtime does about it.
    public let kind: Kind
    /// What is wrong, for the log; without traffic.
    public let message: String

    /// An error of a kind.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension SinkError: CustomStringConvertible {
    /// What is wrong.
    public var description: String { message }
}
