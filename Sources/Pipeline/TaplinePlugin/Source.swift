// SPDX-License-Identifier: MIT

public import TaplineModel

/// A configured source: it captures exchanges and hands them to lanes.
public protocol Source: Sendable {
    /// The exclusive resources of the source.
    var claims: [ResourceClaim] { get }
    /// Whether it captures the program that runs the pipeline; it is then the only source.
    var isWithinApp: Bool { get }

    /// The source's own counters; read from any thread, also after the run.
    var metrics: [Metric] { get }

    /// Runs until the end of its input, or until its task is cancelled.
    ///
    /// **Isolation**: the source owns its threads and asks the intake for one lane for each.
    /// **Throws**: an error ends the run with exit code 1.
    func run(_ intake: any Intake) async throws
}

extension Source {
    /// No exclusive resources.
    public var claims: [ResourceClaim] { [] }
    /// `false`: most sources capture other programs.
    public var isWithinApp: Bool { false }
    /// Empty: most sources have no counters of their own.
    public var metrics: [Metric] { [] }
}

/// The runtime services that a source gets.
public protocol Intake: Sendable {
    /// The id of the source's component.
    var id: String { get }
    /// The log of the component.
    var log: Log { get }

    /// How many bytes of each body a live source keeps (`capture_max_bytes`).
    var captureMaxBytes: Int { get }

    /// How long a cancelled source may take to finish pending exchanges.
    ///
    /// This is a part of `drain_timeout`; the sinks have all of `drain_timeout` after it.
    var drainTimeout: Microseconds { get }

    /// Reports that clients can reach the source from now on.
    func listens(at point: ListeningPoint)

    /// The points where the sources of the pipeline, including this one, can be reached so far.
    var listeningPoints: [ListeningPoint] { get }

    /// Creates a lane for one of the source's threads.
    ///
    /// Lanes may be created at any time. The source closes a lane when its thread ends.
    func makeLane() throws -> any Lane

    /// Reports progress for the progress line; `done` and `whole` have the same unit.
    func progress(done: Int64, of whole: Int64?)

    /// Counts entries that were read but are not exchanges.
    func rejected(_ count: Int)

    /// Counts exchanges that the source dropped, since it may not wait for the pipeline.
    func dropped(_ count: Int)
}

extension Intake {
    /// The default of `capture_max_bytes`.
    public var captureMaxBytes: Int { 1 << 20 }

    /// The default of `drain_timeout`.
    public var drainTimeout: Microseconds { Microseconds(10_000_000) }

    /// Does nothing.
    public func listens(at point: ListeningPoint) {}

    /// No points.
    public var listeningPoints: [ListeningPoint] { [] }

    /// Does nothing.
    public func dropped(_ count: Int) {}
}

/// The point where clients reach a live source.
public struct ListeningPoint: Sendable, Equatable {
    /// The addresses with their real ports, such as `127.0.0.1:8080`.
    public let addresses: [String]
    /// The folder of the authority that issues the certificates clients see; `nil` if TLS is not
    /// decrypted.
    public let authorityFolder: String?
    /// The user and password that clients must send, as in a URL; `nil` if none are required.
    ///
    /// This is a secret.
    public let userInfo: String?

    /// Creates a listening point.
    public init(addresses: [String], authorityFolder: String? = nil, userInfo: String? = nil) {
        self.addresses = addresses
        self.authorityFolder = authorityFolder
        self.userInfo = userInfo
    }
}

/// A thread's own instances of the stages, and its connection to the sinks.
///
/// **Isolation**: one thread, always the one that created it.
///
/// The calls for an exchange are: `begin` and `opened` (live sources only), `request`, `response`,
/// `message` for each message of a WebSocket, and `finish` or `abandoned`. The source calls `submit`
/// for all finished exchanges at a time of its choice.
public protocol Lane: CaptureMemory {
    /// Decides which stages an exchange passes: those of the configuration that applies now.
    ///
    /// Without this call, the first other call with its context decides.
    func begin(_ context: inout ExchangeContext)

    /// Notes an exchange that has begun and may take a while.
    ///
    /// Decides whether the source's `when` matches it and whether it is recorded and, if both, notifies
    /// interested sinks. The
    /// context records this, so the sinks are also notified of the end.
    func opened(_ exchange: borrowing Exchange, _ context: inout ExchangeContext)

    /// Whether `opened` has any effect; if not, a source can skip the call, which saves a copy of
    /// the exchange.
    var wantsOpened: Bool { get }

