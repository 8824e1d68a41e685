// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

extension ProxyExchange: ServerLegOwner {
    /// Handles an event that is neither a head nor content.
    func received(_ event: ServerLeg.Event) {
        switch event {
        case .responseBegan:
            clock.responseCame(worker.loop.now)
            perform(machine.responseBegun())
        case .endedWithoutAlert:
            if !machine.isEnded { held.exchange.tags["tls_truncated"] = "true" }
            responseEnded(FieldSection())
        case .tunnelEnded: tunnelEndedByServer()
        case .unreadable(let error): fail(ExchangeFailure(error))
        case .broken(let failure): lost(failure, isRepeatable: mayGetTwice)
        case .reset(let failure, let isUnprocessed):
            lost(failure, isRepeatable: isUnprocessed && holdsBody)
        }
    }

    /// Whether the server may get the request twice.
    private var mayGetTwice: Bool {
        guard case .http2? = server else { return true }
        return held.exchange.request.method.isIdempotent && holdsBody
    }

    private func lost(_ failure: ExchangeFailure, isRepeatable: Bool) {
        isRepeatable ? serverFailed(failure) : fail(failure)
    }

    /// Forwards an interim response at once, if the client supports those.
    func received(interim response: Response) {
        clock.responseCame(worker.loop.now)
        let action = machine.interimHead()
        guard case .sendInterim = action else { return perform(action, because: .tooManyInterim) }
        let interim = InterimResponse(
            status: response.status,
            reason: response.reason,
            fields: response.fields
        )
        // Not in place; see `ClientLeg.keep`.
        var interims = exchange(&self.response.interims, with: [])
        interims.append(interim)
        self.response.interims = interims
        guard !head.isVersion10 else { return }
        do throws(HTTPError) {
            countHead(try client.link.send(interim, via: worker.via, worker))
        } catch {
            fail(ExchangeFailure(error))
        }
    }

    /// Counts a head that is sent to the client; interim heads count with the final one.
    func countHead(_ size: HeadSize) {
        bytes.down.line &+= size.line
        bytes.down.headers &+= size.headers
    }

    /// Handles the head of the response.
    func received(_ head: consuming ResponseHead) {
        clock.responseCame(worker.loop.now)
        let (framing, switches) = (head.framing, head.becomesTunnel)
        // Moved, since a copy would retain each of its parts.
        held.exchange.response = exchange(&head.response, with: .empty)
        if worker.isInNamespace { removeAlternatives() }
        self.response.framing = framing
        if !self.response.interims.isEmpty {
            held.exchange.response?.interim = self.response.interims
        }
        guard acceptsHandshake else { return fail(.wrongHandshake) }
        if switches {
            tunnel = Tunnel(agreed: held.exchange.response)
            return perform(machine.responseHead(.switches), because: .earlySwitch)
        }
        guard framing.hasBody else { return perform(machine.responseHead(.bodiless)) }
        perform(machine.responseHead(.body(wanted: wantedBody(of: .response))))
    }

    /// Whether the response may be sent to a client whose stream asks for a WebSocket.
    ///
    /// Such a client has no key to check, and takes each 2xx for an open WebSocket (RFC 8441 §5).
    private var acceptsHandshake: Bool {
        guard case .http2(let stream) = client.link, stream.opensWebSocket,
            let response = held.exchange.response
        else { return true }
        if response.status == 101 {
            return WebSocketHandshake.isAccepted(held.exchange.request, by: response)
        }
        return !(200..<300).contains(response.status)
    }

    /// Handles content of the response.
    func received(content: Span<UInt8>) {
        // Later than now while the exchange waits for a delay or a decision.
        clock.lastActive = max(clock.lastActive, worker.loop.now)
        switch machine.responseBody(visibleSize(of: content)) {
        case .send: stream(content)
        case .hold: hold(content)
        case .runResponseHooks(let seen):
            hold(content)
            runResponseHooks(seen)
        case let action: perform(action)
        }
    }

    /// Handles the end of the response.
    func responseEnded(_ trailers: FieldSection) {
        response.trailers = trailers
        perform(machine.responseEnd())
    }

    /// Resumes the server, since the client takes more.
    func clientDrained() {
        switch machine.responseCredit {
        case .granted, .whilePeerTakes:
            server?.resumeReading()
            player?.schedule()
        case .withheld: break
        }
    }

    // MARK: Hooks

