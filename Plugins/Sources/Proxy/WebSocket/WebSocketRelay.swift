// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// Forwards the messages of a WebSocket one by one, as the hooks of the lane leave them.
///
/// Each message is read to its end and written as a new frame. It is one frame and not compressed,
/// which either side has to accept whatever was negotiated (RFC 7692 §6).
final class WebSocketRelay: WebSocketTraffic {
    private var up: MessageRelay
    private var down: MessageRelay
    private var log: MessageLog

    /// Starts after the response that switches to WebSocket.
    ///
    /// - Parameters:
    ///   - compression: The negotiated compression.
    ///   - settings: The proxy's settings.
    ///   - limit: How many bytes are kept for the record in each direction.
    ///   - wanted: The maximum size of a message that hooks get as a whole.
    init(
        _ compression: PerMessageDeflate?,
        _ settings: ProxySettings,
        limit: Int,
        wanted: Int
    ) {
        let limits = DecodingLimits(maxOutputBytes: settings.maxDecodedMessage, maxRatio: 0)
        up = MessageRelay(.up, compression, limits, wanted)
        down = MessageRelay(.down, compression, limits, wanted)
        log = MessageLog(maxCount: settings.maxMessages, limit: limit)
    }

    var isOpen: Bool { !(up.hasClosed || down.hasClosed) }

    /// Always true, since frames are sent as a whole.
    var isBetweenFrames: Bool { true }

    func pass(
        _ bytes: Span<UInt8>,
        _ direction: StreamMessage.Direction,
        of exchange: ProxyExchange
    ) throws(WebSocketError) -> Bool {
        if direction == .up { return try up.pass(bytes, of: exchange, into: &log) }
        return try down.pass(bytes, of: exchange, into: &log)
    }

    func fill(_ exchange: inout Exchange) { log.fill(&exchange) }

    var keptBytes: Int { log.held }
}

/// One direction of a WebSocket whose messages hooks see.
///
/// ```
/// complete ──▶ hooks ──▶ sent or dropped
/// too long for the hooks ──▶ hooks, with its beginning ──▶ the rest follows as it arrives
/// ```
struct MessageRelay: ~Copyable {
    /// Whether the close frame has arrived.
    private(set) var hasClosed = false

    private let direction: StreamMessage.Direction
    private let wanted: Int
    private var assembler: WebSocketMessageAssembler
    /// The record of a message whose beginning has been sent.
    private var begun: StreamMessage?
    /// Whether the rest of the current message is dropped.
    private var isDropping = false

    init(
        _ direction: StreamMessage.Direction,
        _ compression: PerMessageDeflate?,
        _ limits: DecodingLimits,
        _ wanted: Int
    ) {
        self.direction = direction
        self.wanted = wanted
        assembler = WebSocketMessageAssembler(
            from: direction == .up ? .client : .server,
            keeps: .max,
            inflater: compression.map { LazyInflater($0, direction, limits) }
        )
    }

    /// Reads the next bytes, and forwards the messages that end with them.
    ///
    /// - Returns: Whether the connection continues.
    mutating func pass(
        _ bytes: Span<UInt8>,
        of exchange: ProxyExchange,
        into log: inout MessageLog
    ) throws(WebSocketError) -> Bool {
        var consumed = 0
        while consumed < bytes.count {
            let step = try assembler.next(bytes.extracting(consumed..<bytes.count))
            consumed += step.consumed
            guard let message = step.message else { continue }
            if message.opcode.isControl {
                pass(control: message, of: exchange, into: &log)
            } else if !finish(message, of: exchange, into: &log) {
                return false
            }
        }
        let isLong = assembler.heldCount > (begun == nil && !isDropping ? wanted : 0)
        return isLong ? passHeld(of: exchange, into: &log) : true
    }

    private mutating func pass(
        control message: WebSocketMessage,
        of exchange: ProxyExchange,
        into log: inout MessageLog
    ) {
        if message.opcode == .close { hasClosed = true }
        let frame = WebSocketFrame(message.opcode, payloadCount: 0)
        exchange.send(frame, message.bytes.span, direction)
        log.append(message.recorded(direction, at: exchange.sinceBegun), exchange.client.memory)
    }

    /// Handles the end of a message.
    private mutating func finish(
        _ message: WebSocketMessage,
        of exchange: ProxyExchange,
        into log: inout MessageLog
    ) -> Bool {
        if isDropping {
            isDropping = false
            return true
        }
        if var begun = begun.take() {
            begun.size = message.size
            let last = WebSocketFrame(.continuation, payloadCount: 0)
            exchange.send(last, message.bytes.span, direction)
            log.append(begun, exchange.client.memory)
            return true
        }
        let recorded = message.recorded(direction, at: exchange.sinceBegun)
        var passed = recorded
        if recorded.bytes.count > wanted {
            // It arrived all at once, as a compressed message may.
            passed.bytes = Array(recorded.bytes[..<wanted])
            passed.isTruncated = true
        }
        switch exchange.runMessageHooks(&passed) {
        case .abort: return false
        case .drop: log.dropped += 1
        case .pass:
            if recorded.bytes.count > wanted { passed = recorded }
            if passed.bytes != recorded.bytes { passed.size = passed.bytes.count }
            let opcode: WebSocketOpcode = passed.type == "text" ? .text : .binary
            exchange.send(WebSocketFrame(opcode, payloadCount: 0), passed.bytes.span, direction)
            log.append(passed, exchange.client.memory)
        }
        return true
    }

    /// Forwards the beginning of a message that is too long to wait for.
    private mutating func passHeld(
        of exchange: ProxyExchange,
        into log: inout MessageLog
    ) -> Bool {
        guard let held = assembler.takeHeld(), !isDropping else { return true }
        var frame = WebSocketFrame(.continuation, payloadCount: 0, isFinal: false)
        if begun == nil {
            var message = held.recorded(direction, at: exchange.sinceBegun)
            message.size = nil
            message.isTruncated = true
            begun = message
            switch exchange.runMessageHooks(&message) {
            case .abort: return false
            case .drop:
                log.dropped += 1
                isDropping = true
                begun = nil
                return true
            case .pass: frame.opcode = held.opcode
            }
        }
        exchange.send(frame, held.bytes.span, direction)
        return true
    }
}

extension ProxyExchange {
    fileprivate func runMessageHooks(_ message: inout StreamMessage) -> MessageOutcome {
        lane.message(&message, &held.exchange, &held.context)
    }
}