    /// Returns whether the source's `when` matches an exchange; others pass without hooks and are
    /// not recorded.
    ///
    /// This is decided at the first call, or by the first hook, from what is known at that time. A
    /// source of recordings calls it before it hides the response from `request` hooks.
    func admits(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) -> Bool

    /// The wire hooks that stages have; running any other has no effect.
    var wireHooks: Hooks { get }

    /// The hooks that may need bodies; for others, `wantedBody` need not be called.
    var bufferedHooks: Hooks { get }

    /// Returns how much of a body the wire hooks need before they run (`buffer`, `max_buffer`).
    ///
    /// This is the request's body for `request` and the response's body for `response`.
    ///
    /// **Units**: bytes; 0 if no hook needs the body, so that nothing has to wait.
    func wantedBody(
        of hook: Hooks,
        _ exchange: borrowing Exchange,
        _ context: inout ExchangeContext
    ) -> Int

    /// Runs the `request` hooks of the wire stages, top to bottom.
    func request(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome

    /// Runs the `response` hooks of the wire stages, top to bottom.
    func response(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome

    /// Returns the largest WebSocket message or event that `message` hooks get whole
    /// (`max_buffer`).
    ///
    /// It is called once, when the response has switched to WebSocket or begins an event stream.
    ///
    /// **Units**: bytes; 0 if no hook wants messages, so that they pass as received.
    func wantedMessages(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) -> Int

    /// Runs the `message` hooks of the wire stages, top to bottom.
    ///
    /// - Parameters:
    ///   - message: A text or a binary message, or an event.
    ///   - exchange: The exchange that it belongs to, without messages.
    ///   - context: The context of the exchange.
    /// - Returns: What the source does with the message.
    func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageOutcome

    /// Runs the record stages, seals the record and keeps it for the next `submit`.
    ///
    /// Returns whether the record was kept.
    @discardableResult
    func finish(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) -> Bool

    /// Notes that an exchange has ended without a record.
    func abandoned(_ exchange: borrowing Exchange, _ context: borrowing ExchangeContext)

    /// Hands all finished records to the sinks, and publishes the lane's counters.
    ///
    /// A source that comes to rest calls it even if no exchange gave a record; until then, metrics and
    /// status lack the exchanges since the last call.
    ///
    /// With a ticket, batches reach the sinks in ticket order, whatever the order of calls. Tickets
    /// count from 0 without gaps over all lanes of the source, and a lane submits for each of its
    /// tickets, even without records.
    ///
    /// - Parameters:
    ///   - ticket: The position in the order of batches; `nil` if the order does not matter.
    ///   - ready: Called once, on any thread, when there is room again after the result `paused`.
    /// - Returns: Whether the source may continue.
    func submit(ticket: UInt64?, ready: @escaping @Sendable () -> Void) -> SubmitResult

    /// Ends the lane, after it has submitted the finished records.
    func close()
}

extension Lane {
    /// Does nothing: there is only one configuration.
    public func begin(_ context: inout ExchangeContext) {}

    /// `true`: it may have an effect.
    public var wantsOpened: Bool { true }

    /// All hooks.
    public var wireHooks: Hooks { .wire }

    /// All hooks.
    public var bufferedHooks: Hooks { .wire }

    /// 0: no hook needs a body.
    public func wantedBody(
        of hook: Hooks,
        _ exchange: borrowing Exchange,
        _ context: inout ExchangeContext
    ) -> Int { 0 }

    /// Does nothing: no sink was notified of the beginning.
    public func abandoned(
        _ exchange: borrowing Exchange,
        _ context: borrowing ExchangeContext
    ) {}

    /// 0: no hook wants messages.
    public func wantedMessages(
        _ exchange: borrowing Exchange,
        _ context: inout ExchangeContext
    ) -> Int { 0 }

    /// `pass`: no hook changes messages.
    public func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageOutcome { .pass }

    /// `true`: memory is unlimited.
    public func hold(_ count: Int) -> Bool { true }

    /// Does nothing.
    public func release(_ count: Int) {}
}

/// Whether a source may continue.
public enum SubmitResult: Sendable {
    /// There is room.
    case open
    /// The submitted records are accepted; wait for the callback before submitting more.
    case paused
    /// No sink accepts records any longer.
    case closed
}

/// An external resource that only one component can use.
public enum ResourceClaim: Sendable, Hashable {
    /// Standard input.
    case standardInput
    /// Standard output.
    case standardOutput
    /// A file that is written.
    case file(String)
    /// A port that is listened on.
    case port(String)
}
