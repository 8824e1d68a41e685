// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineHTTP2
internal import TaplineModel
internal import TaplineNet

/// Limits how fast the content of a stream is sent.
///
/// **Isolation**: the loop's thread.
final class HTTP2Pacing {
    private let stream: HTTP2Stream
    private let loop: EventLoop
    private var pace: OutputPace
    private var waiting: [UInt8] = []
    /// The trailers of a message that ends after the content; `nil` if it has not ended.
    private var trailers: FieldSection?
    private var timer: LoopTimer?
    /// Called when no content waits any more.
    private let drained: () -> Void

    init(
        _ stream: HTTP2Stream,
        bytesPerSecond: Int,
        on loop: EventLoop,
        _ drained: @escaping () -> Void
    ) {
        self.stream = stream
        self.loop = loop
        self.drained = drained
        pace = OutputPace(bytesPerSecond: bytesPerSecond, at: loop.now)
        timer = LoopTimer(on: loop) { [unowned self] in advance() }
    }

    /// The number of bytes that wait for the limit.
    var pendingBytes: Int { waiting.count }

    /// Whether the message has not ended, and nothing waits.
    var isEmpty: Bool { waiting.isEmpty && trailers == nil }

    func send(_ content: Span<UInt8>) {
        waiting.append(copying: content)
        if waiting.count == content.count { advance() }
    }

    /// Ends the message once its content was sent.
    func end(_ trailers: FieldSection) throws(HTTPError) {
        guard !waiting.isEmpty else { return try stream.end(trailers: trailers) }
        self.trailers = trailers
    }

    /// Sends what the limit and the receiver allow; called again when the stream was drained.
    func advance() {
        while !waiting.isEmpty {
            guard stream.isWritable else { return }
            let count = min(pace.allowance(at: loop.now), waiting.count)
            guard count > 0 else {
                timer?.arm(after: pace.wait)
                return
            }
            stream.send(content: waiting.span.extracting(0..<count))
            pace.sent(count)
            waiting.removeFirst(count)
        }
        if trailers != nil { endMessage() } else if stream.isWritable { drained() }
    }

    /// Sends what waits without a limit, since nothing follows.
    func flush() {
        if !waiting.isEmpty { stream.send(content: waiting.span) }
        waiting = []
        endMessage()
    }

    /// Ends the message if its end waits.
    private func endMessage() {
        guard let trailers = trailers.take() else { return }
        do throws(HTTPError) {
            try stream.end(trailers: trailers)
        } catch {
            stream.reset(.internalError)
        }
    }
}
