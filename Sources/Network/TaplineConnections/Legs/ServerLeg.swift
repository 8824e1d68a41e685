// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel
package import TaplineNet
internal import TaplineTLS

/// Handles the input of a server for an exchange.
///
/// A leg holds its owner from `begin` to `end`, `close` or `abandon`.
///
/// **Isolation**: the leg's loop.
package protocol ServerLegOwner: AnyObject {
    /// Handles an interim response (RFC 9110 §15.2).
    func received(interim response: Response)
    /// Handles the head of the response.
    func received(_ head: consuming ResponseHead)
    /// Handles content of the response; not empty.
    func received(content: Span<UInt8>)
    /// Handles the end of the response.
    func responseEnded(_ trailers: FieldSection)
    /// Handles bytes of a tunnel.
    func received(tunnel bytes: Span<UInt8>)
    /// Handles that the server accepts more output, after it had not.
    func serverDrained()
    /// Handles any other event.
    func received(_ event: ServerLeg.Event)
}

/// The route to a server.
package struct ServerRoute: Sendable {
    package let origin: Origin
    /// The proxy at the other end of the connection; `nil` if that is the server itself.
    package let parent: ParentProxy?
    /// The negotiated TLS parameters; `nil` without TLS.
    package let tls: TLSInfo?

    package init(_ origin: Origin, parent: ParentProxy? = nil, tls: TLSInfo? = nil) {
        self.origin = origin
        self.parent = parent
        self.tls = tls
    }
}

