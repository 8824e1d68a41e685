// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineUpstream

/// One request that is sent to a server: reports events to a state machine, and carries out the
/// resulting actions.
///
/// **Isolation**: the loop's thread. The worker holds it until it has ended.
final class ReplayExchange {
    /// The times of the exchange, on the loop's clock in microseconds.
    struct Times {
        /// When the request was due.
        let due: Int64
        /// When the exchange began.
        let begun: Int64
        /// When the request was sent; 0 before.
        var sent: Int64 = 0
        /// When the response began; 0 before.
        var firstByte: Int64 = 0
        /// When a WebSocket was opened; 0 before.
        var opened: Int64 = 0
    }

    unowned let worker: ClientReplayWorker
    let planned: ReplayRequest
    /// Whether other requests may wait for it; only then is its end noted, which copies the exchange.
    let isPlanned: Bool
    /// The exchange and its context, as hooks and records see them.
    let held: ExchangeBox
    var machine: SendingStateMachine
    var times: Times
    var server: ServerLink?
    /// The stream that carries it; `nil` in HTTP/1.1.
    var stream: StreamLegs.Leg?
    var capture = BodyCapture()
    var trailers = FieldSection()
    var interims: [InterimResponse] = []
    var bytes = ByteCounts(isExact: true)
    /// Reads the messages of a gRPC call.
    var grpc: GRPCCapture?
    /// The messages of a WebSocket, if the server has opened one.
    var conversation: ReplayConversation?
    var timer: LoopTimer?

    init(_ planned: ReplayRequest, due: Int64, on worker: ClientReplayWorker) {
        self.planned = planned
        isPlanned = planned.plan != nil
        self.worker = worker
        let mayRepeat = planned.recorded.request.method.isIdempotent
        machine = SendingStateMachine(retries: mayRepeat ? worker.settings.retries : 0)
        times = Times(due: due, begun: EventLoop.clockNow())
        held = ExchangeBox(worker.ids.make(at: worker.timestamp(times.begun)))
        held.exchange.request = planned.recorded.request
        setWebSocketKey()
    }

    /// Runs the hooks, and sends the request.
    func begin() {
        let lane = worker.lane
        if lane.wantsOpened { lane.opened(held.exchange, &held.context) }
        held.context.hasRequestBody = true
        let outcome = lane.request(&held.exchange, &held.context)
        carryOut(outcome) { machine.requestHooksDone($0, pauses: $1) }
    }

    private func carryOut(
        _ outcome: WireOutcome,
        _ done: (SendingStateMachine.Verdict, Bool) -> SendingStateMachine.Action
    ) {
        let pauses = outcome.delay.count > 0
        let action = done(SendingStateMachine.Verdict(outcome.action), pauses)
        if pauses { startTimer(outcome.delay) }
        perform(action)
    }

    /// Carries out an action.
    func perform(_ action: SendingStateMachine.Action) {
        switch action {
        case .none, .keep, .pause, .abandonServer: break
        case .connect: connect()
        case .send: send()
        case .runResponseHooks: runResponseHooks()
        case .converse: converse()
        case .finish(let ending): finish(ending)
        }
    }

    // MARK: Time

    /// Arms the timer, which ends a pause or an exchange that takes too long.
    private func startTimer(_ delay: Microseconds) {
        let timer =
            timer
            ?? LoopTimer(on: worker.loop) { [unowned self] in
                let action = machine.pauseOver()
                if action == .none { fail(.replayTimeout, isFinal: true) } else { perform(action) }
            }
        timer.arm(after: delay)
        self.timer = timer
    }

    // MARK: To the server

    private func connect() {
        server.take()?.abandon()
        capture.release(worker.lane)
        forgetResponse()
        startTimer(worker.settings.timeout)
        guard let origin = destination() else { return fail(.movedToNoServer, isFinal: true) }
        let obstacle = worker.settings.targets.obstacle(
            to: held.exchange.request,
            at: origin,
            through: worker.settings.parent
        )
        guard obstacle == nil else { return fail(.replayUnsafe, isFinal: true) }
        if usesStreams(to: origin) { return connectStream(to: origin) }
        connectAlone(to: origin)
    }

    /// Takes an idle connection that carries one exchange at a time, or opens one.
    private func connectAlone(to origin: Origin) {
        if let server = worker.servers.take(origin) {
            return connected(.http1(server), isReused: true)
        }
        worker.servers.connect(to: origin, isTunnel: false) { [self] outcome in
            held.exchange.timing.take(connection: outcome.timing)
            switch outcome.result {
            case .failure(let failure): fail(failure)
            case .success(let server): connected(.http1(server), isReused: false)
            }
        }
    }

