// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// Forwards the bytes of a WebSocket unchanged, reads them, and keeps the messages for the record.
final class WebSocketCapture: WebSocketTraffic {
    private var up: MessageReader
    private var down: MessageReader
    private var log: MessageLog

    /// Starts after the response that switches to WebSocket (RFC 6455 §4.2.2).
    init(_ compression: PerMessageDeflate?, _ settings: ProxySettings, limit: Int) {
        let limits = DecodingLimits(maxOutputBytes: settings.maxDecodedMessage, maxRatio: 0)
        up = MessageReader(.up, compression, limits)
        down = MessageReader(.down, compression, limits)
        log = MessageLog(maxCount: settings.maxMessages, limit: limit)
    }

    var isOpen: Bool { !(up.hasClosed || down.hasClosed || up.isLost || down.isLost) }

    var isBetweenFrames: Bool { up.isBetweenFrames && down.isBetweenFrames }

    func pass(
        _ bytes: Span<UInt8>,
        _ direction: StreamMessage.Direction,
        of exchange: ProxyExchange
    ) throws(WebSocketError) -> Bool {
        exchange.write(bytes, direction)
        let time = exchange.sinceBegun
        if direction == .up {
            up.read(bytes, at: time, into: &log, exchange.client.memory)
        } else {
            down.read(bytes, at: time, into: &log, exchange.client.memory)
        }
        return true
    }

    func fill(_ exchange: inout Exchange) {
        log.fill(&exchange)
        let problems = [up.problem.map { "up: \($0)" }, down.problem.map { "down: \($0)" }]
            .compactMap(\.self)
        if !problems.isEmpty {
            exchange.tags["tapline.websocket"] = problems.joined(separator: ", ")
        }
    }

    var keptBytes: Int { log.held }
}
