// SPDX-License-Identifier: MIT

internal import Synchronization
public import TaplineModel

extension Lane {
    /// Runs an exchange that has ended already, as a recording holds it, through all hooks.
    ///
    /// The response is kept from `request` hooks; where one of them answers in the server's place,
    /// its response stands instead of the recorded one. Pauses that stages ask for are not made.
    /// - Returns: Whether a record was kept.
    @discardableResult
    public func pass(_ exchange: consuming Exchange) -> Bool {
        var context = ExchangeContext()
        _ = admits(exchange, &context)
        let recorded = exchange.response
        exchange.response = nil
        let outcome = request(&exchange, &context)
        if outcome.action == .forward { exchange.response = recorded }
        if outcome.action != .abort, exchange.response != nil {
            _ = response(&exchange, &context)
        }
        return finish(exchange, context)
    }

    /// Hands all finished records to the sinks and waits until there is room.
    ///
    /// - Parameter ticket: The place in the order; nothing where any order will do.
    /// - Returns: Whether the source is to go on: not when its task was cancelled, and not when
    ///   nobody takes records any more.
    public nonisolated(nonsending) func submit(ticket: UInt64? = nil) async -> Bool {
        let room = Room()
        switch submit(ticket: ticket, ready: { room.open() }) {
        case .open: break
        case .closed: return false
        case .paused:
            await withTaskCancellationHandler {
                await room.wait()
            } onCancel: {
                room.open()
            }
        }
        return !Task.isCancelled
    }
}

/// Something that opens once, and lets one task wait for that.
private final class Room: Sendable {
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
