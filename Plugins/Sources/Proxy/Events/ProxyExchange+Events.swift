// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin

extension ProxyExchange {
    /// Starts reading the events of the response, if it is a recorded event stream.
    ///
    /// Called when the head is written. If the whole body is available, all events are read.
    ///
    /// - Returns: Whether the connection continues; false if a hook has asked to close it.
    func beginEvents(isWhole: Bool) -> Bool {
        guard response.events == nil, lane.admits(held.exchange, &held.context),
            let head = held.exchange.response
        else { return true }
        let coding =
            isWhole ? head.body.coding : head.fields.first("Content-Encoding") ?? ByteString()
        let events = EventCapture(
            ContentCoding.list(coding.span),
            worker.settings,
            limit: captureMaxBytes,
            wanted: lane.wantedMessages(held.exchange, &held.context)
        )
        response.events = events
        return isWhole ? read(head.body.bytes.span, by: events) : true
    }

    /// Reads content of the response that has passed.
    ///
    /// - Returns: Whether the connection continues.
    func read(_ content: Span<UInt8>, by events: EventCapture) -> Bool {
        events.read(content, at: sinceBegun, client.memory) {
            lane.message(&$0, &held.exchange, &held.context)
        }
    }
}
