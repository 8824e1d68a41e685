// SPDX-License-Identifier: MIT

public import TaplineModel

/// A configured source: it captures exchanges and hands them to lanes.
public protocol Source: Sendable {
    /// What of the outside it holds for itself.
    var claims: [Claim] { get }
    /// Whether it captures the program that runs the pipeline, where it is the only source.
    var isWithinApp: Bool { get }

    /// Runs until the end of its input, or until its task is cancelled.
    ///
    /// **Isolation**: the source owns its threads, and asks the intake for a lane for each.
    /// **Throws**: an error ends the run with exit code 1.
    func run(_ intake: any Intake) async throws
}

extension Source {
    /// Nothing of its own.
    public var claims: [Claim] { [] }
    /// Most sources capture others.
    public var isWithinApp: Bool { false }
}

/// What a source gets from the runtime.
public protocol Intake: Sendable {
    /// The id of the source's component.
    var id: String { get }
    /// Where it logs.
    var log: Log { get }

    /// How many bytes of each body a live source keeps (`capture_max_bytes`).
    var captureMaxBytes: Int { get }

    /// How long a source that was cancelled may finish what is on its way; a part of
    /// `drain_timeout`, all of which the sinks have after that.
    var drainTimeout: Microseconds { get }

    /// Says that clients can reach the source from now on.
    func listens(at point: ListeningPoint)

    /// Where the sources of the pipeline can be reached so far, this one and all others.
    var listeningPoints: [ListeningPoint] { get }

    /// A lane for one of the source's threads.
    ///
    /// Lanes are made before the first exchange or later, and closed by the source when the thread
    /// ends.
    func makeLane() throws -> any Lane

    /// Says how far the work has come, for the progress line: done and whole, in the same unit.
    func progress(done: Int64, of whole: Int64?)

    /// Counts what was read and was no exchange.
    func rejected(_ count: Int)

    /// Counts exchanges that a source has let go, since nobody took them and it may not wait.
    func dropped(_ count: Int)
}

extension Intake {
    /// The default of `capture_max_bytes`.
    public var captureMaxBytes: Int { 1 << 20 }

    /// The default of `drain_timeout`.
    public var drainTimeout: Microseconds { Microseconds(10_000_000) }

    /// Nobody wants to know.
    public func listens(at point: ListeningPoint) {}

    /// None is known.
    public var listeningPoints: [ListeningPoint] { [] }

    /// Nothing is counted.
    public func dropped(_ count: Int) {}
}

/// Where the clients of a live source reach it.
public struct ListeningPoint: Sendable, Equatable {
    /// The addresses with their real ports, such as `127.0.0.1:8080`.
    public let addresses: [String]
    /// The folder of the authority whose certificates clients see; `nil` if TLS is not read.
    public let authorityFolder: String?
    /// The user and password that clients have to give, as URLs hold them; `nil` if nobody is
    /// asked.
    ///
    /// Secret.
    public let userInfo: String?

    /// A point of these addresses.
    public init(addresses: [String], authorityFolder: String? = nil, userInfo: String? = nil) {
        self.addresses = addresses
        self.authorityFolder = authorityFolder
        self.userInfo = userInfo
    }
}

/// One thread's private copy of the stages, and its way to the sinks.
///
/// **Isolation**: one thread at a time, always the one that asked for it.
/// The life of an exchange: `opened` (live sources only), `request`, `response`, `message` for each
/// message of a WebSocket, `finish`; then at
/// a time of the source's choosing `submit` for all that are finished.
public protocol Lane: CaptureMemory {
    /// An exchange has begun that may take a while: decides whether the source's `when` lets it in,
    /// and if so tells the sinks that want to know.
    ///
    /// The context knows of it, so that the end, with this context, is told, too.
    func opened(_ exchange: borrowing Exchange, _ context: inout ExchangeContext)

    /// Whether `opened` has anything to do; a source need not call it otherwise, which spares it a
    /// copy of the exchange.
    var wantsOpened: Bool { get }