    /// Forgets what a try that has failed received.
    private func forgetResponse() {
        held.exchange.response = nil
        held.exchange.tags["tls_truncated"] = nil
        interims = []
        trailers = FieldSection()
        forgetCall()
        forgetStream()
        bytes = ByteCounts(isExact: true)
        times.sent = 0
        times.firstByte = 0
    }

    /// The server of the request, which hooks may have changed; `nil` if it names none.
    private func destination() -> Origin? {
        let recorded = planned.recorded
        let isSame =
            held.exchange.request.authority == recorded.request.authority
            && held.exchange.request.scheme == recorded.request.scheme
        return isSame ? recorded.origin : Origin(held.exchange.request)
    }

    func connected(_ server: ServerLink, isReused: Bool) {
        guard case .send = machine.connected() else { return server.abandon() }
        self.server = server
        held.exchange.connection.server = server.peerText
        held.exchange.connection.serverTLS = server.route.tls
        held.exchange.connection.isReused = isReused
        send()
    }

    private func send() {
        switch server {
        case .http1(let leg): send(on: leg)
        case .http2(let stream): send(on: stream)
        case nil: break
        }
    }

    /// How the head of the request is written.
    func writing(_ framing: BodyFraming, to route: ServerRoute) -> RequestWriting {
        let target = held.exchange.request.target
        return RequestWriting(
            form: route.parent != nil ? .absolute : target == "*" ? .asterisk : .origin,
            framing: framing,
            connection: asksForWebSocket ? .upgrade : .persist,
            proxyAuthorization: route.parent?.authorization
        )
    }

    private func send(on server: ServerLeg) {
        let framing = OutgoingRequest.framing(of: held.exchange.request)
        if case .length(let count) = framing {
            held.exchange.request.fields.set("Content-Length", to: "\(count)")
        }
        let writing = writing(framing, to: server.route)
        var output = worker.takeOutput()
        do throws(HTTPError) {
            try held.exchange.request.appendHead(writing, to: &output)
        } catch {
            return fail(ExchangeFailure(error), isFinal: true)
        }
        let line = output.span.firstIndex(of: 0x0A).map { $0 + 1 } ?? 0
        bytes.up.line = line
        bytes.up.headers = output.count - line
        bytes.up.body = held.exchange.request.body.bytes.count
        output += held.exchange.request.body.bytes
        times.sent = EventLoop.clockNow()
        machine.written()
        server.begin(
            self,
            RequestKind(
                method: held.exchange.request.method,
                asksUpgrade: asksForWebSocket
            )
        )
        server.socket.write(output.span)
        worker.give(output)
        beginCall()
    }

    // MARK: The end

    /// Ends the exchange, or sends the request again if that is allowed.
    func fail(_ failure: ExchangeFailure, isFinal: Bool = false) {
        failed(machine.failed(isFinal: isFinal), failure)
    }

    private func failed(_ action: SendingStateMachine.Action, _ failure: ExchangeFailure) {
        if case .finish = action { held.exchange.error = failure.error }
        if case .connect = action { setWebSocketKey() }
        perform(action)
    }

    /// Ends the exchange, since the run has stopped.
    func stop() {
        let action = machine.stopped()
        guard case .finish = action else { return }
        held.exchange.error = ExchangeFailure.stopped.error
        perform(action)
    }

    private func runResponseHooks() {
        if held.exchange.response != nil, times.sent > 0 {
            let fields = held.exchange.response?.fields ?? FieldSection()
            held.exchange.response?.body =
                capture.size == 0 ? Body() : capture.body(fields, isCut: false)
            if !trailers.isEmpty { held.exchange.response?.trailers = trailers }
        }
        held.context.hasResponseBody = held.exchange.response?.body.isTruncated == false
        let now = EventLoop.clockNow()
        noteEnd(now)
        let outcome = worker.lane.response(&held.exchange, &held.context)
        // A hook may have made another response of one that opens a WebSocket.
        let opens = held.exchange.response?.status == 101
        carryOut(outcome) { verdict, pauses in
            let isRefused = conversation != nil && !opens && verdict == .forward
            return machine.responseHooksDone(isRefused ? .respond : verdict, pauses: pauses)
        }
    }

