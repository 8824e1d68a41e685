// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Decides which recorded requests may be sent now.
///
/// Pure: it makes no calls and reads no clock. Each method is an event and returns what may be sent.
///
/// A request passes these states; `ended` forgets it:
/// ```
/// added ──┬────────────▶ sent ──▶ ended
///         └─▶ waiting ────┘
/// ```
/// - Requests of a session are sent in the order of the recording.
/// - A request waits for every request of its session that may have been answered in the recording
///   when it began. Others overlapped and may overlap again, unless they came on one connection.
/// - A request waits for the answers that it needs, which may be of other sessions. They are always
///   those of earlier requests, so that requests never wait for each other.
/// - A message of a WebSocket that hands out tokens is needed like an answer: it is open from the
///   `added` of its request until `handedOut`, or until the request ends without a WebSocket.
/// - A request that failed or was skipped ends like one that was answered. Requests that need its
///   answer are sent without it: the caller sends the recorded value and counts a missing token.
///
/// **Limits**: it keeps the requests that wait or were sent, and forgets a session when it has
/// none. The caller adds no more while `isFull`.
package struct ReplaySessionsStateMachine: ~Copyable {
    /// How a request ended.
    package enum Outcome: Sendable {
        case answered
        case failed
        /// It was not sent.
        case skipped
        /// It has opened a WebSocket, whose messages may hand out tokens from now on.
        case opened
    }

    /// What happened so far.
    package struct Counts: Sendable, Equatable {
        package var added = 0
        /// How many of them had to wait for an answer.
        package var waited = 0
        package var answered = 0
        package var failed = 0
        package var skipped = 0
    }

    private struct Entry {
        let sequence: Int
        let started: Timestamp
        let answered: Timestamp
        let connection: UInt64?
        let needs: [Int]
        /// The numbers of its messages that hand out tokens.
        let messages: [Int]

        /// Whether the request had to be answered in the recording before another one began.
        func precedes(_ other: Entry) -> Bool {
            answered <= other.started || connection != nil && connection == other.connection
        }
    }

    private struct Session {
        /// The requests that were sent and have not ended.
        var sent: [Entry] = []
        /// The requests that wait, from `head` on.
        var waiting: [Entry] = []
        var head = 0
        /// The request of another session whose answer the first one waits for.
        var awaited: Int?

        var first: Entry? { head < waiting.count ? waiting[head] : nil }

        mutating func removeFirst() {
            head += 1
            if head == waiting.count || head > 256 {
                waiting.removeFirst(head)
                head = 0
            }
        }
    }

    private let limit: Int
    private var sessions: [SessionID: Session] = [:]
    /// The sessions of the requests that have not ended, and of messages that have not come.
    private var open: [Int: SessionID] = [:]
    /// The sessions whose first request waits for an answer.
    private var dependents: [Int: [SessionID]] = [:]
    package private(set) var waitingCount = 0
    package private(set) var counts = Counts()

    /// - Parameter limit: How many requests may wait.
    package init(limit: Int) { self.limit = max(limit, 1) }

    /// Whether as many requests wait as may.
    package var isFull: Bool { waitingCount >= limit }

    /// Whether no request waits or is being sent.
    package var isIdle: Bool { open.isEmpty }

    /// How many sessions have requests that wait or were sent.
    package var sessionCount: Int { sessions.count }

    /// The next request of the recording is due.
    ///
    /// - Returns: Whether it may be sent now; if not, an `ended` returns it later.
    package mutating func added(_ request: PlannedRequest) -> Bool {
        counts.added += 1
        open[request.sequence] = request.session
        for number in request.messageNumbers { open[number] = request.session }
        sessions[request.session, default: Session()].waiting.append(
            Entry(
                sequence: request.sequence,
                started: request.started,
                answered: request.answered,
                connection: request.connection,
                needs: request.needs.filter { $0 < request.sequence },
                messages: request.messageNumbers
            )
        )
        waitingCount += 1
        var released: [Int] = []
        advance(request.session, &released)
        let isReleased = released.contains(request.sequence)
        if !isReleased { counts.waited += 1 }
        return isReleased
    }

    /// A request that was sent has ended, or one that was to be sent was skipped.
    ///
    /// Requests that are not known, or still wait, are ignored.
    ///
    /// - Returns: The requests that may be sent now, in their order within each session.
    package mutating func ended(_ sequence: Int, _ outcome: Outcome) -> [Int] {
        guard let id = open[sequence],
            let position = sessions[id]?.sent.firstIndex(where: { $0.sequence == sequence })
        else { return [] }
        switch outcome {
        case .answered, .opened: counts.answered += 1
        case .failed: counts.failed += 1
        case .skipped: counts.skipped += 1
        }
        let messages = sessions[id]?.sent.remove(at: position).messages ?? []
        // Without a WebSocket, there will be no messages.
        let ended = outcome == .opened ? [sequence] : [sequence] + messages
        for number in ended { open[number] = nil }
        var released: [Int] = []
        advance(id, &released)
        for number in ended { advanceDependents(of: number, &released) }
        return released
    }

    /// Messages of a WebSocket have handed out their tokens, or are not waited for any longer.
    ///
    /// - Parameter numbers: Their numbers; those that are not known are ignored.
    /// - Returns: The requests that may be sent now, in their order within each session.
    package mutating func handedOut(_ numbers: [Int]) -> [Int] {
        var released: [Int] = []
        for number in numbers where open.removeValue(forKey: number) != nil {
            advanceDependents(of: number, &released)
        }
        return released
    }

    /// Sends what has waited for the answer or the message with a number, if nothing else is needed.
    private mutating func advanceDependents(of number: Int, _ released: inout [Int]) {
        for dependent in dependents.removeValue(forKey: number) ?? [] {
            if sessions[dependent]?.awaited == number { sessions[dependent]?.awaited = nil }
            advance(dependent, &released)
        }
    }

    /// Sends the first requests of a session while they may be sent.
    private mutating func advance(_ id: SessionID, _ released: inout [Int]) {
        // Taken out, so that its arrays are not copied.
        guard var session = sessions.removeValue(forKey: id) else { return }
        if let awaited = session.awaited, open[awaited] == nil { session.awaited = nil }
        while let first = session.first {
            guard !session.sent.contains(where: { $0.precedes(first) }) else { break }
            if let needed = first.needs.first(where: { open[$0] != nil }) {
                if session.awaited != needed {
                    session.awaited = needed
                    dependents[needed, default: []].append(id)
                }
                break
            }
            session.removeFirst()
            waitingCount -= 1
            session.sent.append(first)
            released.append(first.sequence)
        }
        if !session.sent.isEmpty || session.first != nil { sessions[id] = session }
    }
}
