// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineMatching
internal import TaplineModel

/// A recorded request that can be sent.
final class ReplayRequest: Sendable {
    /// The recorded exchange, without the parts that are not needed and may be large.
    let recorded: Exchange
    /// The request to send.
    let request: Request
    /// The server that it is sent to.
    let origin: Origin
    /// When it began in the recording, in microseconds since the first request; further passes
    /// continue where the one before ended.
    let offset: Int64
    /// Its session and what it waits for; `nil` if it depends on nothing.
    let plan: PlannedRequest?
    /// Whether it contains masks, which are replaced when it is sent.
    let isMasked: Bool
    /// What its client sent through a WebSocket; `nil` if it does not ask for one.
    let client: RecordedClient?

    init(
        _ recorded: Exchange,
        _ request: Request,
        to origin: Origin,
        offset: Int64,
        plan: PlannedRequest? = nil,
        isMasked: Bool = false,
        client: RecordedClient? = nil
    ) {
        var recorded = recorded
        recorded.messages = []
        recorded.extra = nil
        recorded.har = ""
        recorded.response?.interim = []
        self.recorded = recorded
        self.request = request
        self.origin = origin
        self.offset = offset
        self.plan = plan
        self.isMasked = isMasked
        self.client = client
    }

    /// The approximate memory that it takes, in bytes.
    var memory: Int {
        let recorded = recorded
        return 2048 + 2 * recorded.request.fields.byteCount + recorded.request.body.bytes.count
            + (recorded.response?.body.bytes.count ?? 0)
            + (recorded.response?.fields.byteCount ?? 0) + (client?.memory ?? 0)
    }
}
