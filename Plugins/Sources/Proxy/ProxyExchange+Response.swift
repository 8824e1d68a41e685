// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

extension ProxyExchange {
    /// The first bytes of the response came.
    func receivedFirstByte() {
        if firstByte == 0 { firstByte = worker.loop.now }
        lastActive = worker.loop.now
    }

    /// An interim response came: passes at once, to clients that know such.
    func received(interim response: Response) {
        guard !isOver else { return }
        receivedFirstByte()
        guard interims.count < worker.settings.maxInterim else { return fail(.tooManyInterim) }
        let interim = InterimResponse(
            status: response.status,
            reason: response.reason,
            fields: response.fields
        )
        var interims = interims.taken()
        interims.append(interim)
        self.interims = interims
        guard !head.isVersion10 else { return }
        var output = worker.takeBuffer()
        do throws(HTTPError) {
            try HeadWriter.append(interim, via: worker.via, to: &output)
        } catch {
            return fail(ExchangeFailure(error))
        }
        countHead(output.span)
        client.socket.write(output.span)
        worker.giveBack(consume output)
    }

    /// Counts a head that goes to the client; an interim one counts with the final one.
    func countHead(_ head: Span<UInt8>) {
        let line = head.firstIndex(of: 0x0A).map { $0 + 1 } ?? 0
        bytes.down.line &+= line
        bytes.down.headers &+= head.count - line
    }

    /// The head of the response came.
    func received(_ head: consuming ResponseHead) {
        guard !isOver else { return }
        receivedFirstByte()
        keepsServer = head.keepsAlive
        responseFraming = head.framing
        let becomesTunnel = head.becomesTunnel
        // Moved, since a copy would count each of its parts.
        var response = Response.empty
        swap(&response, &head.response)
        held.exchange.response = consume response
        if !interims.isEmpty { held.exchange.response?.interim = interims }
        if becomesTunnel { return switchProtocols() }
        guard responseFraming.hasBody else {
            isServerDone = true
            return runResponseHooks()
        }
        wantedResponse = wantedBody(of: .response)
        if wantedResponse > 0 {
            download = .held
        } else {
            held.exchange.response?.body.isTruncated = true
            runResponseHooks()
        }
    }

    /// Content of the response came.
    func received(content: Span<UInt8>) {
        guard !isOver else { return }
        lastActive = worker.loop.now
        switch download {
        case .discarded: break
        case .streaming: stream(content)
        case .awaited, .held:
            hold(content)
            if wantedResponse > 0, heldResponse.count > wantedResponse {
                wantedResponse = 0
                keepHeld(isCut: true)
                runResponseHooks()
            } else if wantedResponse == 0, heldResponse.count > ProxyWorker.holdLimit {
                server?.socket.pauseReading()
            }
        }
    }

    /// Keeps what came from the server until it can go on.
    func hold(_ content: Span<UInt8>) {
        var kept = heldResponse.taken()
        kept.append(copying: content)
        heldResponse = kept
    }

    /// Shows the hooks what has come of the body.
    private func keepHeld(isCut: Bool) {
        guard let fields = held.exchange.response?.fields else { return }
        let size = isCut ? nil : heldResponse.count
        let body = Body(received: heldResponse, size: size, fields, isCut: isCut)
        held.exchange.response?.body = body
    }

    /// The response is whole.
    func responseEnded(_ trailers: FieldSection) {
        guard !isOver, !isResponseEnded else { return }
        isServerDone = true
        responseTrailers = trailers
        if wantedResponse > 0 {
            wantedResponse = 0
            keepHeld(isCut: false)
            held.exchange.response?.trailers = trailers
            held.context.hasResponseBody = true
            return runResponseHooks()
        }
        if download == .streaming { endResponse() }
    }

    /// The client takes more.
    func clientDrained() {
        server?.socket.resumeReading()
    }

    // MARK: Hooks

    /// A `request` hook has answered in the server's place; all `response` hooks run over that.
    func answeredByHook() {
        isServerDone = true
        held.context.hasResponseBody = true
        runResponseHooks()
    }

    func runResponseHooks() {
        let outcome = lane.response(&held.exchange, &held.context)
        guard outcome.delay.count > 0 else { return responseHooksRan(outcome.action) }
        server?.socket.pauseReading()
        wait(outcome.delay) { [unowned self] in
            server?.socket.resumeReading()
            responseHooksRan(outcome.action)
        }
    }

    private func responseHooksRan(_ action: WireOutcome.Action) {
        guard action != .abort, let status = held.exchange.response?.status else {
            return cancel(ExchangeError(code: "aborted", message: "aborted by a stage"))
        }
        if agreed != nil {
            if status == 101 { return enterProtocol() }
            // A hook has refused: the server speaks the other protocol already.
            agreed = nil
            isServerDone = true
            keepsServer = false
        }
        let isEmpty = held.exchange.response?.body.bytes.isEmpty ?? true
        let isTruncated = held.exchange.response?.body.isTruncated ?? false
        let hasBody = responseFraming.hasBody || !isEmpty
        if !hasBody || !isTruncated {
            // The body is whole, from the server or from a hook.
            let isFromServer = responseFraming.hasBody && held.context.hasResponseBody
            download = responseFraming.hasBody && !isFromServer ? .discarded : .awaited
            return writeResponse(ends: true)
        }
        download = .streaming
        writeResponse(ends: false)
        guard !isOver else { return }
        let waiting = heldResponse.taken()
        if !waiting.isEmpty { stream(waiting.span) }
        if isServerDone { endResponse() }
    }

