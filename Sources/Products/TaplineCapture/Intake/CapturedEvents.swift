// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// Reads the events of a response, whose content arrives decoded.
///
/// **Units**: up to `limit` bytes of events, and `maxCount` of them.
final class CapturedEvents {
    /// The most events of a response that are stored.
    static let maxCount = 10_000

    /// The time of the first event, relative to the start of the exchange.
    private(set) var firstEvent: Microseconds?

    private var parser = ServerSentEventParser(keeps: 0)
    private var log: MessageLog

    init(limit: Int) { log = MessageLog(maxCount: Self.maxCount, limit: limit) }

    /// The size of the stored events, which counts towards the memory of the lane.
    var heldBytes: Int { log.held }

    /// Reads the next content, and stores the events that end in it.
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

    /// Adds the stored events to the record.
    func fill(_ exchange: inout Exchange) {
        log.fill(&exchange)
        exchange.timing.firstEvent = firstEvent
    }
}
