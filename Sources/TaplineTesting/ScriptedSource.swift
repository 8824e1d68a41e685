// SPDX-License-Identifier: MIT

internal import Synchronization
public import TaplineModel
public import TaplinePlugin

/// A source that hands over exchanges which a test has written down.
///
/// **Isolation**: one lane, one task; it waits when the sinks are full, as a good source does.
public struct ScriptedSource: Source {
    /// The exchanges, in order.
    public let exchanges: [Exchange]
    /// How many are finished before they are submitted.
    public let batch: Int
    /// Whether it tells of each exchange when it begins, as live sources do.
    public let isLive: Bool
    /// Whether it waits, behind its last exchange, until it is cancelled.
    public let staysOpen: Bool

    /// A source of these exchanges.
    public init(
        _ exchanges: [Exchange],
        batch: Int = 16,
        isLive: Bool = false,
        staysOpen: Bool = false
    ) {
        self.exchanges = exchanges
        self.batch = max(batch, 1)
        self.isLive = isLive
        self.staysOpen = staysOpen
    }

    /// Hands over the exchanges, hooks included.
    public func run(_ intake: any Intake) async throws {
        let lane = try intake.makeLane()
        defer { lane.close() }
        var finished = 0
        for exchange in exchanges {
            if Task.isCancelled { break }
            pass(exchange, through: lane, as: intake.id)
            finished += 1
            intake.progress(done: Int64(finished), of: Int64(exchanges.count))
            if finished.isMultiple(of: batch), await submit(lane) == .closed { return }
        }
        _ = await submit(lane)
        while staysOpen, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Runs one exchange the way that a live one takes.
    private func pass(_ exchange: Exchange, through lane: any Lane, as id: String) {
        var exchange = exchange
        var context = ExchangeContext()
        exchange.source = id
        if isLive { lane.opened(ActiveExchange(exchange)) }
        _ = lane.admits(exchange, &context)
        let recorded = exchange.response
        exchange.response = nil
        let outcome = lane.request(&exchange, &context)
        if outcome.action == .forward { exchange.response = recorded }
        if outcome.action != .abort, exchange.response != nil {
            _ = lane.response(&exchange, &context)
        }
        lane.finish(exchange, context)
    }

    /// Submits, and waits until there is room or the task is cancelled.
    private func submit(_ lane: any Lane) async -> Admission {
        let gate = Gate()
        let answer = lane.submit(ticket: nil) { gate.open() }
        if answer == .paused {
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                gate.open()
            }
        }
        return answer
    }
}

/// Something that opens once, and lets one task wait for that.
private final class Gate: Sendable {
    private enum State {
        case shut
        case awaited(CheckedContinuation<Void, Never>)
        case open
    }

    private let state = Mutex(State.shut)

    func open() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .open }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state -> Bool in
                if case .open = state { return true }
                state = .awaited(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }
}
