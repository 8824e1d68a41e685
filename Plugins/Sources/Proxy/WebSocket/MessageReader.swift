// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineHTTP
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin

/// Reads along one direction of a WebSocket while its bytes pass.
///
/// What cannot be read passes all the same, since a proxy is not the judge of it; the direction is
/// then not read any more.
struct MessageReader: ~Copyable {
    /// What was wrong first: the code of a `WebSocketError`, or `invalid_utf8`.
    private(set) var problem: String?
    /// Whether the close frame has come.
    private(set) var hasClosed = false

    private let direction: StreamMessage.Direction
    private var assembler: WebSocketMessageAssembler
    private let inflater: LazyInflater?
    /// Whether it is not read any more.
    private(set) var isLost = false

    /// Whether no frame has begun that has not ended, as far as that is known.
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
                // What is not kept need not be decoded, and room never grows.
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
        // RFC 6455 §8.1; where a text is cut, so may be its last character.
        guard problem == nil, message.opcode == .text, !message.isTruncated else { return }
        if !isValidUTF8(message.bytes.span) { problem = "invalid_utf8" }
    }
}
