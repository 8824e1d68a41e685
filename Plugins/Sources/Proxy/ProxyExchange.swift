// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineHTTP2
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineUpstream

/// One exchange of the proxy: reports the events of client, server and hooks to a state machine,
/// and carries out the resulting actions.
///
/// `HTTPExchangeStateMachine` defines which events may happen when. This class has the connections,
/// the bytes, the clock and the record.
///
/// **Isolation**: the worker's thread.
final class ProxyExchange {
    let client: ProxyClient
    var worker: ProxyWorker { client.worker }
    var lane: any Lane { client.worker.lane }

    /// How many bytes of each body are kept: none of an exchange that is not recorded.
    var captureMaxBytes: Int {
        held.context.isRecorded || worker.answers != nil ? worker.captureMaxBytes : 0
    }

    /// The exchange and its context, as hooks and records see them.
    let held: ExchangeBox
    /// What the head says in addition to the request itself.
    let head: RequestHead.Properties
    var machine: HTTPExchangeStateMachine

    var server: ServerLink?
    /// Listens to the server while the client of a tunnel is silent.
    var probe: ServerProbe?

    var request = RequestTransfer()
    var response: ResponseTransfer
    /// Content that waits: the request's for the server, later the response's for the hooks.
    var waiting: [UInt8] = []
    /// How many bytes of it count in the client's share.
    var buffered = 0
    /// Plays what a recorded server sent, if there is no other server.
    var player: AnswerPlayer?
    /// Reads the messages of a gRPC call.
    var grpc: GRPCCapture?
    /// The state of the tunnel, if the exchange is or is about to become one.
    var tunnel: Tunnel?

    var clock: ExchangeClock
    var bytes = ByteCounts(isExact: true)
    var delayTimer: LoopTimer?
    /// How it ends once the client was sent the error page on its stream.
    var refusal: HTTPExchangeAction.Ending?
    /// What it waits for if a hook has asked for a decision.
    var undecided: UndecidedOutcome?

    init(_ head: consuming RequestHead, _ client: ProxyClient) {
        self.client = client
        let worker = client.worker
        clock = ExchangeClock(begun: worker.loop.now)
        self.head = RequestHead.Properties(head)
        machine = HTTPExchangeStateMachine(
            head.kind.isConnect ? .connect : head.framing.hasBody ? .body : .bodiless,
            maxInterim: worker.settings.maxInterim
        )
        // RFC 9112 §9.3: a proxy keeps no connection open to an HTTP/1.0 client.
        let isForward = worker.settings.upstream == nil && client.target == nil
        response = ResponseTransfer(
            keepsClient: head.keepsAlive && !(head.isVersion10 && isForward)
        )
        held = ExchangeBox(worker.exchanges.make())
        // Moved, since a copy would retain each of its parts.
        swap(&held.exchange.request, &head.request)
        held.exchange.connection = client.connectionInfo
        note(stream: client.link.stream)
        bytes.up.line = head.lineBytes
        bytes.up.headers = head.headerBytes
    }

    /// Makes the exchange of a SOCKS request, which is recorded as CONNECT.
    ///
    /// **Shape**: the authority is `host:port`. The SOCKS negotiation counts as fields: `up` bytes
    /// from the client, `down` bytes from the proxy.
    init(
        socks authority: ByteString,
        up: Int,
        down: Int,
        _ client: ProxyClient,
        as head: RequestHead.Properties = .socks,
        _ version: ByteString = "SOCKS5"
    ) {
        self.client = client
        clock = ExchangeClock(begun: client.worker.loop.now)
        self.head = head
        machine = HTTPExchangeStateMachine(.connect, maxInterim: 0)
        response = ResponseTransfer(keepsClient: false)
        held = ExchangeBox(client.worker.exchanges.make())
        held.exchange.request = Request(
            method: "CONNECT",
            target: authority,
            authority: authority,
            version: version
        )
        held.exchange.connection = client.connectionInfo
        bytes.up.headers = up
        bytes.down.headers = down
    }

