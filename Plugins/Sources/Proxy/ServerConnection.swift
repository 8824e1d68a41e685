// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet

/// A connection to a server: carries one exchange after the other, and waits in the pool between.
///
/// **Isolation**: the worker's thread.
final class ServerConnection: ConnectionDelegate {
    let socket: TCPConnection
    let origin: Origin
    /// What was agreed in TLS, where it is spoken.
    let tls: TLSInfo?
    /// The proxy at the other end, where it is not the server itself.
    var parent: ParentProxy?
    /// What the server of a tunnel said before anybody listened.
    var early: [UInt8] = []
    /// Whether it has carried an exchange before.
    private(set) var isReused = false
    /// Who the bytes are for.
    private(set) var exchange: ProxyExchange?
    /// Where it is kept while it is idle; the pool takes it back when it lets go.
    var pool: ServerPool?
    /// Whether the server lets the connection carry another exchange, by its last response.
    private(set) var keepsAlive = false
    /// When it became idle, by the loop's clock.
    var idleSince: Int64 = 0

    private var parser: ResponseParser
    private var decoder = BodyDecoder(.none, .response)
    private var kind = RequestKind()
    private let limits: HTTPLimits
    private var phase = Phase.idle
    /// What has come of a head that is not whole.
    private var input: [UInt8] = []
    /// Whether bytes came after a response, which belong to no request.
    private var hasSurplus = false

    /// Less than two full segments, which the kernel acknowledges at once (RFC 5681 §4.2).
    private static let smallPart = 2 * 1460

    private enum Phase {
        case idle
        case head
        case body
        /// The response is whole, the exchange is not over yet.
        case answered
        case tunnel
    }

    init(_ socket: TCPConnection, _ origin: Origin, _ tls: TLSInfo? = nil, limits: HTTPLimits) {
        self.socket = socket
        self.origin = origin
        self.tls = tls
        self.limits = limits
        parser = ResponseParser(limits: limits)
        socket.delegate = self
    }

    /// Whether it can carry another exchange.
    var isUsable: Bool {
        phase == .idle && !hasSurplus && socket.isOpen && !socket.isInputEnded
    }

    /// Takes on an exchange, whose request goes out next.
    func begin(_ exchange: ProxyExchange, _ kind: RequestKind) {
        self.exchange = exchange
        self.kind = kind
        phase = .head
        keepsAlive = false
        socket.resumeReading()
    }

    /// Lets go of the exchange; the connection waits for another one.
    func end() {
        exchange = nil
        phase = .idle
        isReused = true
        // In the pool it has to notice when the server closes.
        if socket.isReadingPaused { socket.resumeReading() }
    }

    /// Lets go of the exchange and closes, once the server has what was written.
    func close() {
        exchange = nil
        socket.close()
    }

    /// Lets go of the exchange and closes, since what is on the connection is not known any more.
    func abandon() {
        exchange = nil
        socket.abandon()
    }

    /// Passes bytes through from here on.
    func becomeTunnel() {
        phase = .tunnel
        guard !early.isEmpty else { return }
        let said = early
        early = []
        exchange?.received(tunnel: said.span)
    }

    // MARK: Events

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        guard phase != .idle else {
            // Nothing was asked: what comes is no answer to anything.
            socket.abandon()
            return
        }
        if input.isEmpty {
            read(bytes)
        } else {
            var held = input
            input = []
            held.append(copying: bytes)
            read(held.span)
        }
        // A server that writes head and body apart sends the rest once it has heard of what came, which
        // the kernel puts off for 40 ms (RFC 1122 §4.2.3.2). Of large parts it tells by itself.
        let isHalf = phase == .head || phase == .body
        if isHalf, bytes.count < Self.smallPart { connection.acknowledge() }
    }

    private func read(_ bytes: Span<UInt8>) {
        var at = 0
        while at < bytes.count, let exchange {
            let rest = bytes.extracting(at..<bytes.count)
            switch phase {
            case .idle, .answered:
                hasSurplus = true
                return
            case .tunnel: return exchange.received(tunnel: rest)
            case .head:
                guard let count = readHead(rest, exchange) else {
                    if self.exchange != nil { input = Array(copying: rest) }
                    return
                }
                at += count
            case .body:
                guard let count = readBody(rest, exchange) else { return }
                at += count
            }
        }
        // Bytes after the end of a response belong to no request.
        if at < bytes.count { socket.abandon() }
    }

    /// Reads a head; `nil` if it is not whole or was refused.
    private func readHead(_ bytes: Span<UInt8>, _ exchange: ProxyExchange) -> Int? {
        do throws(HTTPError) {
            guard let head = try parser.parse(bytes, answering: kind) else {
                exchange.receivedFirstByte()
                return nil
            }
            let count = head.byteCount
            if head.isInterim {
                exchange.received(interim: head.response)
                return count
            }
            keepsAlive = head.keepsAlive
            decoder = BodyDecoder(head.framing, .response, limits: limits)
            phase = head.becomesTunnel ? .tunnel : .body
            if phase == .body, decoder.isEnded { answered(surplus: bytes.count - count) }
            exchange.received(head)
            return count
        } catch {
            exchange.fail(ExchangeFailure(error))
            return nil
        }
    }

    /// Reads a part of the body; `nil` if it was refused.
    private func readBody(_ bytes: Span<UInt8>, _ exchange: ProxyExchange) -> Int? {
        do throws(HTTPError) {
            let part = try decoder.next(bytes)
            if part.state == .ended { answered(surplus: bytes.count - part.consumed) }
            if !part.content.isEmpty {
                exchange.received(content: bytes.extracting(part.content))
            }
            if part.state == .ended { exchange.responseEnded(decoder.trailers) }
            return part.consumed
        } catch {
            exchange.fail(ExchangeFailure(error))
            return nil
        }
    }

    /// The response is whole.
    ///
    /// Said before the exchange learns of it: it may give the connection to the next one at once,
    /// for which bytes that have come already are no answer.
    private func answered(surplus: Int) {
        phase = .answered
        hasSurplus = surplus > 0
    }

    func connectionEndedInput(_ connection: TCPConnection) {
        pool?.remove(self)
        guard let exchange else { return socket.close() }
        switch phase {
        case .tunnel: exchange.tunnelEndedByServer()
        case .body:
            do throws(HTTPError) {
                try decoder.connectionEnded()
                phase = .answered
                exchange.responseEnded(FieldSection())
            } catch {
                exchange.serverFailed(.closedEarly)
            }
        case .head, .idle: exchange.serverFailed(.closedEarly)
        case .answered: break
        }
    }

    func connectionDrained(_ connection: TCPConnection) { exchange?.serverDrained() }

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        pool?.remove(self)
        let exchange = exchange.take()
        // What the server does after its answer does not matter to the exchange.
        guard phase != .answered else { return }
        if phase == .body, error?.code == NetError.Code(.truncated), let exchange,
            (try? decoder.connectionEnded()) != nil, exchange.responseEndedWithoutAlert()
        {
            return phase = .answered
        }
        exchange?.serverFailed(error.map { ExchangeFailure($0) } ?? .closedEarly)
    }
}