    // MARK: To the client

    /// Writes a page of our own, which the record will not have.
    func writePage(_ page: Response) {
        var page = page
        do throws(HTTPError) {
            try write(&page, ends: true, via: nil)
        } catch {
            cancel(ExchangeError(code: "malformed_response", message: "\(error)"))
        }
    }

    /// Writes the response that the record will have, and ends the exchange where that is whole.
    private func writeResponse(ends: Bool) {
        do throws(HTTPError) {
            try held.exchange.response?.lend { (response) throws(HTTPError) in
                try write(&response, ends: ends, via: worker.via)
                // A hook may have made it one without a body: what the server sends is then dropped.
                if !mayHaveBody(response) { response.body = Body() }
            }
        } catch {
            return refusedHead(error)
        }
        if isResponseEnded { finishIfAnswered() }
    }

    private func mayHaveBody(_ response: Response) -> Bool {
        !isSocks && response.mayHaveBody(answering: head.kind)
    }

    /// Writes the head, and the body where it is whole; throws where the head cannot be written.
    private func write(
        _ response: inout Response,
        ends: Bool,
        via: ByteString?
    ) throws(HTTPError) {
        let mayHaveBody = mayHaveBody(response)
        let ends = ends || !mayHaveBody
        let body = response.body.bytes
        var framing: BodyFraming = .none
        if mayHaveBody {
            framing = ends ? .length(body.count) : responseFraming
            if framing == .untilClose || framing == .chunked {
                framing = head.isVersion10 ? .untilClose : .chunked
            }
        }
        // An answer that comes before the request is whole is the last one, which the client is told
        // (RFC 9112 §9.6).
        if framing == .untilClose || worker.isDraining || !isRequestEnded { keepsClient = false }
        let writing = ResponseWriting(
            framing: framing,
            answersHead: head.kind.isHead,
            connection: keepsClient ? (head.isVersion10 ? .keepAlive : .persist) : .close,
            via: via
        )
        try sendHead(&response, writing)
        var framer = BodyFramer(framing, .response)
        if ends, mayHaveBody { framer.send(body.span, on: client.socket) }
        responseFramer = framer
        if ends { isResponseEnded = true }
    }

    /// Ends the exchange when what the client got is whole.
    private func finishIfAnswered() {
        // A connection on which the server has not finished cannot be used again.
        if !isServerDone { keepsServer = false }
        // The server answered before the request was whole (RFC 9112 §9.5): what is still to come
        // is not read, so neither connection can go on.
        guard isRequestEnded else {
            return finish(.completed, keepsClient: false, keepsServer: false)
        }
        finish(.completed, keepsClient: keepsClient, keepsServer: keepsServer)
    }

    /// Writes the head of a response that opens a tunnel; says whether that was possible.
    func writeHead(_ response: Response, _ writing: ResponseWriting) -> Bool {
        var response = response
        do throws(HTTPError) {
            try sendHead(&response, writing)
            return true
        } catch {
            refusedHead(error)
            return false
        }
    }

    /// A hook has made a response that cannot be written.
    private func refusedHead(_ error: HTTPError) {
        fail(ExchangeFailure(code: "malformed_response", message: "\(error)"))
    }

    /// Writes a head and counts it.
    private func sendHead(
        _ response: inout Response,
        _ writing: ResponseWriting
    ) throws(HTTPError) {
        guard !isSocks else { return answerSocks(response.status) }
        var output = worker.takeBuffer()
        try response.appendHead(writing, to: &output)
        hasResponseBegun = true
        countHead(output.span)
        client.socket.write(output.span)
        worker.giveBack(consume output)
    }

    private func stream(_ content: Span<UInt8>) {
        var capture = BodyCapture()
        swap(&capture, &responseCapture)
        capture.append(content, upTo: worker.captureMaxBytes, lane)
        responseCapture = capture
        var framer = responseFramer
        framer.send(content, on: client.socket)
        responseFramer = framer
        if !client.socket.isWritable { server?.socket.pauseReading() }
    }

    private func endResponse() {
        if responseFramer.framing == .chunked {
            var framer = responseFramer
            do throws(HTTPError) {
                try framer.end(responseTrailers, on: client.socket)
            } catch {
                return fail(ExchangeFailure(error))
            }
            responseFramer = framer
        }
        isResponseEnded = true
        finishIfAnswered()
    }

    /// The response cannot be read, or in more than one way.
    func refused(_ error: HTTPError) { fail(ExchangeFailure(error)) }
}

extension Response {
    /// One without anything, to be put in the place of another.
    fileprivate static var empty: Response { Response(status: 0, version: ByteString()) }

    /// Lends the response where it is; `if var` would copy it out of an optional.
    mutating func lend<Failure>(
        _ body: (inout Response) throws(Failure) -> Void
    ) throws(Failure) { try body(&self) }

    /// Whether a body may follow the head (RFC 9112 §6.3, items 1 and 2).
    fileprivate func mayHaveBody(answering request: RequestKind) -> Bool {
        !(request.isHead || status < 200 || status == 204 || status == 304)
    }
}

extension Response {
    /// Appends a page that is the last on its connection.
    func appendLast(to output: inout [UInt8]) throws(HTTPError) {
        let writing = ResponseWriting(framing: .length(body.bytes.count), connection: .close)
        try HeadWriter.append(self, writing, to: &output)
        output.append(copying: body.bytes.span)
    }
}
