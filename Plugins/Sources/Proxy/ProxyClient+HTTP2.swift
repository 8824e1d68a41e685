// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineHTTP2
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// A client that uses HTTP/2: each of its streams has a client of its own.
extension ProxyClient: HTTP2ClientOwner {
    /// Reads streams from now on.
    func useHTTP2() {
        guard let leg = link.leg else { return }
        let input = leg.handOver()
        do throws(HTTP2Failure) {
            let connection = try HTTP2ClientConnection(
                leg.socket,
                worker.settings.http2.clients,
                scheme: tunnel?.tls == nil ? "http" : "https",
                keepAlive: worker.settings.timeouts.keepAlive,
                idle: worker.settings.timeouts.idle
            )
            self.connection = connection
            connection.begin(self, with: input.span)
            if let draining = worker.draining { connection.drain(grace: draining.grace) }
        } catch {
            leg.socket.abandon()
        }
    }

    func requestArrived() { link.leg?.requestArrived() }

    func streamsWait() { received(.waits) }

    func owner(of stream: HTTP2ClientStream) -> any ClientLegOwner {
        tunnelExchange.take()?.giveWay()
        return ProxyClient(stream, of: self)
    }

    func refusedStream(_ id: Int32, _ error: HTTPError, _ received: HTTP2StreamBytes) {
        // Fields of a head that was not read to its end are not counted.
        let fields = received.fields == 0 ? nil : StreamLegs.FieldBytes(up: received.fields)
        let leg = StreamLegs.Leg(id: Int(id), version: "HTTP/2", fields: fields)
        record(ExchangeFailure(error), on: leg, received)
    }

    /// Records input that did not become an exchange.
    private func record(
        _ failure: ExchangeFailure,
        on leg: StreamLegs.Leg,
        _ received: HTTP2StreamBytes
    ) {
        tunnelExchange.take()?.giveWay()
        let held = ExchangeBox(worker.exchanges.make())
        held.exchange.request.version = "HTTP/2"
        if let origin = target ?? worker.settings.upstream {
            held.exchange.request.scheme = origin.scheme
            held.exchange.request.authority = origin.authority
        }
        held.exchange.connection = connectionInfo
        held.exchange.bytes = ByteCounts(
            up: ByteCounts.Direction(headers: received.headers, body: received.body)
        )
        var extra = ExchangeExtra()
        extra.stream = StreamLegs(client: leg)
        held.exchange.extra = extra
        held.exchange.state = .failed
        held.exchange.error = failure.error
        held.take { worker.records.add($0, $1, 0, memory) }
    }

    func connectionClosed(_ end: HTTP2ClientConnection.End) {
        switch end {
        case .left(let error):
            if tunnelExchange != nil { received(.tunnelUnused(link.leg?.distrust(error))) }
        case .violated(let failure):
            record(failure, on: StreamLegs.Leg(version: "HTTP/2"), HTTP2StreamBytes())
        case .closed: break
        }
        closed(withinHandshake: nil)
    }
}
