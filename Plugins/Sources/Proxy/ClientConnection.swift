// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// A client's connection: reads one request after the other and runs an exchange for each.
///
/// ```
/// head ──▶ body ──▶ answering ──▶ head …      head ──▶ answering ──▶ tunnel
/// socks ─▶ answering (a first byte of 5 in the place of a head), tunnel ─▶ head (HTTP in SOCKS)
/// head ──▶ opening ─┬▶ handshake ──▶ head …                 opening ──▶ answering
///   any ──▶ closing └▶ head …
/// ```
/// A request that is sent before the answer to the one before it is whole waits in `input`.
///
/// **Isolation**: the worker's thread.
final class ClientConnection: ConnectionDelegate {
    private enum Phase {
        /// SOCKS is spoken, until it says where to.
        case socks
        /// Between two requests, or within a head.
        case head
        /// Within a request's body.
        case body
        /// The request is whole, the response is not.
        case answering
        /// Bytes pass through.
        case tunnel
        /// In a tunnel that is looked into, before the client has said enough.
        case opening
        /// TLS is agreed on.
        case handshake
        /// Nothing is read any more.
        case closing
    }

    let socket: TCPConnection
    let worker: ProxyWorker
    /// What counts the bytes that are kept of its exchanges.
    let memory: ClientMemory
    /// The address of the client.
    let address: String
    /// The server that the client has asked for with CONNECT, when what it says there is read.
    private(set) var target: Origin?
    /// That server as a Host field names it, in a tunnel that is read.
    private(set) var targetAuthority = ByteString()
    /// What was agreed with the client in TLS, where that is spoken.
    private(set) var tls: TLSInfo?
    /// How many requests have come before the one at hand.
    private(set) var served = 0

    private var phase = Phase.head
    private var exchange: ProxyExchange?
    /// The CONNECT of a tunnel that is read, until a request takes its place.
    private var carrier: ProxyExchange?
    /// When that tunnel was open, by the loop's clock, and whether its TLS session is a former one.
    private var opened: Int64 = 0
    private var isResumed = false
    /// Whether the server of that tunnel was connected to, since the client said nothing.
    private var isServerAsked = false
    private var parser: RequestParser
    private var decoder = BodyDecoder(.none, .request)
    private var socks: SocksNegotiation?
    /// What has come and is not read yet.
    private var input: [UInt8] = []
    private var isReading = false
    private var timer: LoopTimer?

    init(_ socket: TCPConnection, _ worker: ProxyWorker, _ share: ClientShare) {
        self.socket = socket
        self.worker = worker
        address = socket.peerText
        memory = ClientMemory(share, worker.lane, worker.log, client: address)
        parser = RequestParser(limits: worker.settings.limits)
        socket.delegate = self
        // Unowned, since the timer ends with it; a weak reference would make all others slow.
        let timer = LoopTimer(on: worker.loop) { [unowned self] in timeIsUp() }
        timer.arm(after: worker.settings.timeouts.keepAlive)
        self.timer = timer
        socket.startReading()
    }

