// SPDX-License-Identifier: MIT

internal import TaplineHTTP
package import TaplineModel
package import TaplineNet

/// A client's connection: reads one request after the other.
///
/// ```
/// head ──▶ body ──▶ answering ──▶ head …      head ──▶ answering ──▶ tunnel
/// socks ─▶ answering (a first byte of 5 in the place of a head), tunnel ─▶ head (HTTP in SOCKS)
/// head ──▶ opening ─┬▶ handshake ──▶ head …                 opening ──▶ answering
///   any ──▶ closing └▶ head …
/// ```
/// A request that is sent before the answer to the one before it is whole waits in `input`.
///
/// **Isolation**: the connection's loop.
package final class ClientLeg: ConnectionDelegate {
    enum Phase {
        /// SOCKS is spoken, until the client names a server.
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

    package let socket: TCPConnection
    let settings: ClientSettings
    var owner: (any ClientLegOwner)?

    var phase = Phase.head
    private var parser: RequestParser
    private var decoder = BodyDecoder(.none, .request)
    /// The bytes of the body so far, framing included.
    private var bodyBytes = 0
    private var socks: SocksNegotiation?
    /// The tunnel that is looked into; `nil` if there is none.
    var tunnelState: TunnelState?
    /// What has come and is not read yet.
    var input: [UInt8] = []
    private var isReading = false
    /// When a part of a head came, by the loop's clock, so that the time limit of heads counts.
    var headBegun: Int64?
    /// How many requests have come, in the tunnel if one is read.
    private var count = 0
    var timer: LoopTimer?

    /// A leg that reads from `begin` on.
    package init(_ socket: TCPConnection, _ settings: ClientSettings) {
        self.socket = socket
        self.settings = settings
        parser = RequestParser(limits: settings.limits)
    }

    /// Begins to read.
    package func begin(_ owner: any ClientLegOwner) {
        self.owner = owner
        socket.delegate = self
        // Unowned, since the timer ends with it; a weak reference would make all others slow.
        let timer = LoopTimer(on: socket.loop) { [unowned self] in timeIsUp() }
        timer.arm(after: settings.timeouts.keepAlive)
        self.timer = timer
        socket.startReading()
    }

    // MARK: What the owner asks for

    /// How many requests have come on the connection, or in the tunnel that is read on it, the one at
    /// hand included.
    package var requestCount: Int { count }

    /// The bytes of the request's body so far, framing included.
    package var bodyWireBytes: Int { bodyBytes }

    /// Whether no exchange is under way, nor a tunnel.
    package var isIdle: Bool { phase == .head || phase == .socks }

    /// Has `timeIsUp` called after a time, unless it is put off again.
    package func askAgain(after time: Microseconds) { timer?.arm(after: time) }

    /// The exchange is over: the connection goes on, or closes once all is sent.
    package func exchangeEnded(keepsAlive: Bool) {
        guard keepsAlive, phase == .answering else { return close() }
        phase = .head
        timer?.arm(after: settings.timeouts.keepAlive)
        if !isReading { goOn() }
    }

    /// Reads what has come before, and closes if nothing more will come.
    package func goOn() {
        readInput()
        if phase == .head, socket.isInputEnded, !isHeld { close() }
        holdBack()
    }

    /// The request may go on.
    package func requestUnblocked() {
        if socket.isReadingPaused { holdBack() }
    }

    /// Turns into a tunnel: what comes is not read as HTTP any more.
    package func becomeTunnel() {
        phase = .tunnel
        timer?.arm(after: settings.timeouts.tunnel)
        guard !isReading else { return }
        // A client need not wait for the answer before it speaks, nor before it ends.
        readInput()
        if socket.isInputEnded { owner?.received(.tunnelEnded) }
        holdBack()
    }

    /// Closes once what was written is sent.
    package func close() {
        phase = .closing
        timer = nil
        input = []
        socket.close()
    }

    /// Closes at once, so that the client sees an error.
    package func abort() {
        phase = .closing
        timer = nil
        socket.reset()
    }

    // MARK: Reading

    package func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
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
    ///
    /// Grown in place, the array would have every look at it checked for exclusivity.
    private func keep(_ bytes: Span<UInt8>) {
        var kept: [UInt8] = []
        swap(&kept, &input)
        kept.append(copying: bytes)
        input = kept
    }

    /// Reads what has come before, as far as that is possible now.
    func readInput() {
        guard !isReading, !input.isEmpty else { return }
        var held: [UInt8] = []
        swap(&held, &input)
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
        let isBlocked = phase == .head ? false : owner?.isRequestBlocked ?? false
        let waits = !input.isEmpty && (phase == .answering || isHeld)
        if isBlocked || waits {
            socket.pauseReading()
        } else if socket.isReadingPaused {
            socket.resumeReading()
        }
    }

    /// Reads on; returns how many of the bytes are done with.
    private func read(_ bytes: Span<UInt8>) -> Int {
        isReading = true
        defer { isReading = false }
        var at = 0
        while true {
            let rest = bytes.extracting(at..<bytes.count)
            switch phase {
            case .answering, .handshake: return at
            case .closing: return bytes.count
            case .tunnel:
                if rest.isEmpty || owner?.received(tunnel: rest) != false { return bytes.count }
            case .head, .body, .socks, .opening:
                guard !rest.isEmpty, let count = readPart(rest) else {
                    return phase == .closing ? bytes.count : at
                }
                at += count
            }
        }
    }

    /// Reads the next part of what a client says; `nil` if more has to come, or it is refused.
    private func readPart(_ bytes: Span<UInt8>) -> Int? {
        guard let owner else { return nil }
        return switch phase {
        case .head: readHead(bytes, owner)
        case .body: readBody(bytes, owner)
        case .socks: readSocks(bytes, owner)
        default: readOpening(bytes, owner)
        }
    }

    /// Whether no request is begun, since its record or its response would have to wait: a client that
    /// sends requests and does not read would have its answers pile up here.
    private var isHeld: Bool { owner?.holdsBack == true || !socket.isWritable }

    private func readHead(_ bytes: Span<UInt8>, _ owner: any ClientLegOwner) -> Int? {
        guard !isHeld else {
            if owner.holdsBack { owner.received(.waits) }
            return nil
        }
        if mayBeSocks, bytes[0] == SocksNegotiation.version {
            socks = SocksNegotiation(settings.credentials)
            timer?.arm(after: settings.timeouts.head)
            phase = .socks
            return 0
        }
        do throws(HTTPError) {
            guard let head = try parser.parse(bytes) else {
                if headBegun == nil, bytes.beginsHead { headBegins() }
                return nil
            }
            let count = head.byteCount
            headBegun = nil
            let hasBody = head.framing.hasBody
            if hasBody {
                decoder = BodyDecoder(head.framing, .request, limits: settings.limits)
            }
            bodyBytes = 0
            phase = hasBody ? .body : .answering
            self.count += 1
            owner.received(head)
            return count
        } catch {
            refuse(bytes.speaksTLS ? .tls : .malformed(error), after: bytes.count)
            return nil
        }
    }

    func headBegins() {
        headBegun = socket.loop.now
        timer?.arm(after: settings.timeouts.head)
    }

    /// Whether nothing was said yet by a client that may speak SOCKS.
    private var mayBeSocks: Bool {
        count == 0 && settings.takesSocks && headBegun == nil && tunnelState == nil
    }

    private func readBody(_ bytes: Span<UInt8>, _ owner: any ClientLegOwner) -> Int? {
        do throws(HTTPError) {
            let part = try decoder.next(bytes)
            bodyBytes &+= part.consumed
            if !part.content.isEmpty { owner.received(content: bytes.extracting(part.content)) }
            if part.state == .ended, phase == .body {
                phase = .answering
                owner.requestEnded(decoder.trailers)
            }
            return part.consumed
        } catch {
            owner.received(.failed(ExchangeFailure(error)))
            return nil
        }
    }

    /// Reads what a client says in SOCKS.
    private func readSocks(_ bytes: Span<UInt8>, _ owner: any ClientLegOwner) -> Int? {
        guard let (step, consumed) = socks?.next(bytes) else { return nil }
        switch step {
        case .incomplete: return nil
        case .answer(let reply): socket.write(reply.span)
        case .refuse(let reply):
            owner.received(.socksRefused)
            socket.write(reply.span)
            close()
        case .connect(let authority):
            guard let counts = socks.take()?.byteCounts else { return nil }
            phase = .answering
            count += 1
            owner.received(.socks(ByteString(authority), up: counts.up, down: counts.down))
        }
        return consumed
    }

    /// Reads no further, since what came is no request (RFC 9112 §9.6).
    private func refuse(_ reason: Unreadable.Reason, after byteCount: Int) {
        bodyBytes = 0
        phase = .answering
        count += 1
        let begun = headBegun ?? socket.loop.now
        owner?.received(
            .unreadable(Unreadable(reason: reason, byteCount: byteCount, begun: begun))
        )
    }

    /// From now on requests are read in a tunnel.
    func readRequests(in tunnel: ReadTunnel) {
        tunnelState = .read(tunnel)
        count = 0
        headBegun = nil
        phase = .head
        timer?.arm(after: settings.timeouts.keepAlive)
        owner?.received(.tunnelOpened)
    }

    // MARK: Other events

    package func connectionEndedInput(_ connection: TCPConnection) {
        switch phase {
        case .head:
            leaveTunnel(nil)
            close()
        case .socks, .closing: close()
        case .opening, .handshake: owner?.received(.gone)
        // The client may wait for its answer, but its request never becomes whole (RFC 9112 §8).
        case .body: owner?.received(.failed(.truncatedBody))
        // The client may wait for its answer with its own direction shut (RFC 9112 §9.6).
        case .answering: break
        case .tunnel: owner?.received(.tunnelEnded)
        }
    }

    package func connectionDrained(_ connection: TCPConnection) {
        if isIdle { goOn() } else { owner?.clientDrained() }
    }

    package func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        let isHandshake = phase == .handshake
        if phase == .head, let error { leaveTunnel(error) }
        phase = .closing
        timer = nil
        owner.take()?.closed(withinHandshake: isHandshake ? error : nil)
    }

    private func timeIsUp() {
        switch phase {
        case .opening where isSilent: silenceLasts()
        case .opening, .handshake: owner?.received(.failed(.slowHandshake))
        case .body, .answering, .tunnel:
            if let time = owner?.timeIsUp() { timer?.arm(after: time) }
        case .head where !input.isEmpty && owner?.holdsBack == true:
            // The client waits for us.
            timer?.arm(after: settings.timeouts.keepAlive)
        case .head where headBegun != nil: refuse(.late, after: input.count)
        case .head, .socks, .closing: close()
        }
    }
}

extension Span<UInt8> {
    /// Whether they are more than an empty line, which old clients send after a body (RFC 9112 §2.2).
    fileprivate var beginsHead: Bool { count > 2 || self[count - 1] > 0x0D }

    /// Whether they begin a TLS handshake (RFC 8446 §5.1).
    fileprivate var speaksTLS: Bool { count > 1 && self[0] == 0x16 && self[1] == 0x03 }
}