    /// Makes the exchange of input that is not a request.
    ///
    /// It records the byte count and when, on the loop's clock, the first byte arrived. The caller
    /// has to fail it.
    init(unreadable count: Int, since begun: Int64, _ client: ProxyClient) {
        self.client = client
        let worker = client.worker
        clock = ExchangeClock(begun: begun)
        head = .unreadable
        machine = HTTPExchangeStateMachine(.bodiless, maxInterim: 0)
        response = ResponseTransfer(keepsClient: false)
        held = ExchangeBox(worker.exchanges.make(begunBefore: worker.loop.now - begun))
        if let origin = client.target ?? worker.settings.upstream {
            held.exchange.request.scheme = origin.scheme
            held.exchange.request.authority = origin.authority
        }
        held.exchange.connection = client.connectionInfo
        bytes.up.headers = count
    }
}

// MARK: - Actions

extension ProxyExchange {
    /// Carries out the action that follows from an event.
    ///
    /// Inlined, so that most events cost a single call.
    @inline(__always)
    func perform(_ action: HTTPExchangeAction) {
        switch action {
        case .runRequestHooks(let seen): runRequestHooks(seen)
        case .connect: head.kind.isConnect ? openTunnel() : answerOrForward()
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
        case .abandon: held.take { lane.abandoned($0, $1) }
        case .askForBody: askForBody()
        case .reconnect: reconnect()
        case .none: break
        // Carried out by the caller, which has the content, the head or the cause.
        case .pause, .sendRequest, .abandonServer, .send, .hold, .drop, .sendInterim, .openTunnel,
            .listen, .pass, .shutdown, .refuse, .endTunnel:
            break
        case .impossible(let reason): assertionFailure(reason.rawValue)
        }
    }

    /// Carries out the action that follows from an event that may end the exchange.
    @inline(never)
    func perform(_ action: HTTPExchangeAction, because failure: ExchangeFailure) {
        switch action {
        case .refuse(let ending): refuse(failure, ending)
        case .finish(let ending):
            // A hook may have set the reason.
            if ending.outcome == .failed || held.exchange.error == nil {
                held.exchange.error = failure.error
            }
            finish(ending)
        case .endTunnel(let first): endTunnel(failure, first)
        default: perform(action)
        }
    }

    /// Closes the connection for a hook, which may have set the reason.
    @inline(never)
    private func abort(_ ending: HTTPExchangeAction.Ending) {
        held.exchange.error = held.exchange.error ?? ExchangeFailure.aborted.error
        finish(ending)
    }

    /// Waits for as long as a hook has asked.
    func pause(_ time: Microseconds) {
        clock.lastActive = worker.loop.now &+ time.count
        server?.pauseReading()
        let timer = LoopTimer(on: worker.loop) { [unowned self] in
            server?.resumeReading()
            player?.schedule()
            perform(machine.pauseOver())
        }
        timer.arm(after: time)
        delayTimer = timer
    }

    // MARK: Time

    /// The time until the first check of the time limits.
    var firstLook: Microseconds {
        let first = timeLeft ?? Microseconds(0)
        return min(first, worker.settings.minRate?.window ?? first)
    }

    /// Checks the time limits, and ends the exchange if one has expired.
    ///
    /// - Returns: When to check again; `nil` if the exchange has ended.
    func lookAtTime() -> Microseconds? {
        noteProgress()
        if refusal != nil, timeLeft == nil {
            client.link.abort()
            clientGone()
            return nil
        }
        guard let left = timeLeft else {
            timedOut()
            return timeOfRefusal
        }
        guard let limit = worker.settings.minRate else { return left }
        // Moved out, since otherwise each access to the clock would be checked for exclusivity.
        var rate = clock.rate
        let verdict = rate.look(
            clock.lastTaken &+ UInt64(client.link.bodyWireBytes),
            // Events arrive whenever the server has one, so their rate says nothing.
            isUnderWay: (machine.isBodyUnderWay || waitsForClient) && !clock.isPaused
                && held.exchange.response?.isEventStream != true,
            now: worker.loop.now,
            limit
        )
        clock.rate = rate
        guard case .lookAgain(let time) = verdict else {
            let isRequest = !machine.isRequestWhole
            perform(machine.timeout(), because: isRequest ? .slowRequest : .slowResponse)
            return timeOfRefusal
        }
        return min(left, time)
    }

