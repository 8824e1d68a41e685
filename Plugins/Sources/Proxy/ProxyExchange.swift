// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// One exchange on its way through the proxy: tells a state machine what the client, the server and
/// the hooks have done, and carries out what follows.
///
/// What may happen when is written down in `HTTPExchangeStateMachine`. Here are the connections, the
/// bytes, the clock and the record.
///
/// **Isolation**: the worker's thread.
final class ProxyExchange {
    let client: ProxyClient
    var worker: ProxyWorker { client.worker }
    var lane: any Lane { client.worker.lane }

    /// The exchange and its context, as hooks and records see them.
    let held: HeldExchange
    /// What of the request's head counts beside the request itself.
    let head: RequestHead.Facts
    var machine: HTTPExchangeStateMachine

    var server: ServerLeg?
    /// What listens to the server while the client of a tunnel says nothing.
    var probe: ServerProbe?

    var request = RequestLeg()
    var response: ResponseLeg
    /// Content that waits: the request's for the server, later the response's for the hooks.
    var waiting: [UInt8] = []
    /// What has passed since the exchange became a tunnel, or is about to become one.
    var tunnel: Tunnel?

    var clock: ExchangeClock
    var bytes = ByteCounts(isExact: true)
    var delayTimer: LoopTimer?

    init(_ head: consuming RequestHead, _ client: ProxyClient) {
        self.client = client
        let worker = client.worker
        clock = ExchangeClock(begun: worker.loop.now)
        self.head = RequestHead.Facts(head)
        machine = HTTPExchangeStateMachine(
            head.kind.isConnect ? .connect : head.framing.hasBody ? .body : .bodiless,
            maxInterim: worker.settings.maxInterim
        )
        // RFC 9112 §9.3: a proxy keeps no connection open to a client of HTTP/1.0.
        let isForward = worker.settings.upstream == nil && client.target == nil
        response = ResponseLeg(keepsClient: head.keepsAlive && !(head.isVersion10 && isForward))
        held = HeldExchange(worker.exchanges.make())
        // Moved, since a copy would count each of its parts.
        swap(&held.exchange.request, &head.request)
        held.exchange.connection = client.facts
        bytes.up.line = head.lineBytes
        bytes.up.headers = head.headerBytes
    }

    /// What a client has asked for in SOCKS, which is kept as CONNECT.
    ///
    /// **Shape**: the authority is `host:port`. What was said in SOCKS counts as fields: `up` bytes of the
    /// client's, `down` of ours.
    init(socks authority: ByteString, up: Int, down: Int, _ client: ProxyClient) {
        self.client = client
        clock = ExchangeClock(begun: client.worker.loop.now)
        head = .socks
        machine = HTTPExchangeStateMachine(.connect, maxInterim: 0)
        response = ResponseLeg(keepsClient: false)
        held = HeldExchange(client.worker.exchanges.make())
        held.exchange.request = Request(
            method: "CONNECT",
            target: authority,
            authority: authority,
            version: "SOCKS5"
        )
        held.exchange.connection = client.facts
        bytes.up.headers = up
        bytes.down.headers = down
    }

    /// What has come from a client and is no request, as far as it can be known: how much, and since
    /// when, by the loop's clock; it has still to fail.
    init(unreadable count: Int, since begun: Int64, _ client: ProxyClient) {
        self.client = client
        let worker = client.worker
        clock = ExchangeClock(begun: begun)
        head = .unreadable
        machine = HTTPExchangeStateMachine(.bodiless, maxInterim: 0)
        response = ResponseLeg(keepsClient: false)
        held = HeldExchange(worker.exchanges.make(begunBefore: worker.loop.now - begun))
        if let origin = client.target ?? worker.settings.upstream {
            held.exchange.request.scheme = origin.scheme
            held.exchange.request.authority = origin.authority
        }
        held.exchange.connection = client.facts
        bytes.up.headers = count
    }
}

extension RequestHead {
    /// What of a head counts beside the request itself.
    struct Facts {
        let form: TargetForm
        let framing: BodyFraming
        let isVersion10: Bool
        let expectsContinue: Bool
        let kind: RequestKind
        /// Whether Host names another server than the target.
        var namesOtherHost = false
        var hasVia = false
        var hasProxyAuthorization = false

        /// Whether the client asked in SOCKS, and is answered in it until bytes pass.
        var isSocks = false

        /// A tunnel that was asked for in SOCKS.
        static let socks = Facts(
            form: .authority,
            framing: .none,
            isVersion10: false,
            expectsContinue: false,
            kind: RequestKind(isConnect: true),
            isSocks: true
        )

        /// What is no request.
        static let unreadable = Facts(
            form: .origin,
            framing: .none,
            isVersion10: false,
            expectsContinue: false,
            kind: RequestKind()
        )
    }
}

extension RequestHead.Facts {
    init(_ head: borrowing RequestHead) {
        form = head.form
        framing = head.framing
        isVersion10 = head.isVersion10
        expectsContinue = head.expectsContinue
        kind = head.kind
        namesOtherHost = head.namesOtherHost
        hasVia = head.hasVia
        hasProxyAuthorization = head.hasProxyAuthorization
    }
}

