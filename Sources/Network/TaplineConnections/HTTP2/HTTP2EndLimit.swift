// SPDX-License-Identifier: MIT

internal import TaplineHTTP2
internal import TaplineModel
internal import TaplineNet

/// Limits how long the end of a stream waits for a peer that takes nothing of the content before it.
///
/// **Isolation**: the loop's thread.
final class HTTP2EndLimit {
    private let stream: HTTP2Stream
    private let limit: Microseconds
    /// How much of the content was sent when the timer was armed.
    private var sent: Int
    private var timer: LoopTimer?
    /// Called once if the peer has taken nothing for as long as the limit.
    private let expired: () -> Void

    init(
        _ stream: HTTP2Stream,
        _ limit: Microseconds,
        on loop: EventLoop,
        _ expired: @escaping () -> Void
    ) {
        self.stream = stream
        self.limit = limit
        self.expired = expired
        sent = stream.sentBytes.body
        // Unowned, since the timer ends with the limit.
        let timer = LoopTimer(on: loop) { [unowned self] in timeIsUp() }
        timer.arm(after: limit)
        self.timer = timer
    }

    private func timeIsUp() {
        let count = stream.sentBytes.body
        guard count == sent else {
            sent = count
            timer?.arm(after: limit)
            return
        }
        expired()
    }
}
