// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// Reads an event stream while its bytes pass, and keeps the events for the record.
///
/// The stream is forwarded unchanged, whatever it contains. Coded content is decoded as it arrives,
/// in pieces of a fixed size. If it cannot be decoded, reading stops.
///
/// **Units**: up to `limit` bytes of events, and up to `max_messages` events. At most
/// `max_decoded_message` decoded bytes of a coded stream are read.
final class EventCapture {
    /// Runs the hooks on an event, and returns what happens to the event.
    typealias Hook = (inout StreamMessage) -> MessageOutcome

    /// When the first event arrived, relative to the start of the exchange.
    private(set) var firstEvent: Microseconds?
    /// Why the stream is no longer read.
    private(set) var problem: String?

    private var parser = ServerSentEventParser(keeps: 0)
    private let decoder: ContentDecoder?
    private var piece: [UInt8] = []
    private var log: MessageLog
    /// The maximum size of an event that hooks get as a whole; 0 without hooks.
    private let wanted: Int

    private static let pieceSize = 16_384

    /// Starts reading the content of a response.
    ///
    /// - Parameters:
    ///   - codings: The codings of the content, in the order in which they were applied.
    ///   - settings: The proxy's settings.
    ///   - limit: How many bytes are kept for the record.
    ///   - wanted: The maximum size of an event that hooks get as a whole; 0 without hooks.
    init(_ codings: [ContentCoding], _ settings: ProxySettings, limit: Int, wanted: Int) {
        self.wanted = wanted
        log = MessageLog(maxCount: settings.maxMessages, limit: limit)
        guard let coding = codings.first else {
            decoder = nil
            return
        }
        let limits = DecodingLimits(maxOutputBytes: settings.maxDecodedMessage)
        decoder = codings.count == 1 ? try? ContentDecoder(coding, limits: limits) : nil
        if decoder == nil { problem = "coding" }
    }

    /// The bytes that are counted in the memory of the client.
    var keptBytes: Int { log.held }

    /// Reads the next bytes, and keeps the events that end with them.
    ///
    /// - Parameters:
    ///   - content: Content as it was on the wire, without framing.
    ///   - time: When it arrived, relative to the start of the exchange.
    ///   - memory: Counts the kept bytes.
    ///   - hook: Called with each event if hooks want them.
    /// - Returns: Whether the connection continues; false if a hook has asked to close it.
    func read(
        _ content: Span<UInt8>,
        at time: Microseconds,
        _ memory: any CaptureMemory,
        _ hook: Hook
    ) -> Bool {
        guard problem == nil else { return true }
        guard let decoder else { return parse(content, at: time, memory, hook) }
        // Moved out while it is used, so that it is not copied.
        var piece = exchange(&self.piece, with: [])
        defer { self.piece = piece }
        if piece.isEmpty { piece = [UInt8](repeating: 0, count: Self.pieceSize) }
        var consumed = 0
        while let step = decode(content.extracting(consumed..<content.count), decoder, &piece) {
            consumed += step.consumed
            guard parse(piece.span.extracting(0..<step.produced), at: time, memory, hook) else {
                return false
            }
            if step.needsInput { return true }
        }
        return true
    }

    /// Decodes content, or notes the problem if it cannot be decoded.
    private func decode(
        _ content: Span<UInt8>,
        _ decoder: ContentDecoder,
        _ piece: inout [UInt8]
    ) -> ContentDecoder.Step? {
        do throws(CodingError) {
            var space = piece.mutableSpan
            return try decoder.decode(content, into: &space)
        } catch {
            problem = error.code == .outputLimit ? "max_decoded_message" : "coding"
            return nil
        }
    }

    /// Adds the kept events and the problem, if any, to the record.
    func fill(_ exchange: inout Exchange) {
        log.fill(&exchange)
        exchange.timing.firstEvent = firstEvent
        if let problem { exchange.tags["tapline.events"] = problem }
    }

    private func parse(
        _ bytes: Span<UInt8>,
        at time: Microseconds,
        _ memory: any CaptureMemory,
        _ hook: Hook
    ) -> Bool {
        var consumed = 0
        while consumed < bytes.count {
            parser.keeps = max(log.room(.down), wanted)
            let step = parser.next(bytes.extracting(consumed..<bytes.count))
            consumed += step.consumed
            guard let event = step.event else { continue }
            if firstEvent == nil { firstEvent = time }
            guard keep(event.recorded(at: time), memory, hook) else { return false }
        }
        return true
    }

    /// Runs the hooks on an event, and keeps what they leave of it.
    private func keep(
        _ message: StreamMessage,
        _ memory: any CaptureMemory,
        _ hook: Hook
    ) -> Bool {
        guard wanted > 0 else {
            log.append(message, memory)
            return true
        }
        var seen = message
        let isWhole = message.bytes.count <= wanted
        if !isWhole {
            seen.bytes = Array(message.bytes[..<wanted])
            seen.isTruncated = true
        }
        switch hook(&seen) {
        case .abort: return false
        case .drop: log.dropped += 1
        case .pass:
            var kept = message
            if isWhole { kept.bytes = seen.bytes }
            log.append(kept, memory)
        }
        return true
    }
}
