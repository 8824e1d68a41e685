// SPDX-License-Identifier: MIT

internal import TaplineHTTP
package import TaplineModel
package import TaplineNet

/// A client's connection, which reads one request after the other.
///
/// ```
/// head ──▶ body ──▶ answering ──▶ head …      head ──▶ answering ──▶ tunnel
/// socks ─▶ answering (a first byte of 5 instead of a head), tunnel ─▶ head (HTTP in SOCKS)
/// head ──▶ opening ─┬▶ (connecting) ──▶ handshake ──▶ head …  opening, connecting ──▶ answering
///   any ──▶ closing └▶ head …
/// ```
/// A request that is sent before the previous response is complete waits in `input`.
///
/// **Isolation**: the connection's loop.
package final class ClientLeg: ConnectionDelegate {
    enum Phase {
        /// Within the SOCKS negotiation, until the client names a server.
        case socks
        /// Between two requests, or within a head.
        case head
        /// Within a request's body.
        case body
        /// The request is complete, the response is not.
        case answering
        /// Bytes pass through.
        case tunnel
        /// In an inspected tunnel, before the client has sent enough.
        case opening
        /// A redirected client has begun TLS, and that of its server is opened first.
        case connecting
        /// TLS is being negotiated.
        case handshake
        /// No more input is read.
        case closing
    }

    package let socket: TCPConnection
    let settings: ClientSettings
    var owner: (any ClientLegOwner)?

    var phase = Phase.head
    private var parser: RequestParser
    private var decoder = BodyDecoder(.none, .request)
    /// The bytes of the body so far, including framing.
    private var bodyBytes = 0
    private var socks: SocksNegotiation?
    /// The state of the inspected tunnel; `nil` if there is none.
    var tunnelState: TunnelState?
    /// Whether the client of the tunnel was redirected.
    var isRedirected = false
    /// The machine of a client that was redirected; `nil` if all of them are on the same one.
    var machine: IPAddress?
    /// The program and the host to remember once the client has accepted or rejected the
    /// certificate.
    var distrustKey: RejectedCertificateCache.Key?
    /// The bytes that were received but not read yet.
    var input: [UInt8] = []
    private var isReading = false
    /// When the first part of a head arrived, on the loop's clock; starts the time limit of heads.
    var headBegun: Int64?
    /// The number of requests, within the tunnel if one is read.
    private var count = 0
    var timer: LoopTimer?
    /// How long it may wait for a request.
    private var idleTime: Microseconds

    /// Makes a leg that reads after `begin`.
    package init(_ socket: TCPConnection, _ settings: ClientSettings) {
        self.socket = socket
        self.settings = settings
        idleTime = settings.timeouts.keepAlive
        parser = RequestParser(limits: settings.limits)
    }

    /// Starts reading.
    package func begin(_ owner: any ClientLegOwner) {
        self.owner = owner
        socket.delegate = self
        // Unowned, since the timer ends with the leg; a weak reference would slow down all others.
        let timer = LoopTimer(on: socket.loop) { [unowned self] in timeIsUp() }
        timer.arm(after: idleTime)
        self.timer = timer
        socket.startReading()
    }

    // MARK: Called by the owner

    /// The number of requests on the connection, or in the tunnel that is read on it, including the
    /// current one.
    package var requestCount: Int { count }

    /// The bytes of the request's body so far, including framing.
    package var bodyWireBytes: Int { bodyBytes }

    /// Whether no exchange or tunnel is in progress.
    package var isIdle: Bool { phase == .head || phase == .socks }

    /// Calls `timeIsUp` after a time, unless it is postponed again.
    package func askAgain(after time: Microseconds) { timer?.arm(after: time) }

    /// Notes the end of the exchange: the connection continues, or closes once all output is sent.
    package func exchangeEnded(keepsAlive: Bool) {
        guard keepsAlive, phase == .answering else { return close() }
        phase = .head
        timer?.arm(after: idleTime)
        if !isReading { goOn() }
    }

    /// Reads the input that waits, and closes if no more input will arrive.
    package func goOn() {
        readInput()
        if phase == .head, socket.isInputEnded, !isHeld { close() }
        holdBack()
    }

    /// Resumes reading the request.
    package func requestUnblocked() {
        if socket.isReadingPaused { holdBack() }
    }

    /// Begins a tunnel for a client that was redirected, and sends no request for it.
    ///
    /// - Parameter machine: The machine of the client; `nil` if all clients are on the same one.
    package func beginRedirected(from machine: IPAddress?) {
        self.machine = machine
        phase = .answering
        count += 1
    }

    /// Becomes a tunnel: input is no longer read as HTTP.
    package func becomeTunnel() {
        phase = .tunnel
        timer?.arm(after: settings.timeouts.tunnel)
        guard !isReading else { return }
        // A client may speak, and may end, before it has the response.
        readInput()
        if socket.isInputEnded { owner?.received(.tunnelEnded) }
        holdBack()
    }

    /// Closes an idle connection: now, or after a time if it has not carried a request yet, since
    /// its first one may be under way, or if a head has begun.
    ///
    /// A connection that is not idle is left to its owner. It has as much time once TLS is
    /// negotiated.
    ///
    /// - Parameter grace: That time.
    package func drain(grace: Microseconds) {
        idleTime = grace
        guard isIdle else { return }
        if headBegun != nil {
            timer?.arm(after: min(grace, settings.timeouts.head))
        } else if count == 0 || !input.isEmpty {
            timer?.arm(after: grace)
        } else {
            close()
        }
    }

    /// Closes once the output is sent.
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

    /// Gives up the connection, and returns the bytes that were received but not read.
    package func handOver() -> [UInt8] {
        phase = .closing
        timer = nil
        owner = nil
        return exchange(&input, with: [])
    }

    /// Notes that the first request has arrived after the connection was handed over; before it, a
    /// client of HTTP/2 may still reject the certificate.
    package func requestArrived() {
        count = max(count, 1)
        noteTrust()
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

    /// Keeps input that cannot be read yet.
    ///
    /// If it grew in place, Swift would check each access to `input` for exclusivity at run time;
    /// with the arrays of `ServerLeg` and `ProxyExchange` that are moved for the same reason, this
    /// saves 1,900 instructions for each request.
    private func keep(_ bytes: Span<UInt8>) {
        var kept = exchange(&input, with: [])
        kept.append(copying: bytes)
        input = kept
    }

    /// Reads the waiting input, as far as possible now.
    func readInput() {
        guard !isReading, !input.isEmpty else { return }
        let held = exchange(&input, with: [])
        let count = read(held.span)
        if count == 0, phase != .closing {
            input = held
        } else if count < held.count {
            input = Array(held[count...])
        }
        holdBack()
    }

    /// Pauses the socket while input waits that cannot be handled yet.
    private func holdBack() {
        guard let owner else { return }
        let isBlocked = phase == .head ? false : owner.isRequestBlocked
        let waits = !input.isEmpty && (phase == .answering || phase == .connecting || isHeld)
        if isBlocked || waits {
            socket.pauseReading()
        } else if socket.isReadingPaused {
            socket.resumeReading()
        }
    }

    /// Reads input.
    ///
    /// Returns the number of consumed bytes.
    private func read(_ bytes: Span<UInt8>) -> Int {
        isReading = true
        defer { isReading = false }
        var at = 0
        while true {
            let rest = bytes.extracting(at..<bytes.count)
            switch phase {
            case .answering, .connecting, .handshake: return at
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

    /// Reads the next part of the input; `nil` if more bytes are needed, or the input was refused.
    private func readPart(_ bytes: Span<UInt8>) -> Int? {
        guard let owner else { return nil }
        return switch phase {
        case .head: readHead(bytes, owner)
        case .body: readBody(bytes, owner)
        case .socks: readSocks(bytes, owner)
        default: readOpening(bytes, owner)
        }
    }

    /// Whether no request may begin, since its record or its response would have to wait.
    ///
    /// Otherwise a client that sends requests without reading would make responses pile up here.
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
        if mayUseHTTP2, let count = readPreface(bytes, owner) {
            return count < bytes.count ? nil : count
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
            noteTrust()
            owner.received(head)
            return count
        } catch {
            refuse(bytes.speaksTLS ? .tls : .malformed(error), after: bytes.count)
            return nil
        }
    }

    /// Whether the client may use HTTP/2 and has not sent a request yet.
    private var mayUseHTTP2: Bool {
        guard count == 0 else { return false }
        guard let server = tunnel?.server else { return settings.http2.isOn }
        return settings.http2.covers(nameOf: server)
    }

    /// Reads the preface of HTTP/2.
    ///
    /// A client that has agreed on HTTP/2 by ALPN must send it.
    ///
    /// - Returns: `nil` if the bytes are something else; 0 if more bytes are needed; otherwise their
    ///   number, since the connection was handed over.
    private func readPreface(_ bytes: Span<UInt8>, _ owner: any ClientLegOwner) -> Int? {
        let isAgreed = tunnel?.tls?.alpn == "h2"
        switch isAgreed ? true : HTTP2Preface.begins(bytes) {
        case false?: return nil
        case nil:
            if headBegun == nil { headBegins() }
            return 0
        case true?:
            input = Array(copying: bytes)
            owner.received(.http2)
            return bytes.count
        }
    }

    func headBegins() {
        headBegun = socket.loop.now
        timer?.arm(after: settings.timeouts.head)
    }

    /// Whether the client may speak SOCKS and has not sent anything yet.
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

    /// Reads the SOCKS negotiation.
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

    /// Stops reading, since the input is not a request (RFC 9112 §9.6).
    private func refuse(_ reason: Unreadable.Reason, after byteCount: Int) {
        bodyBytes = 0
        phase = .answering
        count += 1
        let begun = headBegun ?? socket.loop.now
        owner?.received(
            .unreadable(Unreadable(reason: reason, byteCount: byteCount, begun: begun))
        )
    }

    /// Reads requests in a tunnel from now on.
    func readRequests(in tunnel: ReadTunnel) {
        tunnelState = .read(tunnel)
        count = 0
        headBegun = nil
        phase = .head
        timer?.arm(after: idleTime)
        owner?.received(.tunnelOpened)
    }

    // MARK: Other events

    package func connectionEndedInput(_ connection: TCPConnection) {
        switch phase {
        case .head:
            leaveTunnel(nil)
            close()
        case .socks, .closing: close()
        case .opening, .connecting, .handshake: owner?.received(.gone)
        // The client may wait for a response, but its request never becomes complete (RFC 9112 §8).
        case .body: owner?.received(.failed(.truncatedBody))
        // The client may wait for its response after it has shut down its own direction (RFC 9112
        // §9.6), unless the owner needs to know whether it still does.
        case .answering: if owner?.endsWithInput == true { owner?.received(.gone) }
        case .tunnel: owner?.received(.tunnelEnded)
        }
    }

    package func connectionDrained(_ connection: TCPConnection) {
        if isIdle { goOn() } else { owner?.clientDrained() }
    }

    package func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        let isHandshake = phase == .handshake
        if phase == .head, let error { leaveTunnel(error) }
        if isHandshake { leaveHandshake(error) }
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
            // The client waits for the owner.
            timer?.arm(after: idleTime)
        case .head where headBegun != nil: refuse(.late, after: input.count)
        case .head, .socks, .closing: close()
        // The server has time limits of its own.
        case .connecting: break
        }
    }
}

extension Span<UInt8> {
    /// Whether the bytes are more than an empty line, which old clients send after a body (RFC 9112
    /// §2.2).
    fileprivate var beginsHead: Bool { count > 2 || self[count - 1] > 0x0D }

    /// Whether the bytes begin a TLS handshake (RFC 8446 §5.1).
    fileprivate var speaksTLS: Bool { count > 1 && self[0] == 0x16 && self[1] == 0x03 }
}