// MARK: - What follows

extension ProxyExchange {
    /// Carries out what follows from an event.
    ///
    /// Inlined, so that from most events it is one call.
    @inline(__always)
    func perform(_ action: HTTPExchangeAction) {
        switch action {
        case .runRequestHooks(let seen): runRequestHooks(seen)
        case .connect: head.kind.isConnect ? openTunnel() : forward()
        case .endRequest: endRequest()
        case .runResponseHooks(let seen): runResponseHooks(seen)
        case .respond(let isWhole): writeResponse(isWhole: isWhole)
        case .sendHeld(let ends): sendHeld(ends: ends)
        case .endResponse: endResponse()
        case .switchProtocol: switchProtocol()
        case .passBytes: passBytes()
        case .finish(let ending):
            if case .cancelled = ending.outcome { return abort(ending) }
            finish(ending)
        case .askForBody: askForBody()
        case .reconnect: reconnect()
        case .none: break
        // Carried out by whoever has the content, the head or the cause that they are about.
        case .pause, .sendRequest, .abandonServer, .send, .hold, .drop, .sendInterim, .openTunnel,
            .listen, .pass, .shutdown, .refuse, .endTunnel:
            break
        case .impossible(let reason): assertionFailure(reason.rawValue)
        }
    }

    /// Carries out what follows from an event by which the exchange may end.
    @inline(never)
    func perform(_ action: HTTPExchangeAction, because failure: ExchangeFailure) {
        switch action {
        case .refuse(let ending): refuse(failure, ending)
        case .finish(let ending):
            // A hook may have said why the exchange ends.
            if ending.outcome == .failed || held.exchange.error == nil {
                held.exchange.error = failure.error
            }
            finish(ending)
        case .endTunnel(let first): endTunnel(failure, first)
        default: perform(action)
        }
    }

    /// A hook has closed the connection, and may have said why.
    @inline(never)
    private func abort(_ ending: HTTPExchangeAction.Ending) {
        held.exchange.error = held.exchange.error ?? ExchangeFailure.aborted.error
        finish(ending)
    }

    /// Waits as long as a hook has asked for.
    func pause(_ time: Microseconds) {
        clock.lastActive = worker.loop.now &+ time.count
        server?.socket.pauseReading()
        let timer = LoopTimer(on: worker.loop) { [unowned self] in
            server?.socket.resumeReading()
            perform(machine.pauseOver())
        }
        timer.arm(after: time)
        delayTimer = timer
    }

    /// Keeps content until it can go on.
    ///
    /// Grown in place, the array would have every look at it checked for exclusivity.
    func hold(_ content: Span<UInt8>) {
        var kept: [UInt8] = []
        swap(&kept, &waiting)
        kept.append(copying: content)
        waiting = kept
    }

    // MARK: Time

    /// When the time limits have to be looked at for the first time.
    var firstLook: Microseconds {
        let first = timeLeft ?? Microseconds(0)
        return min(first, worker.settings.minRate?.window ?? first)
    }

    /// Looks at the time limits, and ends the exchange if one is over.
    ///
    /// - Returns: When to look again; `nil` if the exchange has ended.
    func lookAtTime() -> Microseconds? {
        noteProgress()
        guard let left = timeLeft else {
            timedOut()
            return nil
        }
        guard let limit = worker.settings.minRate else { return left }
        // Taken out, since it would have every look at the clock checked for exclusivity.
        var rate = clock.rate
        let verdict = rate.look(
            clock.lastTaken &+ UInt64(client.leg.bodyWireBytes),
            // Events come when there is one.
            isUnderWay: machine.isBodyUnderWay && held.exchange.response?.isEventStream != true,
            now: worker.loop.now,
            limit
        )
        clock.rate = rate
        guard case .lookAgain(let time) = verdict else {
            let isRequest = !machine.isRequestWhole
            perform(machine.timeout(), because: isRequest ? .slowRequest : .slowResponse)
            return nil
        }
        return min(left, time)
    }

    /// How long may still pass until a time limit is over; `nil` if one is.
    private var timeLeft: Microseconds? {
        let limits = worker.settings.timeouts
        let now = worker.loop.now
        let isTunnel = machine.isTunnel
        var left = (isTunnel ? limits.tunnel : limits.idle).count &- (now &- clock.lastActive)
        if !isTunnel, let whole = limits.exchange {
            left = min(left, whole.count &- (now &- clock.begun))
        }
        return left > 0 ? Microseconds(left) : nil
    }

    /// Looks whether a peer still takes what waits for it: then it is slow, but there.
    private func noteProgress() {
        let taken = client.socket.bytesTaken &+ (server?.socket.bytesTaken ?? 0)
        let waits = client.socket.pendingBytes > 0 || (server?.socket.pendingBytes ?? 0) > 0
        if waits, taken != clock.lastTaken {
            clock.lastActive = max(clock.lastActive, worker.loop.now)
        }
        clock.lastTaken = taken
    }