    /// Runs the `response` hooks on the head and the part of the body that they want.
    func runResponseHooks(_ seen: HTTPExchangeAction.VisibleBody) {
        switch seen {
        case .none: break
        case .head: held.exchange.response?.body.isTruncated = true
        case .part: keepHeld(isCut: true)
        case .whole:
            keepHeld(isCut: false)
            held.exchange.response?.trailers = response.trailers
            held.context.hasResponseBody = true
        case .made:
            waiting = []
            held.context.hasResponseBody = true
        }
        let outcome = lane.response(&held.exchange, &held.context)
        throttleClient()
        if outcome.pause != nil { return wait(outcome, after: .response) }
        let pauses = outcome.delay.count > 0
        let action = machine.responseHooksDone(verdict(outcome.action), pauses: pauses)
        if pauses { pause(outcome.delay) } else { perform(action) }
    }

    /// Shows the hooks the part of the body that has arrived.
    private func keepHeld(isCut: Bool) {
        guard let fields = held.exchange.response?.fields else { return }
        let size = isCut ? nil : waiting.count
        let body = Body(received: waiting, size: size, fields, isCut: isCut)
        held.exchange.response?.body = body
    }

    /// Returns the hooks' verdict, and what they have left of the response.
    func verdict(
        _ action: WireOutcome.Action
    ) -> HTTPExchangeStateMachine.ResponseVerdict {
        guard action != .abort, let status = held.exchange.response?.status else { return .abort }
        if tunnel != nil {
            if status == 101 { return .switches }
            // A hook has refused the tunnel.
            tunnel = nil
        }
        guard mayHaveBody(status) else { return .whole }
        let isEmpty = held.exchange.response?.body.bytes.isEmpty ?? true
        let isTruncated = held.exchange.response?.body.isTruncated ?? false
        return isTruncated && (response.framing.hasBody || !isEmpty) ? .open : .whole
    }

    // MARK: To the client

    /// Writes an error page that is not recorded.
    ///
    /// Returns whether it could be written.
    func writePage(_ page: inout Response) -> Bool {
        do throws(HTTPError) {
            try write(&page, ends: true, via: nil)
            return true
        } catch {
            return false
        }
    }

    /// Writes the response that is recorded, with its body if that is complete.
    func writeResponse(isWhole: Bool) {
        // A response whose body follows looks like an open WebSocket, even if a hook has made it.
        guard isWhole || acceptsHandshake else { return fail(.wrongHandshake) }
        var isEventStream = false
        do throws(HTTPError) {
            try held.exchange.response?.lend { (response) throws(HTTPError) in
                try write(&response, ends: isWhole, via: worker.via)
                // Evaluated here, since outside it would copy the response out of an optional.
                isEventStream = response.isEventStream
                // A hook may have turned it into a response without a body; the server's body is
                // then dropped.
                if !mayHaveBody(response.status) { response.body = Body() }
            }
        } catch {
            return refusedHead(error)
        }
        if grpc != nil { beginGRPCResponse(isWhole: isWhole) }
        if isEventStream, !beginEvents(isWhole: isWhole) {
            return perform(machine.aborted())
        }
        isWhole ? responseWritten() : perform(machine.responseSent())
    }

    /// Goes on after the end of the response was written; the end of a stream is sent later.
    private func responseWritten() {
        guard client.link.sendsLater else { return perform(machine.responseSent()) }
        perform(machine.responseWritten())
        if case .written(_, .open) = machine.state {
            // A hook has replaced the response, so the rest of the server's is not needed.
            server.take()?.abandon()
        } else {
            server?.pauseReading()
        }
    }

    /// Goes on after the client was sent the end of a stream.
    func responseSent() {
        if machine.isTunnel { return clientGone() }
        if let ending = refusal.take() { finish(ending) } else { perform(machine.responseSent()) }
    }

    /// Returns whether a body may follow the head (RFC 9112 §6.3, items 1 and 2).
    private func mayHaveBody(_ status: Int) -> Bool {
        !(head.kind.isHead || status < 200 || status == 204 || status == 304 || head.isSocks
            || head.isRedirected)
    }

