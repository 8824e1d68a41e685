// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// Passes the messages of a WebSocket on one by one, as the hooks of the lane leave them.
///
/// Each direction is read to the end of a message, and written anew: in one frame, not compressed,
/// which either side has to take whatever was agreed on (RFC 7692 §6).
final class WebSocketRelay: WebSocketTraffic {
    private var up: MessageRelay
    private var down: MessageRelay
    private var log: MessageLog

    /// Begins after the response that has switched to WebSocket.
    ///
    /// - Parameters:
    ///   - compression: What was agreed on.
    ///   - settings: The proxy's.
    ///   - limit: How many bytes are kept for the record in each direction.
    ///   - wanted: How large a message may be that hooks get whole.
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

    /// Frames are sent whole.
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
/// whole ──▶ hooks ──▶ sent or dropped
/// too long for the hooks ──▶ hooks, with what has come of it ──▶ the rest follows as it comes
/// ```
struct MessageRelay: ~Copyable {
    /// Whether the close frame has come.
    private(set) var hasClosed = false

    private let direction: StreamMessage.Direction
    private let wanted: Int
    private var assembler: WebSocketMessageAssembler
    /// What the record gets of a message whose beginning has been sent.
    private var begun: StreamMessage?
    /// Whether the rest of the message at hand goes to nobody.
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

    /// Reads the next bytes, and passes on what ends with them.
    ///
    /// - Returns: Whether the connection goes on.
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

    /// A message has ended.
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
            // It came all at once, as a compressed one may.
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

    /// Passes on what has come of a message that is too long to be waited for.
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
