// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineMatching
internal import TaplineModel

/// A recorded request that can be sent, and what each sending of it needs to know.
final class RecordedRequest: Sendable {
    /// The recorded exchange, without the parts that are not needed and may be large.
    let exchange: Exchange
    /// The request to send.
    let request: Request
    /// The server that it is sent to.
    let origin: Origin
    /// Whether a server in TLS may choose HTTP/2.
    let offersHTTP2: Bool
    /// Whether it contains masks, which are replaced when it is sent.
    let isMasked: Bool
    /// What its client sent through a WebSocket; `nil` if it does not ask for one.
    let client: RecordedClient?
    let id: ExchangeID
    /// The status of the recorded response.
    let status: Int?
    /// The method, the host and the template of the path, as recorded: those of the request that is
    /// sent may have live tokens and ids.
    let route: ByteString
    /// The approximate memory that it takes, in bytes.
    let memory: Int

    init(
        _ exchange: Exchange,
        _ request: Request,
        to origin: Origin,
        offersHTTP2: Bool = false,
        isMasked: Bool = false,
        client: RecordedClient? = nil
    ) {
        var exchange = exchange
        exchange.messages = []
        exchange.extra = nil
        exchange.har = ""
        exchange.response?.interim = []
        self.request = request
        self.origin = origin
        self.offersHTTP2 = offersHTTP2
        self.isMasked = isMasked
        self.client = client
        id = exchange.id
        status = exchange.response?.status
        route = exchange.request.replayRoute
        memory =
            2048 + 2 * exchange.request.fields.byteCount + exchange.request.body.bytes.count
            + (exchange.response?.body.bytes.count ?? 0)
            + (exchange.response?.fields.byteCount ?? 0) + (client?.memory ?? 0)
        self.exchange = exchange
    }
}

/// A recorded request with its place in a run.
struct ReplayRequest: Sendable {
    let recorded: RecordedRequest
    /// When it began in the recording, in microseconds since the first request; further passes
    /// continue where the one before ended.
    let offset: Int64
    /// Its session and what it waits for; `nil` if it depends on nothing.
    var plan: PlannedRequest?

    /// The approximate memory that it takes, in bytes.
    var memory: Int { recorded.memory + (plan?.messages?.memory ?? 0) }
}

extension Request {
    /// The method, the host and the template of the path.
    fileprivate var replayRoute: ByteString {
        let (method, authority, target) = (method, authority, target)
        var template: [UInt8] = []
        PathTemplate.make(target.span.extracting(pathRange), into: &template)
        var route: [UInt8] = []
        route.reserveCapacity(method.count + authority.count + template.count + 1)
        route.append(copying: method.span)
        route.append(.ascii(" "))
        route.append(copying: authority.span)
        route.append(contentsOf: template)
        return ByteString(route)
    }
}
