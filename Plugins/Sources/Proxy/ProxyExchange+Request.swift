// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

extension ProxyExchange {
    /// Whether the client has to wait before it sends more of its request.
    var isRequestBlocked: Bool {
        switch machine.requestCredit {
        case .granted: false
        case .whilePeerTakes: server?.isWritable == false
        case .withheld: true
        }
    }

    /// Starts the exchange after its head was read; the hooks run once they have the body that they
    /// want.
    func begin() {
        if let failure = refusal(&held.exchange.request) { return fail(failure) }
        if head.kind.isConnect { return beginTunnel() }
        if let failure = route(&held.exchange) { return fail(failure) }
        open()
        if head.framing.hasBody { beginGRPC() }
        let wanted = head.framing.hasBody ? max(wantedBody(of: .request), comparedBody) : 0
        perform(machine.requestHead(wantedBody: wanted, expectsContinue: head.expectsContinue))
    }

    /// Fails the exchange of a request that turned out to be malformed before it began.
    func refuse(_ failure: ExchangeFailure) {
        // What it would be refused for otherwise does not matter, but how it is recorded does.
        _ = refusal(&held.exchange.request)
        if !head.kind.isConnect { _ = route(&held.exchange) }
        fail(failure)
    }

    /// Notifies the lane that the exchange has begun.
    func open() {
        lane.begin(&held.context)
        if lane.wantsOpened { lane.opened(held.exchange, &held.context) }
    }

    /// Makes the client send the body that the hooks wait for; the server then gets it as a whole.
    func askForBody() {
        held.exchange.request.fields.removeAll("Expect")
        let interim = InterimResponse(status: 100, reason: "Continue")
        do throws(HTTPError) {
            countHead(try client.link.send(interim, via: nil, worker))
        } catch {
            fail(ExchangeFailure(error))
        }
    }

    /// Returns how much of a body the hooks want to see, in bytes.
    func wantedBody(of hook: Hooks) -> Int {
        // Asked only if needed, since lending the exchange copies it.
        guard !worker.bufferedHooks.isDisjoint(with: hook) else { return 0 }
        return lane.wantedBody(of: hook, held.exchange, &held.context)
    }

    /// Returns why the request may not pass; `nil` if it may.
    private func refusal(_ request: inout Request) -> ExchangeFailure? {
        let isAllowed =
            client.isTrusted || head.isSocks || head.isRedirected
            || worker.settings.access.allows(request.fields)
        // RFC 9110 §11.7.2: the field is for this proxy only, so it is neither forwarded nor
        // recorded.
        if head.hasProxyAuthorization { request.fields.removeAll("Proxy-Authorization") }
        guard isAllowed else { return .authRequired }
        // A proxy of a browser gets URLs; only a page of another name sends that name as Host.
        if let answers = worker.answers, answers.settings.checksHost, !namesServer(request),
            !head.kind.isConnect, client.target == nil, !answers.knows(request.authority)
        {
            return .unknownHost
        }
        return head.hasVia && hasPassedHere(request.fields) ? .loop : nil
    }

    /// Returns whether the request has already passed this proxy (RFC 9110 §7.6.3).
    private func hasPassedHere(_ fields: borrowing FieldSection) -> Bool {
        guard let via = worker.via else { return false }
        var next = fields.firstIndex(of: "Via")
        while let position = next {
            if names(via.span, in: fields.value(at: position)) { return true }
            next = fields.firstIndex(of: "Via", from: position + 1)
        }
        return false
    }

    /// Returns whether a Via field names a proxy: `1.1 name`, in a list, perhaps with a comment.
    private func names(_ proxy: Span<UInt8>, in value: Span<UInt8>) -> Bool {
        var at = 0
        while at < value.count {
            let end = value.firstIndex(ofEither: 0x20, 0x2C, from: at)
            if value.extracting(at..<end).equalsIgnoringCase(proxy) { return true }
            at = end + 1
        }
        return false
    }

    /// Handles content from the client.
    func sent(content: Span<UInt8>) {
        let action = machine.requestBody(visibleSize(of: content))
        if case .none = action { return }
        // Later than now while the exchange waits for a delay or a decision.
        clock.lastActive = max(clock.lastActive, worker.loop.now)
        // Not in place; see `ClientLeg.keep`.
        var capture = exchange(&request.capture, with: BodyCapture())
        capture.append(content, upTo: captureMaxBytes, client.memory)
        request.capture = capture
        if let grpc { read(content, .up, by: grpc) }
        switch action {
        case .send: send(content)
        case .hold: hold(content)
        case .runRequestHooks:
            hold(content)
            perform(action)
        default: perform(action)
        }
    }

    private func send(_ content: Span<UInt8>) {
        guard let server else { return }
        var framer = request.framer
        server.send(content, in: &framer)
        request.framer = framer
    }

    /// Handles the end of the request.
    func requestEnded(_ trailers: FieldSection) {
        request.trailers = trailers
        perform(machine.requestEnd())
    }

    /// Runs the `request` hooks on the head and the part of the body that they want.
    func runRequestHooks(_ seen: HTTPExchangeAction.VisibleBody) {
        switch seen {
        case .none, .made: break
        case .head: held.exchange.request.body.isTruncated = true
        case .part, .whole:
            let isCut = seen == .part
            let fields = held.exchange.request.fields
            let size = isCut ? nil : waiting.count
            let body = Body(received: waiting, size: size, fields, isCut: isCut)
            held.exchange.request.body = body
            guard !isCut else { break }
            held.exchange.request.trailers = request.trailers
            held.context.hasRequestBody = true
            request.isKnown = true
        }
        let outcome = lane.request(&held.exchange, &held.context)
        throttleClient()
        if outcome.pause != nil { return wait(outcome, after: .request) }
        let pauses = outcome.delay.count > 0
        let action = machine.requestHooksDone(RequestVerdict(outcome.action), pauses: pauses)
        if pauses { pause(outcome.delay) } else { perform(action) }
    }

