// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

extension ProxyExchange {
    /// Whether the client has to wait with the rest of its request.
    var isRequestBlocked: Bool {
        guard !isOver else { return false }
        if tunnel != nil { return server?.socket.isWritable == false }
        switch upload {
        case .held: return wantedRequest == 0 && !heldRequest.isEmpty
        case .streaming: return server?.socket.isWritable == false
        case .discarded: return false
        }
    }

    /// The head was read: goes to the hooks, as soon as these have what they want.
    func begin() {
        if let failure = refusal(&held.exchange.request) { return fail(failure) }
        if head.kind.isConnect { return beginTunnel() }
        if let failure = route(&held.exchange) { return fail(failure) }
        lane.opened(held.exchange, &held.context)
        guard head.framing.hasBody else { return runRequestHooks() }
        wantedRequest = wantedBody(of: .request)
        if wantedRequest == 0 {
            held.exchange.request.body.isTruncated = true
            runRequestHooks()
        } else if head.expectsContinue {
            // The client holds its body back until it is asked for it; the server gets it whole.
            held.exchange.request.fields.removeAll("Expect")
            let interim = "HTTP/1.1 100 Continue\r\n\r\n".utf8.span
            countHead(interim)
            client.socket.write(interim)
        }
    }

    /// How much of a body the hooks want to see, in bytes.
    func wantedBody(of hook: Hooks) -> Int {
        // Asked only where it matters, since the exchange is copied to be lent.
        guard !worker.bufferedHooks.isDisjoint(with: hook) else { return 0 }
        return lane.wantedBody(of: hook, held.exchange, &held.context)
    }

    /// Why the request may not pass; nothing where it may.
    private func refusal(_ request: inout Request) -> ExchangeFailure? {
        // Within a tunnel that is read it was CONNECT that said who the client is.
        let isAllowed =
            client.target != nil || isSocks || worker.settings.access.allows(request.fields)
        // RFC 9110 §11.7.2: it is for us, so nobody else sees it, in no record either.
        request.fields.removeAll("Proxy-Authorization")
        guard isAllowed else { return .authRequired }
        return hasPassedHere(request.fields) ? .loop : nil
    }

    /// Whether the request has come through this proxy before (RFC 9110 §7.6.3).
    private func hasPassedHere(_ fields: borrowing FieldSection) -> Bool {
        guard let via = worker.via else { return false }
        var next = fields.firstIndex(of: "Via")
        while let position = next {
            if names(via.span, in: fields.value(at: position)) { return true }
            next = fields.firstIndex(of: "Via", from: position + 1)
        }
        return false
    }

    /// Whether a Via field names a proxy: `1.1 name`, in a list, perhaps with a comment.
    private func names(_ proxy: Span<UInt8>, in value: Span<UInt8>) -> Bool {
        var at = 0
        while at < value.count {
            let end = value.firstIndex(ofEither: 0x20, 0x2C, from: at)
            if value.extracting(at..<end).equalsIgnoringCase(proxy) { return true }
            at = end + 1
        }
        return false
    }

    /// Content came from the client.
    func sent(content: Span<UInt8>) {
        guard !isOver else { return }
        lastActive = worker.loop.now
        var capture = BodyCapture()
        swap(&capture, &requestCapture)
        capture.append(content, upTo: worker.captureMaxBytes, lane)
        requestCapture = capture
        switch upload {
        case .discarded: break
        case .streaming:
            guard let server else { break }
            var framer = requestFramer
            framer.send(content, on: server.socket)
            requestFramer = framer
        case .held:
            var kept = heldRequest.taken()
            kept.append(copying: content)
            heldRequest = kept
            guard wantedRequest > 0, heldRequest.count > wantedRequest else { return }
            // Too large to be waited for: the hooks see a body that is cut, and it streams on.
            wantedRequest = 0
            let fields = held.exchange.request.fields
            held.exchange.request.body = Body(received: heldRequest, size: nil, fields, isCut: true)
            runRequestHooks()
        }
    }

    /// The request is whole.
    func requestEnded(_ trailers: FieldSection) {
        guard !isOver else { return }
        isRequestEnded = true
        requestTrailers = trailers
        if wantedRequest > 0 {
            wantedRequest = 0
            let fields = held.exchange.request.fields
            let body = Body(received: heldRequest, size: heldRequest.count, fields)
            held.exchange.request.body = body
            held.exchange.request.trailers = trailers
            held.context.hasRequestBody = true
            isRequestBodyKnown = true
            return runRequestHooks()
        }
        if upload == .streaming { endRequest() }
    }

    // MARK: Hooks

    func runRequestHooks() {
        let outcome = lane.request(&held.exchange, &held.context)
        guard outcome.delay.count > 0 else { return requestHooksRan(outcome.action) }
        wait(outcome.delay) { [unowned self] in requestHooksRan(outcome.action) }
    }

    /// Goes on after a pause that a hook has asked for.
    func wait(_ time: Microseconds, _ goOn: @escaping () -> Void) {
        lastActive = worker.loop.now &+ time.count
        let timer = LoopTimer(on: worker.loop) { [unowned self] in
            if !isOver { goOn() }
        }
        timer.arm(after: time)
        delayTimer = timer
    }