    /// Whether the client does not take what it was sent of the response.
    private var waitsForClient: Bool { machine.isResponding && client.link.pendingBytes > 0 }

    /// How long the client of a stream may take for its error page; `nil` if it has none.
    private var timeOfRefusal: Microseconds? {
        refusal == nil ? nil : worker.settings.timeouts.idle
    }

    /// The time until the next time limit expires; `nil` if one has expired.
    private var timeLeft: Microseconds? {
        let limits = worker.settings.timeouts
        let now = worker.loop.now
        if let left = clock.pauseLeft(now) { return left }
        let isTunnel = machine.isTunnel
        var left = (isTunnel ? limits.tunnel : limits.idle).count &- (now &- clock.lastActive)
        if !isTunnel, let whole = limits.exchange {
            left = min(left, whole.count &- clock.age(now))
        }
        return left > 0 ? Microseconds(left) : nil
    }

    /// Counts a peer that still takes waiting output as active: it is slow, but alive.
    private func noteProgress() {
        let taken = client.link.bytesTaken &+ (server?.bytesTaken ?? 0)
        let waits = client.link.pendingBytes > 0 || (server?.pendingBytes ?? 0) > 0
        if waits, taken != clock.lastTaken {
            clock.lastActive = max(clock.lastActive, worker.loop.now)
        }
        clock.lastTaken = taken
    }

    /// Ends the exchange, since a time limit has expired.
    private func timedOut() {
        let isLate = !machine.isRequestWhole && !isRequestBlocked
        let cause: ExchangeFailure =
            machine.isTunnel
            ? .idleTunnel
            : waitsForClient ? .clientTimeout : isLate ? .requestTimeout : .timeout
        perform(machine.timeout(), because: cause)
    }
}

// MARK: - The end

extension ProxyExchange {
    /// Ends the exchange with a failure.
    @inline(never)
    func fail(_ failure: ExchangeFailure) { perform(machine.failed(), because: failure) }

    /// Ends the exchange, since the client has disconnected.
    @inline(never)
    func clientGone() {
        if let ending = refusal.take() { return finish(ending) }
        perform(machine.clientClosed(), because: .clientGone)
    }

    /// Ends the exchange, since the pipeline no longer waits for it.
    @inline(never)
    func stopped() { perform(machine.stopped(), because: .stopped) }

    /// Ends the exchange, since the server can no longer respond.
    @inline(never)
    func serverFailed(_ failure: ExchangeFailure) {
        perform(machine.serverClosed(), because: failure)
    }

    /// Sends the client an error page with the failure; the record does not contain the page.
    private func refuse(_ failure: ExchangeFailure, _ ending: HTTPExchangeAction.Ending) {
        held.exchange.error = failure.error
        held.exchange.response = nil
        if case .keep = ending.client {} else { response.keepsClient = false }
        var page = Response.page(failure.status, "\(failure.message)\n")
        if failure.status == 407 {
            page.fields.append(name: "Proxy-Authenticate", value: "Basic realm=\"tapline\"")
        } else if failure.status == 405 {
            // RFC 9110 §15.5.6: the methods that are supported instead.
            let methods = "GET, HEAD, POST, PUT, DELETE, OPTIONS, TRACE, PATCH"
            page.fields.append(name: "Allow", value: methods)
        }
        var ending = ending
        if head.isRedirected || client.isRedirected && failure.isOfConnecting {
            // The client expects a failure of its connection, not the page of a proxy.
            ending.client = .reset
            return finish(ending)
        }
        if failure.isUnprocessed, client.link.sendsLater {
            // RFC 9113 §8.7: after this code the client may repeat any request.
            ending.client = .reset
            return finish(ending, resetting: .refusedStream)
        }
        if !writePage(&page) { ending.client = .reset }
        guard client.link.sendsLater, ending.client != .reset else { return finish(ending) }
        refusal = ending
        releaseServer(isClean: false)
    }

