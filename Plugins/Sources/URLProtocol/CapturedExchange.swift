// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFiles
public import TaplineModel
internal import TaplinePlugin

/// An exchange of the app on its way: what its client and its server do, in the past tense.
///
/// **Shape**: ends exactly once, as completed, failed or cancelled; whoever calls after that is
/// not heard.
/// **Isolation**: any thread.
public final class CapturedExchange: Sendable {
    struct State: ~Copyable {
        let held: HeldExchange
        var requestBody = BodyCapture()
        var responseBody = BodyCapture()
        /// What is kept of the events of the response, if it is a stream of them.
        var events: CapturedEvents?
        /// By the steady clock, in microseconds, as the others.
        var begun = SteadyClock.microseconds
        var firstByte: Int64?
        /// Whether a hook has set what the record has of a body, so that the kept bytes do not count.
        var hasSetRequestBody = false
        var hasSetResponseBody = false
        /// Whether a hook has set a body that nobody gets.
        var hasIgnoredBody = false
        /// Whether the content of the request is sent as it comes, in chunks.
        var isStreamed = false
        /// Whether the request goes to the server.
        var isSent = true
        var isOver = false
        /// What hooks may have changed that the app, or the server, gets all the same.
        var formerRequest: Former<Request>?
        var formerResponse: Former<Response>?
    }

    /// A message before its hooks.
    struct Former<Message> {
        var message: Message
        let original: Original

        init(_ message: Message, _ original: Original) {
            self.message = message
            self.original = original
        }
    }

    /// The id that the record will have.
    public let id: ExchangeID
    private let port: CapturePort
    private let state: Mutex<State>

    init(
        _ id: ExchangeID,
        _ started: Timestamp,
        _ request: consuming Request,
        _ lane: any Lane,
        _ port: CapturePort
    ) {
        self.id = id
        self.port = port
        let exchange = Exchange(
            id: id,
            source: port.intake.id,
            started: started,
            request: request
        )
        var context = ExchangeContext()
        lane.opened(exchange, &context)
        state = Mutex(State(held: HeldExchange(consume exchange, consume context)))
    }

    // MARK: The request

    /// Runs the `request` hooks of the stages; where one of them answers, the `response` hooks, too.
    ///
    /// - Parameter body: The content of the request, where it is known whole.
    /// - Returns: What is to be done, and how long to wait before that.
    public func runRequestHooks(body: WholeBody?) -> Paused<RequestStep> {
        guard port.wireHooks.contains(.request) else { return Paused(.forward) }
        return state.withLock { state in
            let step = state.isOver ? nil : port.withLane { state.runRequestHooks(body, $0) }
            return step ?? Paused(.forward)
        }
    }

    /// Content of the request goes to the server.
    public func sent(_ content: Span<UInt8>) {
        state.withLock { state in
            guard !state.isOver, !content.isEmpty else { return }
            _ = port.withLane { lane in
                state.requestBody.append(content, upTo: port.intake.captureMaxBytes, lane)
            }
        }
    }

    /// As many bytes more of the request go to the server, and are not kept.
    public func sent(unkept count: Int) { state.withLock { $0.requestBody.skip(count) } }

    /// Whether what stages answer may still go to the server, where the answer cannot be given.
    public var mayBeSent: Bool { !port.isOffline }

    /// What a stage has put in its place was not sent, since that is not possible here.
    public func staysAsItWas() {
        state.withLock { state in
            if !state.isOver { state.takeBackRequest() }
        }
        port.warnOnce(
            "a stage has changed or answered a request where Foundation does not allow it: of a file, "
                + "with a credential, or the content of one that follows; it was sent as it was"
        )
    }

