// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineTLS

/// A server whose TLS was opened before that of a redirected client was answered.
struct EarlyServerConnection {
    /// The connection, which belongs to the client, so that it closes if the client sends no request;
    /// `nil` if it is one of HTTP/2, which can be shared.
    let server: ServerLeg?
    /// How long it took.
    let timing: Timing
}

/// Connections of redirected clients that only they themselves can use.
extension ProxyExchange {
    /// Opens the TLS of the client's server, unless there is a connection to it or it does not
    /// matter.
    func openServer(_ origin: Origin) {
        guard worker.answers?.reachesServers != false, !worker.isConnected(to: origin) else {
            client.link.leg?.serverOpened()
            return
        }
        worker.servers.connect(
            to: origin,
            isTunnel: false,
            offersHTTP2: worker.streams?.covers(origin) == true
        ) { [weak self] outcome in
            guard let self, let leg = client.link.leg, leg.awaitsServer else {
                if case .success(let server) = outcome.result { server.abandon() }
                return
            }
            if let hint = outcome.passingHint {
                if case .success(let server) = outcome.result { server.abandon() }
                return leg.serverRefused(hint)
            }
            if case .success(let server) = outcome.result { keep(server, outcome) }
            leg.serverOpened()
        }
    }

    private func keep(_ server: ServerLeg, _ outcome: ServerOutcome) {
        let timing = outcome.timing
        if server.usesHTTP2, let streams = worker.streams {
            // Its settings arrive at once, so it needs a reader.
            streams.give(server)
            client.opened = EarlyServerConnection(server: nil, timing: timing)
        } else {
            client.opened = EarlyServerConnection(server: server, timing: timing)
        }
    }

    /// Makes the connection that was opened for the client available to its first request.
    func use(_ opened: EarlyServerConnection) {
        held.exchange.timing.take(connection: opened.timing)
        guard let server = opened.server else { return }
        worker.isDraining ? server.abandon() : worker.servers.give(server)
    }
}

extension ProxyWorker {
    /// Returns whether requests to a server would use a connection that is open.
    fileprivate func isConnected(to origin: Origin) -> Bool {
        servers.has(origin) || streams?.has(origin) == true
    }
}

extension ServerOutcome {
    /// Why the connection of a redirected client passes unread, for the tag `hint`; `nil` if it is
    /// read.
    fileprivate var passingHint: String? {
        if asksForCertificate { return "client_certificate" }
        guard case .failure(let failure) = result else { return nil }
        let codes: [TLSError.Code] = [.verification, .alert, .malformed, .truncated]
        return codes.first { $0.rawValue == failure.code }?.rawValue
    }
}
