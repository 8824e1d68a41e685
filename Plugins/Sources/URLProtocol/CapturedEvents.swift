// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// The events of a response that an app receives, which come decoded.
///
/// **Units**: up to `limit` bytes of events, and `maxCount` of them.
final class CapturedEvents {
    /// How many events are kept of a response.
    static let maxCount = 10_000

    /// When the first event came, counted from the start of the exchange.
    private(set) var firstEvent: Microseconds?

    private var parser = ServerSentEventParser(keeps: 0)
    private var log: MessageLog

    init(limit: Int) { log = MessageLog(maxCount: Self.maxCount, limit: limit) }

    /// The bytes that count in the memory of the lane.
    var heldBytes: Int { log.held }

    /// Reads the next content, and keeps the events that end with it.
    func read(
        _ content: Span<UInt8>,
        at time: Microseconds,
        _ memory: any CaptureMemory
    ) {
        var consumed = 0
        while consumed < content.count {
            parser.keeps = log.room(.down)
            let step = parser.next(content.extracting(consumed..<content.count))
            consumed += step.consumed
            guard let event = step.event else { continue }
            if firstEvent == nil { firstEvent = time }
            log.append(event.recorded(at: time), memory)
        }
    }

    /// Puts what was kept into the record.
    func fill(_ exchange: inout Exchange) {
        log.fill(&exchange)
        exchange.timing.firstEvent = firstEvent
    }
}
