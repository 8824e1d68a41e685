// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineMatching
internal import TaplineModel
internal import TaplineOperations

/// The tokens of a run.
struct ReplayTokens: Sendable {
    var map = TokenMap([])
    /// Whether the recording has masks, which values that are given or handed out may replace.
    var hasMasks = false
}

/// The tokens of a run, which the reader finds before it adds the first request.
final class FoundTokens: Sendable {
    private let tokens = Mutex(ReplayTokens())

    var value: ReplayTokens {
        get { tokens.withLock { $0 } }
        set { tokens.withLock { $0 = newValue } }
    }
}

/// Keeps the order of sessions, and puts live tokens into their requests.
///
/// **Isolation**: the loop's thread.
final class SessionRun {
    /// A request that may be sent.
    struct Ready {
        let request: ReplayRequest
        /// When the answer came that it has waited for, in microseconds of the loop's clock;
        /// `.min` if it has not waited.
        var releasedAt = Int64.min
    }

    /// How many requests may wait for answers, and their memory.
    private static let maxWaiting = 4096
    private static let maxMemory = 32 << 20

    private let settings: SessionSettings
    private let found: FoundTokens
    private var machine = ReplaySessionsStateMachine(limit: maxWaiting)
    /// Made with the first request, since the tokens are not known before.
    private var tokens: SessionTokens?
    private lazy var keepsCookies = found.value.hasMasks
    private var waiting: [Int: ReplayRequest] = [:]
    private var waitingMemory = 0
    /// The requests that may be sent, in the order of the recording, from `head` on.
    private var ready: [Ready] = []
    private var head = 0
    private(set) var counts = ReplayReport.Tokens()

    init(_ settings: SessionSettings, _ found: FoundTokens) {
        self.settings = settings
        self.found = found
    }

    /// The next request that may be sent.
    var first: Ready? { head < ready.count ? ready[head] : nil }

    /// Whether no more requests can be taken until one has ended.
    var isFull: Bool { machine.isFull || waitingMemory >= Self.maxMemory }

    /// Whether requests wait for answers.
    var hasWaiting: Bool { !waiting.isEmpty }

    /// Takes the next request of the recording.
    func add(_ request: ReplayRequest) {
        guard let plan = request.plan else {
            return ready.append(Ready(request: request))
        }
        if machine.added(plan) {
            insert(Ready(request: request))
        } else {
            waiting[plan.sequence] = request
            waitingMemory += request.memory
        }
    }

    /// Removes the request that `first` has announced.
    func removeFirst() -> ReplayRequest? {
        guard let first else { return nil }
        // Counted here, since more requests are read than may be sent.
        if first.releasedAt != .min { counts.waited += 1 }
        head += 1
        if head == ready.count || head > 1024 {
            ready.removeFirst(head)
            head = 0
        }
        return first.request
    }

    /// A request that was taken has ended, or was not sent; those that waited for it may be sent.
    func ended(
        _ request: ReplayRequest,
        _ outcome: ReplaySessionsStateMachine.Outcome,
        now: Int64
    ) {
        guard let plan = request.plan else { return }
        release(machine.ended(plan.sequence, outcome), now)
    }

    /// Messages of a WebSocket have handed out their tokens, or are not waited for any longer.
    func handedOut(_ numbers: [Int], now: Int64) {
        guard !numbers.isEmpty else { return }
        release(machine.handedOut(numbers), now)
    }

    /// Makes requests that have waited ready to be sent.
    private func release(_ numbers: [Int], _ now: Int64) {
        for number in numbers {
            guard let released = waiting.removeValue(forKey: number) else { continue }
            waitingMemory -= released.memory
            insert(Ready(request: released, releasedAt: now))
        }
    }

    /// Inserts a request before those that began later; there are few.
    private func insert(_ new: Ready) {
        var position = ready.count
        while position > head, ready[position - 1].request.offset > new.request.offset {
            position -= 1
        }
        ready.insert(new, at: position)
    }

    // MARK: Tokens

    /// Replaces the tokens of a request that is about to be sent.
    ///
    /// - Returns: The names of the tokens.
    func bind(_ request: inout Request, _ planned: ReplayRequest) -> [String] {
        guard let plan = planned.plan else {
            if planned.recorded.isMasked, settings.masks.removeCookies(of: &request) {
                counts.masked += 1
            }
            return []
        }
        guard !plan.tokens.isEmpty || planned.recorded.isMasked else { return [] }
        let use = withTokens {
            $0.apply(
                to: &request,
                of: planned.recorded.exchange.request,
                in: plan.session,
                pass: plan.pass,
                expecting: plan.tokens
            )
        }
        if !use.bound.isEmpty { counts.bound += 1 }
        if !use.missing.isEmpty { counts.missing += 1 }
        if !use.masked.isEmpty { counts.masked += 1 }
        return use.bound.map(\.name)
    }

    /// Takes the tokens that a live response hands out.
    func observe(_ response: borrowing Response, to planned: ReplayRequest) {
        guard let plan = planned.plan, plan.handsOut || keepsCookies else { return }
        let recorded = planned.recorded.exchange
        _ = withTokens {
            $0.observe(response, for: recorded, in: plan.session, pass: plan.pass)
        }
    }

    /// Replaces the tokens of a message that is about to be sent.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - position: Its position among the recorded messages.
    ///   - planned: The request of its WebSocket.
    /// - Returns: What was replaced, and what could not be; `nil` without tokens.
    func bind(
        _ message: inout StreamMessage,
        at position: Int,
        of planned: ReplayRequest
    ) -> TokenUse? {
        guard let plan = planned.plan, let messages = plan.messages,
            messages.echoing[position] != nil
        else { return nil }
        return withTokens {
            $0.apply(to: &message, at: position, of: messages, in: plan.session, pass: plan.pass)
        }
    }

    /// Takes the tokens that a message of a live server hands out.
    ///
    /// - Returns: The numbers of the recorded messages whose tokens it has.
    func observe(
        _ message: StreamMessage,
        _ pairing: inout MessagePairing,
        of planned: ReplayRequest
    ) -> [Int] {
        guard let plan = planned.plan else { return [] }
        return withTokens {
            $0.observe(message, &pairing, in: plan.session, pass: plan.pass)
        }
    }

    private func withTokens<Result>(_ body: (inout SessionTokens) -> Result) -> Result {
        var tokens =
            self.tokens.take()
            ?? SessionTokens(
                map: found.value.map,
                masks: settings.masks,
                substitutes: settings.substitutes
            )
        defer {
            counts.forgotten = tokens.forgotten
            self.tokens = tokens
        }
        return body(&tokens)
    }
}
