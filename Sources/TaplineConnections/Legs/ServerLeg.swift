// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel
package import TaplineNet

/// What an exchange does with what its server says.
///
/// A leg holds its owner from `begin` to `end`, `close` or `abandon`.
///
/// **Isolation**: the leg's loop.
package protocol ServerLegOwner: AnyObject {
    /// An interim response came (RFC 9110 §15.2).
    func received(interim response: Response)
    /// The head of the response came.
    func received(_ head: consuming ResponseHead)
    /// Content of the response came; not empty.
    func received(content: Span<UInt8>)
    /// The response is whole.
    func responseEnded(_ trailers: FieldSection)
    /// Bytes of a tunnel came.
    func received(tunnel bytes: Span<UInt8>)
    /// The server takes more, after it had not.
    func serverDrained()
    /// Something else happened.
    func received(_ event: ServerLeg.Event)
}

/// The route by which a server is reached.
package struct ServerRoute: Sendable {
    package let origin: Origin
    /// The proxy at the other end of the connection; `nil` if that is the server itself.
    package let parent: ParentProxy?
    /// What was agreed in TLS; `nil` if TLS is not spoken.
    package let tls: TLSInfo?

    package init(_ origin: Origin, parent: ParentProxy? = nil, tls: TLSInfo? = nil) {
        self.origin = origin
        self.parent = parent
        self.tls = tls
    }
}

/// A connection to a server: carries one exchange after the other, and waits in the pool in between.
///
/// ```
/// idle ─▶ head ─┬─▶ body ─▶ answered ─▶ idle
///               └─▶ tunnel
/// ```
/// **Isolation**: the connection's loop.
package final class ServerLeg: ConnectionDelegate {
    /// What happens rarely.
    package enum Event {
        /// The first bytes of a head came.
        case responseBegan
        /// The server ended a body with the connection, without the closing alert of TLS.
        case endedWithoutAlert
        /// The server sends no more through the tunnel.
        case tunnelEnded
        /// The response cannot be read.
        case unreadable(HTTPError)
        /// The connection broke, or ended before the response was whole.
        case broken(ExchangeFailure)
    }

    private enum Phase {
        case idle
        case head
        case body
        /// Within a body in chunks, which trailers may follow.
        case chunks
        /// The response is whole; the exchange is not over yet.
        case answered
        case tunnel
    }

    /// Whether the connection may carry another exchange.
    private enum Reuse {
        /// There was no response.
        case unknown
        /// The server lets it, by its last response.
        case allowed
        /// The server does not, or bytes came after the response, which belong to no request.
        case refused
    }

    package let socket: TCPConnection
    package let route: ServerRoute
    private var owner: (any ServerLegOwner)?
    /// The pool that keeps it while it is idle.
    var pool: ServerPool?
    /// The next idle connection to the same server.
    var nextIdle: ServerLeg?
    /// When it became idle, by the loop's clock.
    var idleSince: Int64 = 0

    private var parser: ResponseParser
    private var decoder = BodyDecoder(.none, .response)
    private var kind = RequestKind()
    private var phase = Phase.idle
    /// A part of a head, or what the server of a tunnel said before it was listened to.
    private var input: [UInt8] = []
    private var reuse = Reuse.unknown
    private let limits: HTTPLimits
    private let needsClosingAlert: Bool

    /// Less than two full segments, which the kernel acknowledges at once (RFC 5681 §4.2).
    private static let smallPart = 2 * 1460

    package init(_ socket: TCPConnection, _ route: ServerRoute, _ settings: ServerSettings) {
        self.socket = socket
        self.route = route
        limits = settings.limits
        needsClosingAlert = settings.needsClosingAlert
        parser = ResponseParser(limits: settings.limits)
        socket.delegate = self
    }

    /// Whether it can carry another exchange.
    var isUsable: Bool {
        phase == .idle && reuse != .refused && socket.isOpen && !socket.isInputEnded
    }

    /// Whether the server lets the connection carry another exchange, by its last response.
    package var keepsAlive: Bool { reuse == .allowed }

    /// Takes on an exchange, whose request goes out next.
    package func begin(_ owner: any ServerLegOwner, _ kind: RequestKind) {
        self.owner = owner
        self.kind = kind
        phase = .head
        reuse = .unknown
        socket.resumeReading()
    }

    /// Lets go of the exchange; the connection waits for another one.
    func end() {
        owner = nil
        phase = .idle
        // In the pool it has to notice when the server closes.
        if socket.isReadingPaused { socket.resumeReading() }
    }

    /// Lets go of the exchange and closes, once the server has what was written.
    package func close() {
        owner = nil
        socket.close()
    }

    /// Lets go of the exchange and closes, since what is on the connection is not known any more.
    package func abandon() {
        owner = nil
        socket.abandon()
    }

    // MARK: Tunnels

    /// Keeps what the server of a tunnel said before it was listened to.
    func keep(early bytes: Span<UInt8>) {
        var kept: [UInt8] = []
        swap(&kept, &input)
        kept.append(copying: bytes)
        input = kept
    }

    /// Whether the server of a tunnel has said something already.
    var hasEarlyBytes: Bool { !input.isEmpty }

    /// Passes bytes through from here on.
    package func becomeTunnel() {
        phase = .tunnel
        guard !input.isEmpty else { return }
        var early: [UInt8] = []
        swap(&early, &input)
        owner?.received(tunnel: early.span)
    }

    // MARK: Reading

    package func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        guard phase != .idle else {
            // Nothing was asked: what comes is no answer to anything.
            socket.abandon()
            return
        }
        if input.isEmpty {
            read(bytes)
        } else {
            var held: [UInt8] = []
            swap(&held, &input)
            held.append(copying: bytes)
            read(held.span)
        }
        // A server that writes head and body apart sends the rest once it has heard of what came, which
        // the kernel puts off for 40 ms (RFC 1122 §4.2.3.2). Large parts it acknowledges by itself.
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

    /// Reads a head; `nil` if it is not whole or was refused.
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

    /// The response is whole.
    ///
    /// Noted before the exchange learns of it: it may give the connection to the next one at once,
    /// for which bytes that have come already are no answer.
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
        // What the server does after its answer does not matter to the exchange.
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
