// SPDX-License-Identifier: MIT

internal import TaplineMatching
internal import TaplineModel

/// Chooses the next request to send.
///
/// **Isolation**: the loop's thread.
final class RequestQueue {
    private let buffer: RequestBuffer
    private let sessions: SessionRun
    private var requests: [ReplayRequest] = []
    private var position = 0
    private var isEnded = false

    init(_ buffer: RequestBuffer, _ sessions: SessionRun) {
        self.buffer = buffer
        self.sessions = sessions
    }

    /// What can be sent next.
    var next: ReplayInput {
        while true {
            if let first = sessions.first {
                return .ready(offset: first.request.offset, releasedAt: first.releasedAt)
            }
            guard !sessions.isFull else { return .waiting(byTarget: true) }
            if position == requests.count, !isEnded {
                position = 0
                (requests, isEnded) = buffer.take()
            }
            guard position < requests.count else {
                if sessions.hasWaiting { return .waiting(byTarget: true) }
                return isEnded ? .ended : .waiting(byTarget: false)
            }
            sessions.add(requests[position])
            position += 1
        }
    }

    /// Takes the request that `next` has announced.
    func take() -> ReplayRequest? { sessions.removeFirst() }

    /// Notes that the exchange of a request has ended, before it is recorded.
    func ended(_ request: ReplayRequest, with exchange: borrowing Exchange, now: Int64) {
        let response = exchange.state == .completed ? exchange.response : nil
        if let response { sessions.observe(response, to: request) }
        sessions.ended(request, response == nil ? .failed : .answered, now: now)
    }

    /// Notes that a request has opened a WebSocket: others do not wait for its end.
    func opened(_ request: ReplayRequest, with exchange: borrowing Exchange, now: Int64) {
        if let response = exchange.response { sessions.observe(response, to: request) }
        sessions.ended(request, .opened, now: now)
    }

    /// Notes that a WebSocket has ended, from which no more messages come.
    func closed(_ request: ReplayRequest, now: Int64) {
        sessions.handedOut(request.plan?.messageNumbers ?? [], now: now)
    }

    /// Notes that a request that was taken is not sent.
    func skipped(_ request: ReplayRequest, now: Int64) {
        sessions.ended(request, .skipped, now: now)
    }
}
