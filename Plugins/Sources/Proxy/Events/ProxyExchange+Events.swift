// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin

extension ProxyExchange {
    /// Begins to read the events of the response, if it is a stream of them that is recorded.
    ///
    /// Called when the head is written. Of a body that is at hand whole, all events are read.
    ///
    /// - Returns: Whether the connection goes on; not if a hook has asked to close it.
    func beginEvents(isWhole: Bool) -> Bool {
        guard response.events == nil, lane.admits(held.exchange, &held.context),
            let head = held.exchange.response
        else { return true }
        let coding =
            isWhole ? head.body.coding : head.fields.first("Content-Encoding") ?? ByteString()
        let events = EventCapture(
            ContentCoding.list(coding.span),
            worker.settings,
            limit: worker.captureMaxBytes,
            wanted: lane.wantedMessages(held.exchange, &held.context)
        )
        response.events = events
        return isWhole ? read(head.body.bytes.span, by: events) : true
    }

    /// Content of the response has passed.
    ///
    /// - Returns: Whether the connection goes on.
    func read(_ content: Span<UInt8>, by events: EventCapture) -> Bool {
        events.read(content, at: sinceBegun, client.memory) {
            lane.message(&$0, &held.exchange, &held.context)
        }
    }
}
