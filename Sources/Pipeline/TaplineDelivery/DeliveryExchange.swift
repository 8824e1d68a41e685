// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet

/// One request to a server: reports events to a state machine, and carries out its actions.
///
/// **Isolation**: the loop's thread. The worker holds it until it has ended.
final class DeliveryExchange {
    typealias Result = Swift.Result<DeliveryResponse, DeliveryError>

    private let request: DeliveryRequest
    private let settings: DeliverySettings
    private let servers: ServerPool
    private let done: (Result) -> Void
    private var machine = DeliveryStateMachine()
    private var server: ServerLeg?
    private var response = DeliveryResponse(status: 0)
    private var failure = DeliveryError.closed
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - request: The request.
    ///   - settings: The limits.
    ///   - servers: The connections.
    ///   - done: Called once, with the response or the reason that there is none.
    init(
        _ request: DeliveryRequest,
        _ settings: DeliverySettings,
        _ servers: ServerPool,
        _ done: @escaping (Result) -> Void
    ) {
        self.request = request
        self.settings = settings
        self.servers = servers
        self.done = done
    }

    /// Sends the request.
    func begin(on loop: EventLoop) {
        let timer = LoopTimer(on: loop) { [unowned self] in stop(.timeout) }
        timer.arm(after: settings.timeout)
        self.timer = timer
        if let server = servers.take(request.endpoint.origin) {
            connected(server, isReused: true)
        } else {
            connect()
        }
    }

    /// Ends the exchange now.
    func stop(_ reason: DeliveryError) {
        failure = reason
        perform(machine.stopped())
    }

    private func perform(_ action: DeliveryStateMachine.Action) {
        switch action {
        case .none, .keep, .abandonServer: break
        case .connect: connect()
        case .send: send()
        case .finish(let ending): finish(ending)
        }
    }

    private func connect() {
        server.take()?.abandon()
        servers.connect(to: request.endpoint.origin, isTunnel: false) { [self] outcome in
            switch outcome.result {
            case .success(let server): connected(server, isReused: false)
            case .failure(let failure): fail(failure)
            }
        }
    }

    private func connected(_ server: ServerLeg, isReused: Bool) {
        guard case .send = machine.connected(isReused: isReused) else { return server.abandon() }
        self.server = server
        send()
    }

    private func send() {
        guard let server else { return }
        let origin = request.endpoint.origin
        var head = Request(
            method: request.method,
            target: request.endpoint.target,
            scheme: origin.scheme,
            authority: origin.authority,
            fields: request.fields
        )
        let writing = RequestWriting(
            form: server.route.parent != nil ? .absolute : .origin,
            framing: .length(request.body.count),
            proxyAuthorization: server.route.parent?.authorization
        )
        var output: [UInt8] = []
        do throws(HTTPError) {
            try head.appendHead(writing, to: &output)
        } catch {
            return stop(DeliveryError("\(error)"))
        }
        server.begin(self, RequestKind(method: request.method))
        server.socket.write(output.span)
        let body = request.body
        if !body.isEmpty { server.socket.write(body.span) }
    }

    private func fail(_ failure: ExchangeFailure) {
        self.failure = DeliveryError(failure.message)
        perform(machine.failed())
    }

    private func finish(_ ending: DeliveryStateMachine.Ending) {
        timer = nil
        let isComplete = ending == .answered(isComplete: true)
        if let server = server.take() {
            // A server may answer before it has read the whole request.
            let isIdle = isComplete && server.keepsAlive && server.socket.pendingBytes == 0
            if isIdle, response.status != 101 { servers.give(server) } else { server.abandon() }
        }
        guard case .answered = ending else { return done(.failure(failure)) }
        response.isComplete = isComplete
        done(.success(response))
    }
}

// MARK: - From the server

extension DeliveryExchange: ServerLegOwner {
    func received(interim response: Response) {
        failure = DeliveryError("too many interim responses")
        perform(machine.interimReceived(limit: settings.maxInterimResponses))
    }

    func received(_ head: consuming ResponseHead) {
        let hasBody = head.framing.hasBody && !head.becomesTunnel
        response = DeliveryResponse(status: head.response.status, fields: head.response.fields)
        perform(machine.headReceived(hasBody: hasBody))
    }

    func received(content: Span<UInt8>) {
        let fits = response.body.count + content.count <= settings.maxResponseBytes
        let action = machine.contentReceived(fits: fits)
        if action == .keep { response.body.append(copying: content) } else { perform(action) }
    }

    func responseEnded(_ trailers: FieldSection) { perform(machine.responseEnded()) }

    func received(tunnel bytes: Span<UInt8>) {}
    func serverDrained() {}

    func received(_ event: ServerLeg.Event) {
        switch event {
        case .responseBegan: perform(machine.responseBegan())
        case .endedWithoutAlert: perform(machine.responseEnded())
        case .tunnelEnded: break
        case .unreadable(let error):
            _ = machine.responseBegan()
            fail(ExchangeFailure(error))
        case .broken(let failure), .reset(let failure, _): fail(failure)
        }
    }
}
