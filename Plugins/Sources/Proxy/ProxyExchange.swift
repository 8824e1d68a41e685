// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// One exchange on its way through the proxy: what the client and the server do, in the past tense,
/// and what follows from it.
///
/// ```
///            ┌─▶ whole body wanted ─┐
/// request ───┴──────────────────────┴─▶ hooks ─▶ server ─▶ head ─▶ hooks ─▶ client ─▶ over
///                                          └── answered by a hook ───────────▲
/// ```
/// **Shape**: ends exactly once, as completed, failed or cancelled; whoever calls behind that is
/// not heard.
/// **Isolation**: the worker's thread.
final class ProxyExchange {
    /// Where the content of the request goes.
    enum Upload: Equatable {
        /// Into memory, until the hooks have run and the server is there.
        case held
        /// To the server.
        case streaming
        /// Nowhere: the server does not want it, or a hook has replaced it.
        case discarded
    }

    /// Where the content of the response goes.
    enum Download: Equatable {
        /// There is no response yet.
        case awaited
        /// Into memory, until the hooks have run.
        case held
        /// To the client.
        case streaming
        /// Nowhere: a hook has replaced it.
        case discarded
    }

    let client: ClientConnection
    var worker: ProxyWorker { client.worker }
    var lane: any Lane { client.worker.lane }

    /// The exchange and its context, as hooks and records see them.
    let held: HeldExchange
    var server: ServerConnection?
    /// What listens to the server while the client of a tunnel says nothing.
    var probe: ServerProbe?

    /// Whether the client asked in SOCKS, and is answered in it until bytes pass.
    private(set) var isSocks = false

    // The request.
    let head: RequestHead.Facts
    var upload = Upload.held
    var isRequestEnded = false
    /// How much of the body the hooks wait for.
    var wantedRequest = 0
    /// Like the response's taken out to be used, since it could not be looked at unchecked otherwise.
    var requestCapture = BodyCapture()
    /// Whether the exchange holds the body that was sent, whole, so that the kept bytes do not count.
    var isRequestBodyKnown = false
    var requestTrailers = FieldSection()
    /// Content that has come before the server was there.
    var heldRequest: [UInt8] = []
    var requestFramer = BodyFramer(.none, .request)

    // The response.
    var download = Download.awaited
    /// Whether the server has said all that it will say.
    var isServerDone = false
    /// Whether the client has been sent all that it will get.
    var isResponseEnded = false
    var interims: [InterimResponse] = []
    var hasResponseBegun = false
    var wantedResponse = 0
    var responseCapture = BodyCapture()
    var responseTrailers = FieldSection()
    var heldResponse: [UInt8] = []
    var responseFramer = BodyFramer(.none, .response)
    var responseFraming = BodyFraming.none
    var keepsServer = false
    var keepsClient: Bool

    // Time, by the loop's clock.
    let begun: Int64
    var requestSent: Int64 = 0
    var firstByte: Int64 = 0
    var lastActive: Int64
    /// How many bytes both peers had taken when the time limits were last looked at.
    private var lastTaken: UInt64 = 0

    var bytes = ByteCounts(isExact: true)
    var isOver = false
    /// Whether the request has gone out on a kept connection, so that it may have gone stale.
    var mayRetry = false
    var tunnel: Tunnel?
    /// By what the server has agreed to another protocol.
    var agreed: Agreement?
    /// What its bytes pass through, where it is a WebSocket that is recorded.
    var webSocket: (any WebSocketTraffic)?
    var delayTimer: LoopTimer?

    init(_ head: consuming RequestHead, _ client: ClientConnection) {
        self.client = client
        let worker = client.worker
        begun = worker.loop.now
        lastActive = begun
        self.head = RequestHead.Facts(head)
        isRequestEnded = !head.framing.hasBody
        // RFC 9112 §9.3: a proxy keeps no connection open to a client of HTTP/1.0.
        let isForward = worker.settings.upstream == nil && client.target == nil
        keepsClient = head.keepsAlive && !(head.isVersion10 && isForward)
        held = HeldExchange(worker.makeExchange())
        // Moved, since a copy would count each of its parts.
        swap(&held.exchange.request, &head.request)
        held.exchange.connection = client.facts
        bytes.up.line = head.lineBytes
        bytes.up.headers = head.headerBytes
    }

    /// What a client has asked for in SOCKS, which is kept as CONNECT.
    ///
    /// **Shape**: the authority is `host:port`. What was said in SOCKS counts as fields.
    init(socks authority: ByteString, _ said: SocksNegotiation, _ client: ClientConnection) {
        self.client = client
        isSocks = true
        begun = client.worker.loop.now
        lastActive = begun
        head = .connect
        isRequestEnded = true
        keepsClient = false
        held = HeldExchange(client.worker.makeExchange())
        held.exchange.request = Request(
            method: "CONNECT",
            target: authority,
            authority: authority,
            version: "SOCKS5"
        )
        held.exchange.connection = client.facts
        bytes.up.headers = said.byteCounts.up
        bytes.down.headers = said.byteCounts.down
    }

    /// What has come from a client and is no request, as far as it can be known: how much, and since
    /// when, by the loop's clock; it has still to fail.
    init(unreadable count: Int, since begun: Int64, _ client: ClientConnection) {
        self.client = client
        let worker = client.worker
        self.begun = begun
        lastActive = begun
        head = .unreadable
        isRequestEnded = true
        keepsClient = false
        held = HeldExchange(worker.makeExchange(begun: begun))
        if let origin = client.target ?? worker.settings.upstream {
            held.exchange.request.scheme = origin.scheme
            held.exchange.request.authority = origin.authority
        }
        held.exchange.connection = client.facts
        bytes.up.headers = count
    }