    // MARK: Reading

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        if input.isEmpty {
            let count = read(bytes)
            if count < bytes.count { keep(bytes.extracting(count..<bytes.count)) }
        } else {
            keep(bytes)
            readInput()
        }
        holdBack()
    }

    /// Keeps what cannot be read yet.
    private func keep(_ bytes: Span<UInt8>) {
        var kept = input.taken()
        kept.append(copying: bytes)
        input = kept
    }

    /// Reads what has come before, as far as that is possible now.
    private func readInput() {
        guard !isReading, !input.isEmpty else { return }
        let held = input.taken()
        let count = read(held.span)
        if count == 0, phase != .closing {
            input = held
        } else if count < held.count {
            input = Array(held[count...])
        }
        holdBack()
    }

    /// Reads no more from the socket while something waits that cannot be handled yet.
    private func holdBack() {
        let isBlocked = exchange?.isRequestBlocked ?? false
        let waits = !input.isEmpty && (phase == .answering || isHeld)
        if isBlocked || waits {
            socket.pauseReading()
        } else if socket.isReadingPaused {
            socket.resumeReading()
        }
    }

    /// Reads on; says how many of the bytes are done with.
    private func read(_ bytes: Span<UInt8>) -> Int {
        isReading = true
        defer { isReading = false }
        var at = 0
        while true {
            let rest = bytes.extracting(at..<bytes.count)
            switch phase {
            case .head:
                guard !rest.isEmpty, let count = readHead(rest) else {
                    return phase == .closing ? bytes.count : at
                }
                at += count
            case .body:
                guard !rest.isEmpty, let count = readBody(rest) else {
                    return phase == .closing ? bytes.count : at
                }
                at += count
            case .socks:
                guard !rest.isEmpty, let count = readSocks(rest) else {
                    return phase == .closing ? bytes.count : at
                }
                at += count
            case .answering, .handshake: return at
            case .opening:
                guard !rest.isEmpty, let count = readOpening(rest) else {
                    return phase == .closing ? bytes.count : at
                }
                at += count
            case .tunnel:
                if exchange?.turnsToHTTP(rest) == true { continue }
                exchange?.sent(tunnel: rest)
                return bytes.count
            case .closing: return bytes.count
            }
        }
    }

    /// Whether no request is begun, since its record or its response would have to wait: a client that
    /// sends requests and does not read would have its answers pile up here.
    private var isHeld: Bool { worker.holdsBack(self) || !socket.isWritable }

    private func readHead(_ bytes: Span<UInt8>) -> Int? {
        guard !isHeld else {
            if worker.holdsBack(self) { worker.wakeLater(self) }
            return nil
        }
        if mayBeSocks, bytes[0] == SocksNegotiation.version {
            socks = SocksNegotiation(worker.settings.access.credentials)
            timer?.arm(after: worker.settings.timeouts.head)
            phase = .socks
            return 0
        }
        do throws(HTTPError) {
            guard let head = try parser.parse(bytes) else {
                if !isHeadBegun, bytes.beginsHead { headBegins() }
                return nil
            }
            isHeadBegun = false
            let count = head.byteCount
            begin(consume head)
            return count
        } catch {
            refuse(bytes.speaksTLS ? .tlsToProxy : ExchangeFailure(error), after: bytes.count)
            return nil
        }
    }

    private func headBegins() {
        isHeadBegun = true
        headBegun = worker.loop.now
        timer?.arm(after: worker.settings.timeouts.head)
    }

    /// Whether nothing was said yet by a client of a forward proxy.
    private var mayBeSocks: Bool {
        served == 0 && !isHeadBegun && target == nil && worker.settings.upstream == nil
    }

    /// Reads what a client says in SOCKS; `nil` if more has to come, or it is refused.
    private func readSocks(_ bytes: Span<UInt8>) -> Int? {
        guard let (step, consumed) = socks?.next(bytes) else { return nil }
        switch step {
        case .incomplete: return nil
        case .answer(let reply): socket.write(reply.span)
        case .refuse(let reply):
            worker.countRefused()
            socket.write(reply.span)
            close()
        case .connect(let authority): begin(socks: ByteString(authority))
        }
        return consumed
    }

    private func begin(socks authority: ByteString) {
        guard let socks = socks.take() else { return }
        phase = .answering
        begin(ProxyExchange(socks: authority, socks, self))
    }

    /// Whether a part of a head has come, so that the time limit of heads counts.
    private var isHeadBegun = false
    /// When that was, by the loop's clock.
    private var headBegun: Int64 = 0

    private func begin(_ head: consuming RequestHead) {
        carrier.take()?.giveWay()
        let hasBody = head.framing.hasBody
        // One that has read nothing is as good as a new one where no body comes.
        if hasBody || decoder.wireBytes > 0 {
            decoder = BodyDecoder(head.framing, .request, limits: worker.settings.limits)
        }
        phase = hasBody ? .body : .answering
        begin(ProxyExchange(consume head, self))
    }

    private func begin(_ exchange: ProxyExchange) {
        self.exchange = exchange
        served += 1
        timer?.arm(after: exchange.firstLook)
        exchange.begin()
    }

    private func readBody(_ bytes: Span<UInt8>) -> Int? {
        guard let exchange else { return nil }
        do throws(HTTPError) {
            let part = try decoder.next(bytes)
            if !part.content.isEmpty { exchange.sent(content: bytes.extracting(part.content)) }
            if part.state == .ended, phase == .body {
                phase = .answering
                exchange.requestEnded(decoder.trailers)
            }
            return part.consumed
        } catch {
            exchange.fail(ExchangeFailure(error))
            return nil
        }
    }

    // MARK: What the exchange asks for

    /// What a record says of the connection.
    var facts: Connection {
        var facts = Connection(client: address, server: "", isReused: served > 0)
        facts.tls = tls
        return facts
    }

    /// The bytes of the request's body so far, framing included.
    var bodyWireBytes: Int { decoder.wireBytes }

    /// Turns into a tunnel: what comes is not read as HTTP any more.
    func becomeTunnel() {
        phase = .tunnel
        timer?.arm(after: worker.settings.timeouts.tunnel)
        guard !isReading else { return }
        // A client need not wait for the answer before it speaks, nor before it ends.
        readInput()
        if socket.isInputEnded { exchange?.tunnelEndedByClient() }
        holdBack()
    }

    // MARK: Tunnels that are read

    /// A server was asked for that is not connected to yet: what the client says first decides.
    func beginOpening(_ origin: Origin) {
        target = origin
        phase = .opening
        isServerAsked = false
        timer?.arm(after: worker.settings.timeouts.silence)
        readInput()
    }

    /// Whether the client of a tunnel that is looked into has not said anything.
    var isSilent: Bool { phase == .opening && input.isEmpty }

    /// The server spoke before the client did.
    func serverSpoke() {
        if isSilent { passThrough() }
    }

    /// Reads what a client says first in a tunnel; `nil` if more has to come.
    private func readOpening(_ bytes: Span<UInt8>) -> Int? {
        guard let interception = worker.interception, let exchange, let target else { return nil }
        switch TunnelOpening(bytes, to: target.host, interception) {
        case .incomplete:
            if !isHeadBegun { headBegins() }
            return nil
        case .other(let passed):
            passThrough(passed)
            return 0
        case .http:
            exchange.endProbe()
            tunnelOpened(to: target, nil)
            return 0
        case .tls(let hello):
            exchange.endProbe()
            phase = .handshake
            timer?.arm(after: worker.settings.timeouts.head)
            do throws(TLSError) {
                try startTLS(hello, target, interception, with: bytes)
            } catch {
                exchange.handshakeFailed(NetError(error))
            }
            return bytes.count
        }
    }

    /// What the client says is not read here.
    private func passThrough(_ passed: TunnelOpening.Passed = TunnelOpening.Passed()) {
        guard let target, let exchange else { return }
        isHeadBegun = false
        self.target = nil
        phase = .answering
        exchange.passThrough(target, passed)
    }

    /// From now on requests are read, which are for that server.
    func tunnelOpened(to server: Origin, _ tls: TLSInfo?, isResumed: Bool = false) {
        target = server
        targetAuthority = server.authority
        self.tls = tls
        self.isResumed = isResumed
        opened = worker.loop.now
        served = 0
        carrier = exchange.take()
        isHeadBegun = false
        phase = .head
        timer?.arm(after: worker.settings.timeouts.keepAlive)
    }

    /// The exchange is over; the connection goes on, or closes once all is sent.
    func exchangeEnded(keepsAlive: Bool) {
        exchange = nil
        guard keepsAlive, !worker.isDraining, phase == .answering else { return close() }
        phase = .head
        timer?.arm(after: worker.settings.timeouts.keepAlive)
        if !isReading { goOn() }
    }

    /// Reads what has come before, and closes where nothing more will come.
    func goOn() {
        readInput()
        if phase == .head, exchange == nil, socket.isInputEnded, !isHeld { close() }
        holdBack()
    }

    /// Closes once what was written is sent.
    func close() {
        phase = .closing
        timer = nil
        input = []
        socket.close()
    }

    /// Closes at once, so that the client sees an error.
    func abort() {
        phase = .closing
        timer = nil
        socket.reset()
    }

    /// The request may go on.
    func requestUnblocked() { holdBack() }

    /// The run ends: a connection without an exchange closes, another one when that is over.
    func drain() {
        if phase == .head || phase == .socks, exchange == nil { return close() }
        exchange?.goAwayIfDraining()
    }

    /// The run is over: what is still on its way ends here.
    func stop() {
        exchange?.stopped()
    }

    /// Answers what is no request, which is kept as one that has failed, and closes (RFC 9112 §9.6).
    private func refuse(_ failure: ExchangeFailure, after count: Int) {
        carrier.take()?.giveWay()
        decoder = BodyDecoder(.none, .request)
        phase = .answering
        let exchange = ProxyExchange(
            unreadable: count,
            since: isHeadBegun ? headBegun : worker.loop.now,
            self
        )
        self.exchange = exchange
        exchange.fail(failure)
    }

    // MARK: Events

    func connectionEndedInput(_ connection: TCPConnection) {
        switch phase {
        case .head:
            endCarrier(nil)
            close()
        case .socks, .closing: close()
        case .opening, .handshake: exchange?.clientGone()
        // The client may wait for its answer, but its request never becomes whole (RFC 9112 §8).
        case .body: exchange?.fail(.truncatedBody)
        // The client may wait for its answer with its own direction shut (RFC 9112 §9.6).
        case .answering: break
        case .tunnel: exchange?.tunnelEndedByClient()
        }
    }

    func connectionDrained(_ connection: TCPConnection) {
        if let exchange { exchange.clientDrained() } else { goOn() }
    }

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        let isHandshake = phase == .handshake
        if phase == .head, let error { endCarrier(error) }
        phase = .closing
        timer = nil
        let exchange = exchange.take()
        if isHandshake, let error {
            exchange?.handshakeFailed(error)
        } else {
            exchange?.clientGone()
        }
        carrier.take()?.endedUnused()
        worker.forget(self)
    }

    /// The client has ended a tunnel that is read, in which no request came.
    private func endCarrier(_ error: NetError?) {
        guard let carrier = carrier.take() else { return }
        let time = worker.loop.now - opened
        if tls != nil, !isHeadBegun, input.isEmpty,
            let cause = distrust(error, openFor: time, isResumed: isResumed)
        {
            carrier.handshakeFailed(cause)
        } else {
            carrier.endedUnused()
        }
    }

    private func timeIsUp() {
        if isSilent {
            guard !isServerAsked, let target else { return passThrough() }
            isServerAsked = true
            timer?.arm(after: worker.settings.timeouts.opening)
            exchange?.listenToServer(target)
        } else if phase == .opening || phase == .handshake {
            exchange?.fail(.slowHandshake)
        } else if let exchange {
            if let wait = exchange.lookAtTime() { timer?.arm(after: wait) }
        } else if worker.holdsBack(self), !input.isEmpty {
            // It is us whom the client waits for.
            timer?.arm(after: worker.settings.timeouts.keepAlive)
        } else if phase == .head, isHeadBegun {
            refuse(.requestTimeout, after: input.count)
        } else {
            close()
        }
    }
}

extension Span<UInt8> {
    /// Whether they are more than an empty line, which old clients send after a body (RFC 9112 §2.2).
    fileprivate var beginsHead: Bool { count > 2 || self[count - 1] > 0x0D }

    /// Whether they begin a TLS handshake (RFC 8446 §5.1).
    fileprivate var speaksTLS: Bool { count > 1 && self[0] == 0x16 && self[1] == 0x03 }
}
