// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Chooses the next request to send.
///
/// **Isolation**: the loop's thread.
final class RequestQueue {
    private let buffer: RequestBuffer
    private var requests: [ReplayRequest] = []
    private var position = 0
    private var isEnded = false

    init(_ buffer: RequestBuffer) { self.buffer = buffer }

    /// What can be sent next.
    var next: ReplayInput {
        if position == requests.count {
            guard !isEnded else { return .ended }
            position = 0
            (requests, isEnded) = buffer.take()
        }
        guard position < requests.count else { return isEnded ? .ended : .waiting(byTarget: false) }
        return .ready(offset: requests[position].offset)
    }

    /// Takes the request that `next` has announced.
    func take() -> ReplayRequest? {
        guard position < requests.count else { return nil }
        defer { position += 1 }
        return requests[position]
    }

    /// Notes that the exchange of a request has ended, before it is recorded.
    func ended(_ request: ReplayRequest, with exchange: borrowing Exchange) {}

    /// Notes that a request that was taken is not sent.
    func skipped(_ request: ReplayRequest) {}
}
