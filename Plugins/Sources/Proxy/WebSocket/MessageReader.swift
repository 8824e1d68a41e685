// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineHTTP
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin

/// Reads one direction of a WebSocket while its bytes pass.
///
/// Bytes that cannot be read pass anyway, since a proxy does not enforce the rules. The direction
/// is then no longer read.
struct MessageReader: ~Copyable {
    /// The first violation: the code of a `WebSocketError`, or `invalid_utf8`.
    private(set) var problem: String?
    /// Whether the close frame has arrived.
    private(set) var hasClosed = false

    private let direction: StreamMessage.Direction
    private var assembler: WebSocketMessageAssembler
    private let inflater: LazyInflater?
    /// Whether the direction is no longer read.
    private(set) var isLost = false

    /// Whether no frame is in progress, as far as that is known.
    var isBetweenFrames: Bool { !isLost && assembler.isBetweenFrames }

    init(
        _ direction: StreamMessage.Direction,
        _ compression: PerMessageDeflate?,
        _ limits: DecodingLimits
    ) {
        self.direction = direction
        let inflater = compression.map { LazyInflater($0, direction, limits) }
        self.inflater = inflater
        assembler = WebSocketMessageAssembler(
            from: direction == .up ? .client : .server,
            keeps: 0,
            inflater: inflater
        )
    }

    /// Reads the next bytes, and keeps the messages that end with them.
    mutating func read(
        _ bytes: Span<UInt8>,
        at time: Microseconds,
        into log: inout MessageLog,
        _ memory: any CaptureMemory
    ) {
        guard !isLost else { return }
        var consumed = 0
        do throws(WebSocketError) {
            while consumed < bytes.count {
                let room = log.room(direction)
                assembler.keeps = room
                // Data that is not kept need not be decoded, and the room never grows.
                if room == 0 { inflater?.isIdle = true }
                let step = try assembler.next(bytes.extracting(consumed..<bytes.count))
                consumed += step.consumed
                guard let message = step.message else { continue }
                note(message)
                log.append(message.recorded(direction, at: time), memory)
            }
        } catch {
            isLost = true
            problem = problem ?? error.code.name
        }
    }

    private mutating func note(_ message: WebSocketMessage) {
        if message.opcode == .close { hasClosed = true }
        // RFC 6455 §8.1. In a truncated text, the last character may be incomplete.
        guard problem == nil, message.opcode == .text, !message.isTruncated else { return }
        if !isValidUTF8(message.bytes.span) { problem = "invalid_utf8" }
    }
}