    /// Writes the head, and the body if it is complete; throws if the head cannot be written.
    private func write(
        _ response: inout Response,
        ends: Bool,
        via: ByteString?
    ) throws(HTTPError) {
        let mayHaveBody = mayHaveBody(response.status)
        let body = response.body.bytes
        var framing: BodyFraming = .none
        if mayHaveBody {
            // Trailers need chunks: a gRPC call has its status in them.
            let isLength = ends && (response.trailers.isEmpty || head.isVersion10)
            framing = isLength ? .length(body.count) : ends ? .chunked : self.response.framing
            if framing == .untilClose || framing == .chunked {
                framing = head.isVersion10 ? .untilClose : .chunked
            }
        }
        // A response that is sent before the request is complete is the last one, and says so to
        // the client (RFC 9112 §9.6).
        if framing == .untilClose || worker.isDraining || !machine.isRequestWhole {
            self.response.keepsClient = false
        }
        let keepsClient = self.response.keepsClient
        let writing = ResponseWriting(
            framing: framing,
            answersHead: head.kind.isHead,
            connection: keepsClient ? (head.isVersion10 ? .keepAlive : .persist) : .close,
            via: via
        )
        let trailers = response.trailers
        let isHead = ends && (!mayHaveBody || body.isEmpty && trailers.isEmpty)
        try sendHead(&response, writing, ends: isHead)
        var framer = BodyFramer(framing, .response)
        if ends, mayHaveBody { client.link.send(body.span, in: &framer) }
        if ends, !isHead, client.link.needsEnd(framing) {
            try client.link.end(trailers, in: &framer)
        }
        self.response.framer = framer
    }

    /// Notifies the client of a tunnel that it is open, unless it was redirected and has sent no
    /// request.
    ///
    /// Returns whether that could be written.
    func answerTunnel() -> Bool {
        if head.isRedirected { return true }
        held.exchange.response = Response(status: 200, reason: "Connection Established")
        return writeHead(.persist)
    }

    /// Writes the head of a response that opens a tunnel.
    ///
    /// Returns whether it could be written.
    func writeHead(_ connection: ConnectionWriting) -> Bool {
        guard var response = held.exchange.response else { return false }
        do throws(HTTPError) {
            let writing = ResponseWriting(becomesTunnel: true, connection: connection)
            try sendHead(&response, writing, ends: false)
            return true
        } catch {
            refusedHead(error)
            return false
        }
    }

    /// Fails the exchange, since a hook has made a response that cannot be written.
    private func refusedHead(_ error: HTTPError) {
        fail(ExchangeFailure(code: "malformed_response", message: "\(error)"))
    }

    /// Writes a head and counts it.
    private func sendHead(
        _ response: inout Response,
        _ writing: ResponseWriting,
        ends: Bool
    ) throws(HTTPError) {
        guard !head.isSocks else { return answerSocks(response.status) }
        if head.isRedirected { return }
        countHead(try client.link.send(&response, writing, ends: ends, worker))
    }

    private func stream(_ content: Span<UInt8>) {
        // Not in place; see `ClientLeg.keep`.
        var capture = exchange(&response.capture, with: BodyCapture())
        capture.append(content, upTo: captureMaxBytes, client.memory)
        response.capture = capture
        var framer = response.framer
        client.link.send(content, in: &framer)
        response.framer = framer
        if !client.link.isWritable { server?.pauseReading() }
        if let grpc { read(content, .down, by: grpc) }
        guard let events = response.events else { return }
        if !read(content, by: events) { perform(machine.aborted()) }
    }

    /// Sends the content that waited for the hooks.
    func sendHeld(ends: Bool) {
        let held = exchange(&waiting, with: [])
        releaseHeld()
        if !held.isEmpty { stream(held.span) }
        if ends, !machine.isEnded { endResponse() }
    }

    /// Sends the end of the response.
    func endResponse() {
        if client.link.needsEnd(response.framer.framing) {
            var framer = response.framer
            do throws(HTTPError) {
                try client.link.end(response.trailers, in: &framer)
            } catch {
                return fail(ExchangeFailure(error))
            }
            response.framer = framer
        }
        responseWritten()
    }
}

extension Response {
    /// An empty response, as a placeholder for one that is moved out.
    fileprivate static var empty: Response { Response(status: 0, version: ByteString()) }

    /// Lends the response in place; `if var` would copy it out of an optional.
    mutating func lend<Failure>(
        _ body: (inout Response) throws(Failure) -> Void
    ) throws(Failure) { try body(&self) }
}

extension Response {
    /// Appends an error page, which is the last response on its connection.
    func appendLast(to output: inout [UInt8]) throws(HTTPError) {
        let writing = ResponseWriting(framing: .length(body.bytes.count), connection: .close)
        try HeadWriter.append(self, writing, to: &output)
        output.append(copying: body.bytes.span)
    }
}