    /// How long may still pass until a time limit is over; nothing where one is.
    var timeLeft: Microseconds? {
        let limits = worker.settings.timeouts
        let now = worker.loop.now
        var left = (tunnel == nil ? limits.idle : limits.tunnel).count &- (now &- lastActive)
        if tunnel == nil, let whole = limits.exchange {
            left = min(left, whole.count &- (now &- begun))
        }
        return left > 0 ? Microseconds(left) : nil
    }

    /// Looks whether a peer still takes what waits for it: then it is slow, but there.
    func noteProgress() {
        let taken = client.socket.bytesTaken &+ (server?.socket.bytesTaken ?? 0)
        let waits = client.socket.pendingBytes > 0 || (server?.socket.pendingBytes ?? 0) > 0
        if waits, taken != lastTaken { lastActive = max(lastActive, worker.loop.now) }
        lastTaken = taken
    }

    /// A time limit is over.
    func timedOut() {
        guard !isOver else { return }
        if tunnel != nil { return tunnelEnded(.idleTunnel) }
        fail(isRequestEnded || isRequestBlocked ? .timeout : .requestTimeout)
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

        /// A tunnel that was not asked for in HTTP.
        static let connect = Facts(
            form: .authority,
            framing: .none,
            isVersion10: false,
            expectsContinue: false,
            kind: RequestKind(isConnect: true)
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
    }
}

// MARK: - The end

extension ProxyExchange {
    /// Ends the exchange because something failed; tells the client where that is still possible.
    func fail(_ failure: ExchangeFailure) {
        guard !isOver else { return }
        held.exchange.error = failure.error
        guard !hasResponseBegun else {
            // Half a response is out: only a broken connection says that it is not whole.
            finish(.failed, keepsClient: false, keepsServer: false, aborts: true)
            return
        }
        held.exchange.response = nil
        var page = Response.page(failure.status, "\(failure.message)\n")
        if failure.status == 407 {
            page.fields.append(name: "Proxy-Authenticate", value: "Basic realm=\"tapline\"")
        } else if failure.status == 405 {
            // RFC 9110 §15.5.6: the methods that are served instead.
            let methods = "GET, HEAD, POST, PUT, DELETE, OPTIONS, TRACE, PATCH"
            page.fields.append(name: "Allow", value: methods)
        }
        writePage(page)
        finish(.failed, keepsClient: keepsClient && isRequestEnded, keepsServer: false)
    }

    /// Ends the exchange because the client has gone.
    func cancel(_ error: ExchangeError) {
        guard !isOver else { return }
        held.exchange.error = held.exchange.error ?? error
        finish(.cancelled, keepsClient: false, keepsServer: false, aborts: true)
    }

    /// Ends the exchange because the pipeline waits no longer.
    func stopped() {
        if tunnel == nil { cancel(ExchangeFailure.stopped.error) } else { tunnelEnded(.stopped) }
    }

    func finish(
        _ state: ExchangeState,
        keepsClient: Bool,
        keepsServer: Bool,
        aborts: Bool = false
    ) {
        guard !isOver else { return }
        isOver = true
        delayTimer = nil
        probe.take()?.end()
        let server = server.take()
        if keepsServer, !worker.isDraining {
            server?.end()
            if let server { worker.pool.give(server, now: worker.loop.now) }
        } else {
            server?.abandon()
        }
        var (request, response) = (BodyCapture(), BodyCapture())
        swap(&request, &requestCapture)
        swap(&response, &responseCapture)
        fill(&held.exchange, state, request, response)
        held.take { worker.finished($0, $1) }
        request.release(lane)
        response.release(lane)
        webSocket?.release(lane)
        if aborts {
            client.abort()
        } else {
            client.exchangeEnded(keepsAlive: keepsClient)
        }
    }

    /// Puts what was kept and counted into the exchange.
    private func fill(
        _ exchange: inout Exchange,
        _ state: ExchangeState,
        _ requestCapture: BodyCapture,
        _ responseCapture: BodyCapture
    ) {
        exchange.state = state
        let now = worker.loop.now
        exchange.timing.total = Microseconds(now - begun)
        if requestSent > 0 {
            exchange.timing.send = Microseconds(max(requestSent - begun, 0))
            if firstByte > 0 {
                exchange.timing.wait = Microseconds(max(firstByte - requestSent, 0))
                exchange.timing.receive = Microseconds(max(now - firstByte, 0))
            }
        }
        bytes.up.body = tunnel?.bytesUp ?? client.bodyWireBytes
        bytes.down.body = tunnel?.bytesDown ?? responseFramer.wireBytes
        exchange.bytes = bytes
        webSocket?.fill(&exchange)
        fill(&exchange.request, requestCapture)
        exchange.response?.lend { fill(&$0, responseCapture) }
    }

    private func fill(_ request: inout Request, _ capture: BodyCapture) {
        if !requestTrailers.isEmpty || !request.trailers.isEmpty {
            request.trailers = requestTrailers
        }
        let size = isRequestBodyKnown ? request.body.size : capture.size
        if size == 0, isRequestEnded {
            // A body of which nothing came is none only where nothing was still to come.
            request.body = Body()
        } else if !isRequestBodyKnown {
            request.body = capture.body(request.fields, isCut: !isRequestEnded)
        }
    }

    private func fill(_ response: inout Response, _ capture: BodyCapture) {
        if download == .streaming {
            response.body = capture.body(response.fields, isCut: !isResponseEnded)
            response.trailers = responseTrailers
        }
        if response.body.size == 0, isResponseEnded { response.body = Body() }
    }
}