    /// A time limit is over.
    private func timedOut() {
        let isLate = !machine.isRequestWhole && !isRequestBlocked
        let cause: ExchangeFailure =
            machine.isTunnel ? .idleTunnel : isLate ? .requestTimeout : .timeout
        perform(machine.timeout(), because: cause)
    }
}

// MARK: - The end

extension ProxyExchange {
    /// Something failed.
    @inline(never)
    func fail(_ failure: ExchangeFailure) { perform(machine.failed(), because: failure) }

    /// The client has gone.
    @inline(never)
    func clientGone() { perform(machine.clientClosed(), because: .clientGone) }

    /// The pipeline waits no longer.
    @inline(never)
    func stopped() { perform(machine.stopped(), because: .stopped) }

    /// The server cannot answer any more.
    @inline(never)
    func serverFailed(_ failure: ExchangeFailure) {
        perform(machine.serverClosed(), because: failure)
    }

    /// Tells the client in a page of our own what has failed; the record will not have that.
    private func refuse(_ failure: ExchangeFailure, _ ending: HTTPExchangeAction.Ending) {
        held.exchange.error = failure.error
        held.exchange.response = nil
        if case .keep = ending.client {} else { response.keepsClient = false }
        var page = Response.page(failure.status, "\(failure.message)\n")
        if failure.status == 407 {
            page.fields.append(name: "Proxy-Authenticate", value: "Basic realm=\"tapline\"")
        } else if failure.status == 405 {
            // RFC 9110 §15.5.6: the methods that are served instead.
            let methods = "GET, HEAD, POST, PUT, DELETE, OPTIONS, TRACE, PATCH"
            page.fields.append(name: "Allow", value: methods)
        }
        var ending = ending
        if !writePage(&page) { ending.client = .reset }
        finish(ending)
    }

    /// Records the exchange and lets go of both connections.
    func finish(_ ending: HTTPExchangeAction.Ending) {
        delayTimer = nil
        probe.take()?.end()
        if let server = server.take() {
            if ending.isServerClean, server.keepsAlive, !worker.isDraining {
                worker.servers.give(server)
            } else {
                server.abandon()
            }
        }
        var (requestCapture, responseCapture) = (BodyCapture(), BodyCapture())
        swap(&requestCapture, &request.capture)
        swap(&responseCapture, &response.capture)
        fill(&held.exchange, ending, requestCapture, responseCapture)
        let kept =
            requestCapture.bytes.count + responseCapture.bytes.count
            + (tunnel?.webSocket?.keptBytes ?? response.events?.keptBytes ?? 0)
        held.take { worker.records.add($0, $1, kept, client.memory) }
        switch ending.client {
        case .keep: client.exchangeEnded(keepsAlive: response.keepsClient)
        case .close: client.exchangeEnded(keepsAlive: false)
        case .reset: client.leg.abort()
        }
    }

    /// Puts what was kept and counted into the exchange.
    private func fill(
        _ exchange: inout Exchange,
        _ ending: HTTPExchangeAction.Ending,
        _ requestCapture: BodyCapture,
        _ responseCapture: BodyCapture
    ) {
        exchange.state = ExchangeState(ending.outcome)
        clock.fill(&exchange.timing, worker.loop.now)
        if let tunnel, tunnel.isOpen {
            bytes.up.body = tunnel.bytesUp
            bytes.down.body = tunnel.bytesDown
        } else {
            bytes.up.body = client.leg.bodyWireBytes
            bytes.down.body = response.framer.wireBytes
        }
        exchange.bytes = bytes
        tunnel?.webSocket?.fill(&exchange)
        response.events?.fill(&exchange)
        fill(&exchange.request, requestCapture, isWhole: ending.isRequestWhole)
        exchange.response?.lend { fill(&$0, responseCapture, ending.response) }
    }

    private func fill(_ request: inout Request, _ capture: BodyCapture, isWhole: Bool) {
        if !self.request.trailers.isEmpty || !request.trailers.isEmpty {
            request.trailers = self.request.trailers
        }
        let size = self.request.isKnown ? request.body.size : capture.size
        if size == 0, isWhole {
            // A body of which no byte came is none only if none was still to come.
            if !request.body.isAbsent { request.body = Body() }
        } else if !self.request.isKnown {
            request.body = capture.body(request.fields, isCut: !isWhole)
        }
    }

    /// Puts the body of the response into the record, as far as the client has got it.
    private func fill(
        _ response: inout Response,
        _ capture: BodyCapture,
        _ passed: HTTPExchangeAction.Passed
    ) {
        switch passed {
        case .nothing: return
        case .whole: break
        case .streamed, .part:
            let isCut = if case .part = passed { true } else { false }
            response.body = capture.body(response.fields, isCut: isCut)
            response.trailers = self.response.trailers
            if isCut { return }
        }
        if response.body.size == 0 { response.body = Body() }
    }
}

extension ExchangeState {
    fileprivate init(_ outcome: HTTPExchangeAction.Outcome) {
        switch outcome {
        case .completed: self = .completed
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}