    private func releaseServer(isClean: Bool) {
        guard let server = server.take() else { return }
        server.endPace()
        server.release(isClean: isClean && !worker.isDraining, to: worker.servers)
    }

    /// Records the exchange and releases both connections.
    ///
    /// - Parameters:
    ///   - ending: How it ends.
    ///   - code: Why the client's stream is reset, if it is.
    func finish(
        _ ending: HTTPExchangeAction.Ending,
        resetting code: HTTP2ErrorCode = .internalError
    ) {
        delayTimer = nil
        releaseHeld()
        endUndecided()
        probe.take()?.end()
        player?.end()
        client.link.endPace()
        releaseServer(isClean: ending.isServerClean)
        // Moved, since a copy would also copy the bytes when they are cut.
        let requestCapture = exchange(&request.capture, with: BodyCapture())
        let responseCapture = exchange(&response.capture, with: BodyCapture())
        fill(&held.exchange, ending, requestCapture, responseCapture)
        let kept =
            requestCapture.bytes.count + responseCapture.bytes.count
            + (tunnel?.webSocket?.keptBytes ?? response.events?.keptBytes ?? grpc?.keptBytes ?? 0)
        if ending.outcome == .completed { recordAnswer() }
        held.take { worker.records.add($0, $1, kept, client.memory) }
        switch ending.client {
        case .keep: client.exchangeEnded(keepsAlive: response.keepsClient)
        case .close: client.exchangeEnded(keepsAlive: false)
        case .reset: client.link.abort(code)
        }
    }

    /// Adds the kept bytes and the counts to the exchange.
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
            bytes.up.body = client.link.bodyWireBytes
            bytes.down.body = response.framer.wireBytes
        }
        if case .http2(let stream) = client.link {
            count(stream, in: &exchange)
            // What waits is sent before the reset, as far as the client allows.
            if case .reset = ending.client { bytes.isExact = false }
            if tunnel?.isOpen == true, !stream.hasSentEnd { bytes.isExact = false }
        }
        if head.isRedirected, let tls = client.link.leg?.clientTLS { exchange.connection.tls = tls }
        exchange.bytes = bytes
        tunnel?.webSocket?.fill(&exchange)
        response.events?.fill(&exchange)
        fill(&exchange.request, requestCapture, isWhole: ending.isRequestWhole)
        exchange.response?.lend { fill(&$0, responseCapture, ending.response) }
        grpc?.fill(&exchange, at: sinceBegun, client.memory)
    }

    private func fill(_ request: inout Request, _ capture: BodyCapture, isWhole: Bool) {
        if !self.request.trailers.isEmpty || !request.trailers.isEmpty {
            request.trailers = self.request.trailers
        }
        let size = self.request.isKnown ? request.body.size : capture.size
        if size == 0, isWhole {
            // A body of which no byte arrived is absent only if none was expected.
            if !request.body.isAbsent { request.body = Body() }
        } else if !self.request.isKnown {
            request.body = capture.body(request.fields, isCut: !isWhole)
        }
    }

    /// Adds the part of the response's body that the client got to the record.
    private func fill(
        _ response: inout Response,
        _ capture: BodyCapture,
        _ passed: HTTPExchangeAction.ResponseProgress
    ) {
        switch passed {
        case .nothing: return
        case .whole: break
        // A body that was written as a whole is known.
        case .part where !response.body.isTruncated: return
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
