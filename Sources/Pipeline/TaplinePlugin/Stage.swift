// SPDX-License-Identifier: MIT

public import TaplineModel

/// The instance of a stage in one lane: only one thread calls it, so it needs no lock.
///
/// A stage is a `WireStage`, a `RecordStage` or both.
public protocol Stage: AnyObject {
    /// Called once before the first exchange.
    func start() throws
    /// Called once after the last exchange, even if the run failed.
    func stop()
}

extension Stage {
    /// Does nothing.
    public func start() throws {}
    /// Does nothing.
    public func stop() {}
}

/// A stage that acts on live traffic.
///
/// **Throws**: the error of a hook is logged and counted. The component's `on_error` decides what
/// happens to the exchange. The error's description must not contain traffic.
public protocol WireStage: Stage {
    /// Called when the request head is complete, or the whole request if the stage buffers its
    /// body.
    ///
    /// The server gets the changes to `exchange.request`.
    func request(_ exchange: inout Exchange, _ context: inout ExchangeContext) throws -> Verdict

    /// Called when the response head is complete, or the whole response if the stage buffers its
    /// body.
    ///
    /// The client gets the changes to `exchange.response`. The request has been sent already and
    /// must not be changed.
    func response(_ exchange: inout Exchange, _ context: inout ExchangeContext) throws -> Verdict

    /// Called for each text and binary message of a WebSocket before it is passed on, and for each
    /// server-sent event (`isEvent`) after it has passed.
    ///
    /// Events are not held back on the wire: changing or dropping one affects only the record, and
    /// `abort` closes the connection.
    ///
    /// For messages of a WebSocket, the other side gets the changes to the message's type and
    /// bytes, unless the message is truncated. A truncated message is longer than `max_buffer`, and
    /// the verdict applies to all of it. Only tags of the exchange may be changed; its messages are
    /// not available.
    ///
    /// **Throws**: if `on_error` is `respond`, the connection is closed, since a message has no
    /// response.
    func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> MessageVerdict
}

extension WireStage {
    /// Leaves requests unchanged.
    public func request(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> Verdict { .proceed }

    /// Leaves responses unchanged.
    public func response(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> Verdict { .proceed }

    /// Leaves messages unchanged.
    public func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> MessageVerdict { .pass }
}

/// A stage that acts on the record of an exchange.
public protocol RecordStage: Stage {
    /// Called once when the exchange has ended.
    ///
    /// **Throws**: if it throws, the record is dropped and counted as an error; it is never passed
    /// on half processed.
    func record(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict
}

/// The hooks that a stage has.
public struct Hooks: OptionSet, Sendable {
    /// One bit for each hook.
    public let rawValue: UInt8

    /// Creates hooks from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The hook on requests.
    public static let request = Hooks(rawValue: 1)
    /// The hook on responses.
    public static let response = Hooks(rawValue: 2)
    /// The hook on records.
    public static let record = Hooks(rawValue: 4)
    /// The hook on messages of WebSockets and on server-sent events.
    public static let message = Hooks(rawValue: 8)
    /// The hooks on the wire.
    public static let wire: Hooks = [.request, .response, .message]
}

/// A configured stage that creates its instances, one for each lane.
public protocol StageFactory: Sendable {
    /// The hooks that its stages have; others are never called.
    var hooks: Hooks { get }

    /// Whether it removes secrets from the record.
    ///
    /// Stages after the last redacting stage see no `vars`, and `check` warns if a pipeline has no
    /// such stage.
    var redacts: Bool { get }

    /// Whether it truncates bodies; `check` warns if that happens before a redaction.
    var cutsBodies: Bool { get }

    /// Whether its record hooks may only see what the redacting stages have left.
    ///
    /// The stage must then follow the last redacting stage, and may follow it without a warning. In
    /// a pipeline without a redacting stage, `check` warns of it.
    var seesOnlyRedacted: Bool { get }

    /// The own metrics of its stages, summed over all lanes; read from any thread.
    ///
    /// Events that have not occurred yet are included with a count of 0.
    var metrics: [Metric] { get }

    /// The lines of its scripts that ran; empty unless `StageContext.collectsCoverage` is set.
    var coverage: [ScriptCoverage] { get }

    /// Removes secrets from a line that any component logs; called from any thread.
    func cleaned(logText: String) -> String

    /// Creates the instance of one lane.
    func makeStage(_ context: StageContext) throws -> any Stage
}

extension StageFactory {
    /// `false`: most stages redact nothing.
    public var redacts: Bool { false }
    /// `false`: most stages truncate nothing.
    public var cutsBodies: Bool { false }
    /// `false`: most stages may see everything.
    public var seesOnlyRedacted: Bool { false }
    /// Empty: most stages have no metrics of their own.
    public var metrics: [Metric] { [] }
    /// Empty: most stages run no scripts.
    public var coverage: [ScriptCoverage] { [] }
    /// Returns the text unchanged, as for most stages.
    public func cleaned(logText: String) -> String { logText }
}

/// The runtime services that a stage gets.
public struct StageContext: Sendable {
    /// The id of the component.
    public let id: String
    /// The number of the lane, from 0.
    public let lane: Int
    /// The log of the component.
    public let log: Log
    /// A seed for random generators, different for each run and lane; fixed in tests.
    public let seed: UInt64
    /// Returns the current time, which is fixed in tests.
    public let clock: @Sendable () -> Timestamp
    /// Whether scripts note which of their lines run.
    public let collectsCoverage: Bool
    /// Whether a record hook may block the thread, as for recordings, while other records wait.
    package var mayWait = true
    /// Until when a record hook may block the thread after the pipeline was asked to stop.
    package var stopDeadline = StopDeadline()
    /// Takes threads that a stopped stage leaves; `nil` if `stop` has to wait for them.
    package var endingThreads: EndingThreads?

    /// Creates a context.
    public init(
        id: String,
        lane: Int = 0,
        log: Log = .none,
        seed: UInt64 = 0,
        clock: @escaping @Sendable () -> Timestamp = { Timestamp(microseconds: 0) },
        collectsCoverage: Bool = false
    ) {
        self.id = id
        self.lane = lane
        self.log = log
        self.seed = seed
        self.clock = clock
        self.collectsCoverage = collectsCoverage
    }
}