    /// Fills in the durations and the byte counts of a response that is complete.
    private func noteEnd(_ now: Int64) {
        held.exchange.timing.total = Microseconds(max(now - times.begun, 0))
        guard times.sent > 0 else { return }
        held.exchange.timing.send = Microseconds(max(times.sent - times.begun, 0))
        guard times.firstByte > 0 else { return }
        held.exchange.timing.wait = Microseconds(max(times.firstByte - times.sent, 0))
        held.exchange.timing.receive = Microseconds(max(now - times.firstByte, 0))
    }

    private func finish(_ ending: SendingStateMachine.Ending) {
        timer = nil
        let now = EventLoop.clockNow()
        if let server = takeServer() {
            let isClean = ending == .completed && !worker.isStopping
            server.release(isClean: isClean, to: worker.servers)
        }
        if held.exchange.timing.total == nil { noteEnd(now) }
        switch ending {
        case .completed: held.exchange.state = .completed
        case .failed: held.exchange.state = .failed
        case .aborted:
            held.exchange.state = .cancelled
            held.exchange.error = held.exchange.error ?? ExchangeFailure.aborted.error
        case .stopped: held.exchange.state = .cancelled
        }
        if ending != .completed, held.exchange.response != nil, capture.size > 0 {
            let fields = held.exchange.response?.fields ?? FieldSection()
            held.exchange.response?.body = capture.body(fields, isCut: true)
        }
        let facts = ReplayFacts(
            of: planned.recorded.id,
            due: worker.timestamp(times.due),
            sent: times.sent > 0 ? worker.timestamp(times.sent) : nil,
            status: planned.recorded.status
        )
        held.exchange.setExtra { $0.replay = facts }
        if let stream { held.exchange.setExtra { $0.stream = StreamLegs(server: stream) } }
        if times.sent > 0 {
            if stream == nil { bytes.down.body = capture.size }
            fillMessages()
            fillCall()
            held.exchange.bytes = bytes
        }
        worker.ended(self, ending, now)
    }
}

// MARK: - From the server

extension ReplayExchange: ServerLegOwner {
    func received(interim response: Response) {
        noteFirstByte()
        guard interims.count < 32 else { return fail(.replayTooManyInterim) }
        bytes.isExact = false
        interims.append(
            InterimResponse(
                status: response.status,
                reason: response.reason,
                fields: response.fields
            )
        )
    }

    func received(_ head: consuming ResponseHead) {
        noteFirstByte()
        let (framing, switches) = (head.framing, head.becomesTunnel)
        bytes.down.line = head.lineBytes
        bytes.down.headers = head.headerBytes
        if framing == .chunked { bytes.isExact = false }
        held.exchange.response = head.response
        if !interims.isEmpty { held.exchange.response?.interim = interims }
        if let grpc, let response = held.exchange.response { grpc.begin(response) }
        guard !switches else { return switched() }
        perform(machine.headReceived(hasBody: framing.hasBody))
    }

    func received(content: Span<UInt8>) {
        guard machine.contentReceived() == .keep else { return }
        capture.append(content, upTo: worker.captureMaxBytes, worker.lane)
        grpc?.read(content, .down, at: sinceBegun, worker.lane)
    }

    func responseEnded(_ trailers: FieldSection) {
        self.trailers = trailers
        perform(machine.responseEnded())
    }

    func received(tunnel bytes: Span<UInt8>) { conversation?.received(bytes) }
    func serverDrained() { conversation?.drained() }

    func received(_ event: ServerLeg.Event) {
        switch event {
        case .responseBegan: noteFirstByte()
        case .endedWithoutAlert:
            held.exchange.tags["tls_truncated"] = "true"
            responseEnded(FieldSection())
        case .tunnelEnded: conversation?.connectionEnded(.replayBrokenOff)
        case .unreadable(let error): fail(ExchangeFailure(error))
        case .reset(let failure, isUnprocessed: true): failed(machine.refused(), failure)
        case .broken(let failure), .reset(let failure, _):
            guard times.opened > 0 else { return fail(failure) }
            conversation?.connectionEnded(failure)
        }
    }

    private func noteFirstByte() {
        if times.firstByte == 0 { times.firstByte = EventLoop.clockNow() }
    }
}

extension SendingStateMachine.Verdict {
    init(_ action: WireOutcome.Action) {
        switch action {
        case .forward: self = .forward
        case .respond: self = .respond
        case .abort: self = .abort
        }
    }
}