    // MARK: To the server

    /// Finds a connection to the server.
    func forward() {
        // A hook that changes scheme or authority sends the request to another server.
        let isElsewhere = held.exchange.original.url != nil && hasMoved(held.exchange)
        let origin = (isElsewhere ? nil : destination) ?? Origin(held.exchange.request)
        guard let origin else { return fail(unroutable(held.exchange)) }
        if let stream = takeStream(to: origin) {
            let server = ServerLink.http2(stream)
            return connected(server, mayRepeat: mayRepeat(on: server))
        }
        guard let server = worker.servers.take(origin) else {
            return connect(origin)
        }
        let mayRepeat = !head.framing.hasBody && held.exchange.request.method.isIdempotent
        connected(.http1(server), mayRepeat: mayRepeat)
    }

    /// Opens a connection to the server.
    func connect(_ origin: Origin) {
        if let streams = worker.streams, usesStreams(to: origin) {
            return connect(origin, through: streams)
        }
        connectAlone(to: origin)
    }

    /// Opens a connection that carries one exchange at a time.
    func connectAlone(to origin: Origin) {
        worker.servers.connect(to: origin, isTunnel: head.kind.isConnect) { [weak self] outcome in
            guard let self else {
                if case .success(let server) = outcome.result { server.abandon() }
                return
            }
            held.exchange.timing.take(connection: outcome.timing)
            switch outcome.result {
            case .failure(let failure): fail(failure)
            case .success(let server): connected(.http1(server), mayRepeat: false)
            }
        }
    }

    /// Sends the request again on a new connection, since the server closed the kept one.
    func reconnect() {
        guard let server = server.take() else { return }
        server.abandon()
        request.isRepeated = true
        if !hasWholeBody { waiting = request.capture.bytes }
        connect(server.route.origin)
    }

    /// Whether the body has a known length because it is complete, from the client or from a hook.
    var hasWholeBody: Bool {
        !held.exchange.request.body.isTruncated
            && (head.framing.hasBody || !held.exchange.request.body.bytes.isEmpty)
    }

    /// Continues with a connection to the server.
    func connected(_ server: ServerLink, mayRepeat: Bool) {
        let hasBody = hasWholeBody
        switch machine.serverConnected(mayRepeat: mayRepeat, hasBody: hasBody) {
        case .sendRequest(let ends): send(on: server, hasBody: hasBody, ends: ends)
        case .openTunnel:
            join(server)
            if answerTunnel() { perform(machine.responseSent()) }
        case .passBytes:
            join(server)
            passBytes()
        default: server.abandon()
        }
    }

    /// Sends the head, and the available part of the body.
    private func send(on server: ServerLink, hasBody: Bool, ends: Bool) {
        self.server = server
        throttle(server)
        let body = hasBody ? held.exchange.request.body.bytes : waiting
        let framing: BodyFraming = hasBody ? .length(body.count) : head.framing
        do throws(HTTPError) {
            let isHead = ends && body.isEmpty && request.trailers.isEmpty
            try sendHead(&held.exchange, framing, ends: isHead, on: server)
        } catch {
            return fail(ExchangeFailure(error))
        }
        request.isKnown = request.isKnown || hasBody
        var framer = BodyFramer(framing, .request)
        server.send(body.span, in: &framer)
        request.framer = framer
        waiting = []
        if !hasBody { releaseHeld() }
        note(server)
        if ends { endRequest() }
        client.link.requestUnblocked()
    }

    /// Gives the exchange to a server, and sends it the head of the request.
    private func sendHead(
        _ exchange: inout Exchange,
        _ framing: BodyFraming,
        ends: Bool,
        on server: ServerLink
    ) throws(HTTPError) {
        exchange.connection.server = server.peerText
        exchange.connection.serverTLS = server.route.tls
        let asksUpgrade = head.kind.asksUpgrade
        server.begin(
            self,
            RequestKind(method: exchange.request.method, asksUpgrade: asksUpgrade)
        )
        let isAsterisk = exchange.request.target.span.equals("*")
        let isElsewhere = exchange.original.url != nil && hasMoved(exchange)
        let writing = RequestWriting(
            form: server.route.parent != nil ? .absolute : isAsterisk ? .asterisk : .origin,
            framing: framing,
            // A server that the request itself has named overrides Host.
            host: destination == nil || isElsewhere ? exchange.request.authority : nil,
            connection: asksUpgrade ? .upgrade : .persist,
            via: worker.via,
            proxyAuthorization: server.route.parent?.authorization
        )
        var buffer = worker.takeBuffer()
        try server.send(&exchange.request, writing, ends: ends, in: &buffer)
        worker.giveBack(consume buffer)
    }

    /// Ends the request, since the server has all of it.
    func endRequest() {
        guard let server else { return }
        clock.requestSent = worker.loop.now
        guard server.needsEnd(request.framer.framing) else { return }
        var framer = request.framer
        do throws(HTTPError) {
            try server.end(request.trailers, in: &framer)
        } catch {
            return fail(ExchangeFailure(error))
        }
        request.framer = framer
    }

    /// Resumes the client, since the server takes more.
    func serverDrained() {
        client.link.requestUnblocked()
    }
}

extension HTTPExchangeStateMachine.RequestVerdict {
    init(_ action: WireOutcome.Action) {
        switch action {
        case .forward: self = .forward
        case .respond: self = .respond
        case .abort: self = .abort
        }
    }
}

private typealias RequestVerdict = HTTPExchangeStateMachine.RequestVerdict