/// A connection to a server.
///
/// It carries one exchange after the other, and waits in the pool in between.
///
/// ```
/// idle ─▶ head ─┬─▶ body ─▶ answered ─▶ idle
///               └─▶ tunnel
/// ```
/// **Isolation**: the connection's loop.
package final class ServerLeg: ConnectionDelegate {
    /// The rare events.
    package enum Event {
        /// The first bytes of a head arrived.
        case responseBegan
        /// The server ended a body with the connection, without TLS's closing alert.
        case endedWithoutAlert
        /// The server sends no more through the tunnel.
        case tunnelEnded
        /// The response cannot be read.
        case unreadable(HTTPError)
        /// The connection broke, or ended before the response was complete.
        case broken(ExchangeFailure)
        /// The stream was reset, or could not be opened; whether the server has done nothing with
        /// the request.
        case reset(ExchangeFailure, isUnprocessed: Bool)
    }

    private enum Phase {
        case idle
        case head
        case body
        /// Within a chunked body, which trailers may follow.
        case chunks
        /// The response is complete, the exchange has not ended yet.
        case answered
        case tunnel
    }

    /// Whether the connection may carry another exchange.
    private enum Reuse {
        /// There was no response.
        case unknown
        /// The last response allows it.
        case allowed
        /// The last response does not allow it, or bytes after the response belong to no request.
        case refused
    }

    package let socket: TCPConnection
    package let route: ServerRoute
    private var owner: (any ServerLegOwner)?
    /// The pool that holds it while it is idle.
    var pool: ServerPool?
    /// The next idle connection to the same server.
    var nextIdle: ServerLeg?
    /// When it became idle, on the loop's clock.
    var idleSince: Int64 = 0

    private var parser: ResponseParser
    private var decoder = BodyDecoder(.none, .response)
    private var kind = RequestKind()
    private var phase = Phase.idle
    /// A part of a head, or the bytes that the server of a tunnel sent early.
    private var input: [UInt8] = []
    private var reuse = Reuse.unknown
    private let limits: HTTPLimits
    private let needsClosingAlert: Bool
    /// Whether the server uses HTTP/2, so that the connection has to be taken over.
    package internal(set) var usesHTTP2: Bool

    /// Less than two full segments, which the kernel acknowledges at once (RFC 5681 §4.2).
    private static let smallPart = 2 * 1460

    package init(_ socket: TCPConnection, _ route: ServerRoute, _ settings: ServerSettings) {
        self.socket = socket
        self.route = route
        limits = settings.limits
        needsClosingAlert = settings.needsClosingAlert
        usesHTTP2 = route.tls?.alpn == "h2"
        parser = ResponseParser(limits: settings.limits)
        socket.delegate = self
    }

    /// Whether it can carry another exchange.
    var isUsable: Bool {
        phase == .idle && reuse != .refused && socket.isOpen && !socket.isInputEnded
    }

    /// Whether the server's last response allows another exchange on the connection.
    package var keepsAlive: Bool { reuse == .allowed }

    /// Starts an exchange, whose request is sent next.
    package func begin(_ owner: any ServerLegOwner, _ kind: RequestKind) {
        self.owner = owner
        self.kind = kind
        phase = .head
        reuse = .unknown
        socket.resumeReading()
    }

    /// Releases the exchange; the connection waits for another one.
    func end() {
        owner = nil
        phase = .idle
        // In the pool, the leg has to notice when the server closes.
        if socket.isReadingPaused { socket.resumeReading() }
    }

    /// Releases the exchange and closes once the server has the output.
    package func close() {
        owner = nil
        socket.close()
    }

    /// Releases the exchange and closes at once, since the state of the connection is unknown.
    package func abandon() {
        owner = nil
        socket.abandon()
    }

    // MARK: Tunnels

    /// Keeps the bytes that the server of a tunnel sent early.
    ///
    /// Not in place; see `ClientLeg.keep`.
    func keep(early bytes: Span<UInt8>) {
        var kept = exchange(&input, with: [])
        kept.append(copying: bytes)
        input = kept
    }

    /// Whether the server of a tunnel has already sent something.
    var hasEarlyBytes: Bool { !input.isEmpty }

    /// Forwards bytes from now on.
    package func becomeTunnel() {
        phase = .tunnel
        guard !input.isEmpty else { return }
        let early = exchange(&input, with: [])
        owner?.received(tunnel: early.span)
    }

    // MARK: Reading

    package func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        guard phase != .idle else {
            // Nothing was requested, so the input is not a response.
            socket.abandon()
            return
        }
        if input.isEmpty {
            read(bytes)
        } else {
            var held = exchange(&input, with: [])
            held.append(copying: bytes)
            read(held.span)
        }
        // A server that writes head and body separately sends the rest only after an
        // acknowledgement, which the kernel delays for 40 ms (RFC 1122 §4.2.3.2). The kernel
        // acknowledges large parts at once.
        let isHalf = phase == .head || phase == .body || phase == .chunks
        if isHalf, bytes.count < Self.smallPart { connection.acknowledge() }
    }

    private func read(_ bytes: Span<UInt8>) {
        var at = 0
        while at < bytes.count, let owner {
            let rest = bytes.extracting(at..<bytes.count)
            switch phase {
            case .idle, .answered:
                reuse = .refused
                return
            case .tunnel: return owner.received(tunnel: rest)
            case .head:
                guard let count = readHead(rest, owner) else {
                    if self.owner != nil { input = Array(copying: rest) }
                    return
                }
                at += count
            case .body, .chunks:
                guard let count = readBody(rest, owner) else { return }
                at += count
            }
        }
        // Bytes after the end of a response belong to no request.
        if at < bytes.count { socket.abandon() }
    }

    /// Reads a head; `nil` if it is incomplete or was refused.
    private func readHead(_ bytes: Span<UInt8>, _ owner: any ServerLegOwner) -> Int? {
        do throws(HTTPError) {
            guard let head = try parser.parse(bytes, answering: kind) else {
                owner.received(.responseBegan)
                return nil
            }
            let count = head.byteCount
            if head.isInterim {
                owner.received(interim: head.response)
                return count
            }
            reuse = head.keepsAlive ? .allowed : .refused
            if head.becomesTunnel {
                phase = .tunnel
            } else if head.framing.hasBody {
                decoder = BodyDecoder(head.framing, .response, limits: limits)
                phase = head.framing == .chunked ? .chunks : .body
            } else {
                answered(surplus: bytes.count - count)
            }
            owner.received(head)
            return count
        } catch {
            owner.received(.unreadable(error))
            return nil
        }
    }

    /// Reads a part of the body; `nil` if it was refused.
    private func readBody(_ bytes: Span<UInt8>, _ owner: any ServerLegOwner) -> Int? {
        do throws(HTTPError) {
            let part = try decoder.next(bytes)
            let hasTrailers = phase == .chunks
            if part.state == .ended { answered(surplus: bytes.count - part.consumed) }
            if !part.content.isEmpty { owner.received(content: bytes.extracting(part.content)) }
            if part.state == .ended {
                owner.responseEnded(hasTrailers ? decoder.trailers : FieldSection())
            }
            return part.consumed
        } catch {
            owner.received(.unreadable(error))
            return nil
        }
    }

    /// Notes the end of the response.
    ///
    /// Called before the exchange is notified, since that may hand the connection to the next
    /// exchange at once. Bytes that have already arrived are not a response to that one.
    private func answered(surplus: Int) {
        phase = .answered
        if surplus > 0 { reuse = .refused }
    }

    // MARK: Other events

    package func connectionEndedInput(_ connection: TCPConnection) {
        pool?.remove(self)
        guard let owner else { return socket.close() }
        switch phase {
        case .tunnel: owner.received(.tunnelEnded)
        case .body, .chunks:
            do throws(HTTPError) {
                try decoder.connectionEnded()
                phase = .answered
                owner.responseEnded(FieldSection())
            } catch {
                owner.received(.broken(.closedEarly))
            }
        case .head, .idle: owner.received(.broken(.closedEarly))
        case .answered: break
        }
    }

    package func connectionDrained(_ connection: TCPConnection) { owner?.serverDrained() }

    package func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        pool?.remove(self)
        let owner = owner.take()
        // The server's behaviour after its response does not matter to the exchange.
        guard phase != .answered else { return }
        if phase == .body, !needsClosingAlert, error?.code == NetError.Code(.truncated), let owner,
            (try? decoder.connectionEnded()) != nil
        {
            phase = .answered
            return owner.received(.endedWithoutAlert)
        }
        owner?.received(.broken(error.map { ExchangeFailure($0) } ?? .closedEarly))
    }
}
