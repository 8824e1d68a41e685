// SPDX-License-Identifier: MIT

public import TaplineModel

/// A stage as one lane uses it: one thread calls it, so it needs no lock.
///
/// A stage is a `WireStage`, a `RecordStage` or both.
public protocol Stage: AnyObject {
    /// Called once before the first exchange.
    func start() throws
    /// Called once after the last exchange, also when the run failed.
    func stop()
}

extension Stage {
    /// Nothing to start.
    public func start() throws {}
    /// Nothing to stop.
    public func stop() {}
}

/// A stage that acts on live traffic.
///
/// **Throws**: what a hook throws is logged and counted; `on_error` of the component decides what
/// becomes of the exchange. The error's description must not hold traffic.
public protocol WireStage: Stage {
    /// Called when the request head is complete, or the whole request where the stage asked for its
    /// body.
    ///
    /// Changes to `exchange.request` are what the server gets.
    func request(_ exchange: inout Exchange, _ context: inout ExchangeContext) throws -> Verdict

    /// Called when the response head is complete, or the whole response where the stage asked for
    /// its body.
    ///
    /// Changes to `exchange.response` are what the client gets; the request has been sent and must
    /// be left as it is.
    func response(_ exchange: inout Exchange, _ context: inout ExchangeContext) throws -> Verdict

    /// Called for each text and binary message of a WebSocket, before it is passed on, and for each
    /// server-sent event (`isEvent`) when it has passed.
    ///
    /// The wire is not held back for events: what is changed or dropped of them concerns the record
    /// alone, and `abort` closes the connection. For messages of a WebSocket:
    /// Changes to the message's type and bytes are what the other side gets, unless it is cut: then
    /// there was more of it than `max_buffer`, and what the verdict says holds for all of it. Of the
    /// exchange only tags may be changed; its messages are not there.
    ///
    /// **Throws**: where `on_error` says `respond`, the connection is closed, since a message has no
    /// answer.
    func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> MessageVerdict
}

extension WireStage {
    /// Leaves requests as they are.
    public func request(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> Verdict { .proceed }

    /// Leaves responses as they are.
    public func response(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> Verdict { .proceed }

    /// Leaves messages as they are.
    public func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> MessageVerdict { .pass }
}

/// A stage that acts on what is kept of an exchange.
public protocol RecordStage: Stage {
    /// Called once when the exchange has ended.
    ///
    /// **Throws**: the record is dropped and counted as an error, never passed on half done.
    func record(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict
}

/// The hooks that a stage has.
public struct Hooks: OptionSet, Sendable {
    /// One bit for each hook.
    public let rawValue: UInt8

    /// Hooks of these bits.
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

/// A configured stage that makes its instances, one for each lane.
public protocol StageFactory: Sendable {
    /// Which hooks its stages have; others are never called.
    var hooks: Hooks { get }

    /// Whether it takes secrets out of the record.
    ///
    /// What runs after the last such stage sees no `vars`, and `check` warns where a chain has
    /// none.
    var redacts: Bool { get }

    /// Whether it cuts bodies; `check` warns where that happens before a redaction.
    var cutsBodies: Bool { get }

    /// What its stages have counted of their own, all lanes together; read from any thread.
    ///
    /// What has not happened yet is there with a count of 0.
    var metrics: [Metric] { get }

    /// Which lines of its scripts ran; empty unless `StageContext.collectsCoverage` is set.
    var coverage: [ScriptCoverage] { get }

    /// Takes secrets out of a line that any component logs; called from any thread.
    func cleaned(logText: String) -> String

    /// Makes the instance of one lane.
    func makeStage(_ context: StageContext) throws -> any Stage
}

extension StageFactory {
    /// Most stages redact nothing.
    public var redacts: Bool { false }
    /// Most stages cut nothing.
    public var cutsBodies: Bool { false }
    /// Most stages count nothing of their own.
    public var metrics: [Metric] { [] }
    /// Most stages run no scripts.
    public var coverage: [ScriptCoverage] { [] }
    /// Most stages leave the log as it is.
    public func cleaned(logText: String) -> String { logText }
}

/// What a stage gets from its surroundings.
public struct StageContext: Sendable {
    /// The id of the component.
    public let id: String
    /// The number of the lane, from 0.
    public let lane: Int
    /// Where it logs.
    public let log: Log
    /// A number that differs between runs and lanes, for random generators; fixed in tests.
    public let seed: UInt64
    /// What time it is; it stands still in tests.
    public let clock: @Sendable () -> Timestamp
    /// Whether scripts note which of their lines run.
    public let collectsCoverage: Bool

    /// Surroundings of these parts.
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