    /// The content of the request is not seen, though there is some.
    public func sendsUnseenContent() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.held.exchange.request.body = Body(bytes: [], size: nil, isTruncated: true)
        }
    }

    /// The content of the request is a stream, and tells of what is read.
    public func sendsStream() { state.withLock { $0.isStreamed = true } }

    // MARK: The response

    /// The first byte of the response came just now; where that is not known, it is left out.
    public func firstByteCame() {
        state.withLock { if $0.firstByte == nil { $0.firstByte = SteadyClock.microseconds } }
    }

    /// The head of the response came.
    public func received(_ response: consuming Response) {
        // Exchanged, since what a closure takes from around it is copied.
        var response = Optional(response)
        state.withLock { state in
            guard !state.isOver else { return }
            swap(&state.held.exchange.response, &response)
            let isEventStream = state.held.exchange.response?.isEventStream == true
            state.events =
                isEventStream ? CapturedEvents(limit: port.intake.captureMaxBytes) : nil
        }
    }

    /// Content of the response came, decoded.
    public func received(_ content: Span<UInt8>) {
        state.withLock { state in
            guard !state.isOver else { return }
            _ = port.withLane { lane in
                state.responseBody.append(content, upTo: port.intake.captureMaxBytes, lane)
                let time = Microseconds(SteadyClock.microseconds - state.begun)
                state.events?.read(content, at: time, lane)
            }
        }
    }

    /// As many bytes more of the response came, and are not kept.
    public func received(unkept count: Int) { state.withLock { $0.responseBody.skip(count) } }

    /// How many bytes of a body are kept.
    public var keptBytes: Int { port.intake.captureMaxBytes }

    /// The content of the response is not seen, though there is some.
    public func receivesUnseenContent() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.held.exchange.response?.body = Body(bytes: [], size: nil, isTruncated: true)
        }
    }

    /// Runs the `response` hooks of the stages.
    ///
    /// - Parameter body: The content of the response, where it is known whole; otherwise it stays as it
    ///   is, whatever they set.
    /// - Returns: What is to be done, and how long to wait before that.
    public func runResponseHooks(body: @autoclosure () -> WholeBody?) -> Paused<ResponseStep> {
        guard port.wireHooks.contains(.response) else { return Paused(.pass) }
        let body = body()
        let (step, hasIgnoredBody) = state.withLock { state in
            let step = state.isOver ? nil : port.withLane { state.runResponseHooks(body, $0) }
            return (step, state.hasIgnoredBody)
        }
        if hasIgnoredBody {
            port.warnOnce(
                "a stage has set the body of a response that goes to a delegate or a file; "
                    + "the app got the one of the server"
            )
        }
        return step ?? Paused(.pass)
    }

    /// What stages have made of the response does not reach the app, since that is not possible here.
    public func responseStaysAsItWas() {
        state.withLock { state in
            if !state.isOver { state.takeBackResponse() }
        }
        port.warnOnce(
            "a stage has changed a redirection, or what a delegate or a file has got by then; "
                + "the app got it as it was"
        )
    }

    /// The exchange of the request that follows a redirection; `nil` if nothing is captured any
    /// more.
    public func following(_ request: Request) -> CapturedExchange? { port.begin(request) }

    // MARK: The end

    /// The response is whole.
    public func completed() { end(.completed, nil) }

    /// There is no response, or not all of it.
    public func failed(_ error: ExchangeError) { end(.failed, error) }

    /// The app has given it up.
    public func cancelled() {
        end(.cancelled, ExchangeError(code: "cancelled", message: "the app cancelled the request"))
    }

    /// A stage has broken it off.
    ///
    /// - Returns: The error with which it has ended; `nil` if it was over before.
    @discardableResult
    public func aborted() -> ExchangeError? {
        end(.cancelled, ExchangeError(code: "aborted", message: "aborted by a stage"))
    }

    /// The pipeline has stopped before the exchange was over.
    func stopped() {
        end(
            .cancelled,
            ExchangeError(
                code: "stopped",
                message: "the pipeline stopped before the exchange was over"
            )
        )
    }

    @discardableResult
    private func end(_ ended: ExchangeState, _ error: ExchangeError?) -> ExchangeError? {
        let end = state.withLock { state -> (error: ExchangeError?, isTaken: Bool)? in
            guard !state.isOver else { return nil }
            state.isOver = true
            // A stage that aborts, or has it fail, has said so already.
            if error?.code != "aborted" || state.held.exchange.error == nil {
                state.held.exchange.state = ended
                state.held.exchange.error = error
            }
            state.fill(isCut: ended != .completed)
            // Within the lock: for who stops the port it is over only once the port has it.
            return (state.held.exchange.error, port.takes(self, heldBytes: state.heldBytes))
        }
        guard let end else { return nil }
        if !end.isTaken { abandon() }
        return end.error
    }

    /// There will be no record of it, since nobody takes that.
    private func abandon() {
        state.withLock { state in
            port.abandon(state.held, heldBytes: state.heldBytes)
            state.forgetBodies()
        }
    }

    /// Hands it to the record hooks, once it has ended; after that it holds nothing any more, however
    /// long the app keeps its task.
    func record() {
        state.withLock { state in
            if state.isSent {
                state.held.exchange.estimateBytes(state.isStreamed ? .stream : .whole)
            }
            port.finish(state.held, heldBytes: state.heldBytes)
            state.forgetBodies()
        }
    }
}

extension CapturedExchange.State {
    /// What the lane holds for the bodies.
    fileprivate var heldBytes: Int {
        requestBody.bytes.count + responseBody.bytes.count + (events?.heldBytes ?? 0)
    }

    fileprivate mutating func forgetBodies() {
        requestBody = BodyCapture()
        responseBody = BodyCapture()
        events = nil
    }

    /// Puts what was kept and measured into the exchange.
    fileprivate mutating func fill(isCut: Bool) {
        let now = SteadyClock.microseconds
        held.exchange.timing.total = Microseconds(now - begun)
        if let firstByte {
            held.exchange.timing.wait = Microseconds(firstByte - begun)
            held.exchange.timing.receive = Microseconds(now - firstByte)
        }
        events?.fill(&held.exchange)
        if requestBody.size > 0, !hasSetRequestBody {
            held.exchange.request.body = requestBody.decodedBody(isCut: isCut)
        }
        guard responseBody.size > 0, !hasSetResponseBody, case .some = held.exchange.response
        else { return }
        var body = responseBody.decodedBody(isCut: isCut)
        // What was decoded on the way does not tell the size on the wire.
        if held.exchange.response?.fields.contains("Content-Encoding") == true {
            body.decodedSize = isCut ? nil : body.size
            body.size = nil
        }
        held.exchange.response?.body = body
    }
}