    /// Whether the source's `when` lets an exchange in; what it leaves out passes without hooks,
    /// unrecorded.
    ///
    /// Decided at the first call, or by the first hook, with what is known then. A source of
    /// recordings asks before it takes the response away from the `request` hooks.
    func admits(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) -> Bool

    /// The wire hooks that stages have; running any other changes nothing.
    var wireHooks: Hooks { get }

    /// The hooks that may want to see bodies; for all others `wantedBody` need not be asked.
    var bufferedHooks: Hooks { get }

    /// How much of a body the wire hooks want to see before they run (`buffer`, `max_buffer`): the
    /// request's ahead of `request`, the response's ahead of `response`.
    ///
    /// **Units**: bytes; 0 where no hook wants it, so that nothing has to wait.
    func wantedBody(
        of hook: Hooks,
        _ exchange: borrowing Exchange,
        _ context: inout ExchangeContext
    ) -> Int

    /// Runs the `request` hooks of the wire stages, top to bottom.
    func request(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome

    /// Runs the `response` hooks of the wire stages, top to bottom.
    func response(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome

    /// How large a message of a WebSocket, or an event, may be that `message` hooks get whole (`max_buffer`).
    ///
    /// Asked once, when the response has switched to WebSocket, or begins a stream of events.
    ///
    /// **Units**: bytes; 0 where no hook wants messages, so that they pass as they come.
    func wantedMessages(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) -> Int

    /// Runs the `message` hooks of the wire stages, top to bottom.
    ///
    /// - Parameters:
    ///   - message: A text or a binary message, or an event.
    ///   - exchange: The exchange that it belongs to, without messages.
    ///   - context: The context of that.
    /// - Returns: What is to be done with the message.
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

    /// An exchange that was opened has ended, and there will be no record of it.
    func abandoned(_ exchange: borrowing Exchange, _ context: borrowing ExchangeContext)

    /// Hands all finished records to the sinks.
    ///
    /// With a ticket, batches reach the sinks in the order of tickets, whatever the order of calls:
    /// tickets count from 0 without gaps over all lanes of the source, and a lane submits for each
    /// ticket, be it nothing.
    /// - Parameters:
    ///   - ticket: The place in the order; nothing where any order will do.
    ///   - ready: Called once, from any thread, when the answer was `paused` and there is room again.
    /// - Returns: Whether the source may go on.
    func submit(ticket: UInt64?, ready: @escaping @Sendable () -> Void) -> Admission

    /// Ends the lane; what is finished is submitted before.
    func close()
}

extension Lane {
    /// It may have.
    public var wantsOpened: Bool { true }

    /// Any hook, as far as is known.
    public var wireHooks: Hooks { .wire }

    /// Any hook may.
    public var bufferedHooks: Hooks { .wire }

    /// No hook waits for a body.
    public func wantedBody(
        of hook: Hooks,
        _ exchange: borrowing Exchange,
        _ context: inout ExchangeContext
    ) -> Int { 0 }

    /// Nobody was told that it began.
    public func abandoned(
        _ exchange: borrowing Exchange,
        _ context: borrowing ExchangeContext
    ) {}

    /// No hook wants messages.
    public func wantedMessages(
        _ exchange: borrowing Exchange,
        _ context: inout ExchangeContext
    ) -> Int { 0 }

    /// No hook changes messages.
    public func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageOutcome { .pass }

    /// There is memory for everything.
    public func hold(_ count: Int) -> Bool { true }

    /// Nothing was counted.
    public func release(_ count: Int) {}
}

/// Whether a source may go on.
public enum Admission: Sendable {
    /// There is room.
    case open
    /// What was submitted is taken; wait with more until called back.
    case paused
    /// Nobody takes records any more.
    case closed
}

/// Something of the outside that only one component can have.
public enum Claim: Sendable, Hashable {
    /// Standard input.
    case standardInput
    /// Standard output.
    case standardOutput
    /// A file that is written.
    case file(String)
    /// A port that is listened on.
    case port(String)
}
