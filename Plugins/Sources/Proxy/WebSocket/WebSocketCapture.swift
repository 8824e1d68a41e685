// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// Reads along a WebSocket whose bytes pass unchanged, and keeps its messages for the record.
///
/// **Isolation**: the worker's thread.
final class WebSocketCapture {
    private var up: MessageReader
    private var down: MessageReader
    private var log: MessageLog

    /// Begins behind the response that has switched to WebSocket (RFC 6455 §4.2.2).
    init(_ response: Response, _ settings: ProxySettings, limit: Int) {
        let compression = PerMessageDeflate(response: response.fields)
        let limits = DecodingLimits(maxOutputBytes: settings.maxDecodedMessage, maxRatio: 0)
        up = MessageReader(.up, compression, limits)
        down = MessageReader(.down, compression, limits)
        log = MessageLog(maxCount: settings.maxMessages, limit: limit)
    }

    /// Whether neither side has said that it closes (RFC 6455 §7.1.2), as far as that could be read.
    var isOpen: Bool { !(up.hasClosed || down.hasClosed || up.isLost || down.isLost) }

    /// Bytes came from the client.
    func sent(_ bytes: Span<UInt8>, at time: Microseconds, _ lane: any Lane) {
        up.read(bytes, at: time, into: &log, lane)
    }

    /// Bytes came from the server.
    func received(_ bytes: Span<UInt8>, at time: Microseconds, _ lane: any Lane) {
        down.read(bytes, at: time, into: &log, lane)
    }

    /// Puts what was kept, and what was wrong, into the record.
    func fill(_ exchange: inout Exchange) {
        exchange.messages = log.messages
        if log.uncounted > 0 {
            exchange.tags["tapline.messages"] = "\(log.uncounted) more were not kept"
        }
        let problems = [up.problem.map { "up: \($0)" }, down.problem.map { "down: \($0)" }]
            .compactMap(\.self)
        if !problems.isEmpty {
            exchange.tags["tapline.websocket"] = problems.joined(separator: ", ")
        }
    }

    /// Lets go of the memory that was counted.
    func release(_ lane: any Lane) { log.release(lane) }
}

extension Response {
    /// Whether it switches the connection to WebSocket (RFC 6455 §4.1).
    var opensWebSocket: Bool {
        guard status == 101, let position = fields.firstIndex(of: "Upgrade") else { return false }
        return fields.value(at: position).equalsIgnoringCase("websocket")
    }
}