    private func requestHooksRan(_ action: WireOutcome.Action) {
        switch action {
        case .abort:
            cancel(ExchangeError(code: "aborted", message: "aborted by a stage"))
        case .respond:
            upload = .discarded
            heldRequest = []
            answeredByHook()
        case .forward: head.kind.isConnect ? openTunnel() : forward()
        }
    }

    // MARK: To the server

    private func forward() {
        // A hook that changes scheme or authority sends the request elsewhere.
        let isElsewhere = held.exchange.original.url != nil && hasMoved(held.exchange)
        let origin = (isElsewhere ? nil : destination) ?? Origin(held.exchange.request)
        guard let origin else { return fail(unroutable(held.exchange)) }
        if let server = worker.pool.take(origin, now: worker.loop.now) {
            mayRetry = !head.framing.hasBody && held.exchange.request.method.isIdempotent
            return send(on: server)
        }
        connect(origin)
    }

    func connect(_ origin: Origin) {
        mayRetry = false
        worker.connect(to: origin, isTunnel: head.kind.isConnect) { [weak self] outcome in
            guard let self, !isOver else {
                if case .success(let server) = outcome.result { server.abandon() }
                return
            }
            held.exchange.timing.dns = outcome.lookup
            held.exchange.timing.connect = outcome.connect
            held.exchange.timing.tls = outcome.tls
            switch outcome.result {
            case .failure(let failure): fail(failure)
            case .success(let server):
                head.kind.isConnect ? tunnelOpened(server) : send(on: server)
            }
        }
    }

    /// Sends the head, and of the body what is there.
    private func send(on server: ServerConnection) {
        self.server = server
        // A body that is whole, from the client or from a hook, goes with its length.
        let body = held.exchange.request.body.bytes
        let isWhole =
            !held.exchange.request.body.isTruncated && (head.framing.hasBody || !body.isEmpty)
        let framing: BodyFraming = isWhole ? .length(body.count) : head.framing
        do throws(HTTPError) {
            try sendHead(&held.exchange, framing, on: server)
        } catch {
            return fail(ExchangeFailure(error))
        }
        upload = .streaming
        var framer = BodyFramer(framing, .request)
        if isWhole {
            isRequestBodyKnown = true
            framer.send(body.span, on: server.socket)
            upload = isRequestEnded ? .streaming : .discarded
        } else {
            let waiting = heldRequest.taken()
            framer.send(waiting.span, on: server.socket)
        }
        requestFramer = framer
        heldRequest = []
        if isRequestEnded { endRequest() }
        client.requestUnblocked()
    }

    /// Has a server take on the exchange, and sends it the head of the request.
    private func sendHead(
        _ exchange: inout Exchange,
        _ framing: BodyFraming,
        on server: ServerConnection
    ) throws(HTTPError) {
        exchange.connection.server = server.socket.peerText
        exchange.connection.serverTLS = server.tls
        let asksUpgrade = head.kind.asksUpgrade
        server.begin(
            self,
            RequestKind(method: exchange.request.method, asksUpgrade: asksUpgrade)
        )
        let isAsterisk = exchange.request.target.span.equals("*")
        let isElsewhere = exchange.original.url != nil && hasMoved(exchange)
        let writing = RequestWriting(
            form: server.parent != nil ? .absolute : isAsterisk ? .asterisk : .origin,
            framing: framing,
            // Where the request has named its server itself, that overrules Host.
            host: destination == nil || isElsewhere ? exchange.request.authority : nil,
            connection: asksUpgrade ? .upgrade : .persist,
            via: worker.via,
            proxyAuthorization: server.parent?.authorization
        )
        var output = worker.takeBuffer()
        try exchange.request.appendHead(writing, to: &output)
        server.socket.write(output.span)
        worker.giveBack(consume output)
    }

    private func endRequest() {
        guard let server else { return }
        requestSent = worker.loop.now
        guard requestFramer.framing == .chunked else { return }
        var framer = requestFramer
        do throws(HTTPError) {
            try framer.end(requestTrailers, on: server.socket)
        } catch {
            return fail(ExchangeFailure(error))
        }
        requestFramer = framer
    }

    /// The server takes more.
    func serverDrained() {
        client.requestUnblocked()
    }

    /// The client's request cannot be read, or the client has gone.
    func clientFailed(_ failure: ExchangeFailure) {
        guard !isOver else { return }
        if tunnel != nil { return tunnelEnded(failure) }
        if failure.code == ExchangeFailure.clientGone.code { return cancel(failure.error) }
        fail(failure)
    }

    /// The server cannot answer any more.
    func serverFailed(_ failure: ExchangeFailure) {
        guard !isOver else { return }
        if tunnel != nil { return tunnelEnded(failure) }
        // A kept connection that the server closed meanwhile: once more, on a new one, where the
        // request may be repeated (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
        if mayRetry, firstByte == 0, let server = server.take() {
            server.abandon()
            return connect(server.origin)
        }
        fail(failure)
    }
}

extension ByteString {
    /// Whether a request of this method may be sent twice (RFC 9110 §9.2.2).
    fileprivate var isIdempotent: Bool {
        let method = span
        return ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains { method.equals($0) }
    }
}
