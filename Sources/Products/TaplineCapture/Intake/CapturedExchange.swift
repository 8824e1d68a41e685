// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// An exchange of the app in progress; each method reports an event of its client or server.
///
/// **Shape**: ends exactly once, as completed, failed or cancelled; calls after the end are
/// ignored.
/// **Isolation**: any thread.
final class CapturedExchange: Sendable {
    struct State: ~Copyable {
        let held: ExchangeBox
        /// Whether the exchange began when this object was created; otherwise its times are unknown.
        let hasStart: Bool
        var requestBody = BodyCapture()
        var responseBody = BodyCapture()
        /// The stored events of the response, if it is an event stream.
        var events: CapturedEvents?
        /// By the steady clock, in microseconds, like `firstByte`.
        var begun = SteadyClock.microseconds
        var firstByte: Int64?
        /// Whether a hook has set the recorded body, so that the captured bytes do not apply.
        var hasSetRequestBody = false
        var hasSetResponseBody = false
        /// Whether a hook has set a body that cannot be passed on.
        var hasIgnoredBody = false
        /// Whether the content of the request is sent in chunks, as it arrives.
        var isStreamed = false
        /// Whether the request goes to the server.
        var isSent = true
        var isOver = false
        /// The messages before hooks changed them, restored if a change cannot be carried out.
        var formerRequest: MessageBackup<Request>?
        var formerResponse: MessageBackup<Response>?
    }

    /// A message before its hooks ran.
    struct MessageBackup<Message> {
        var message: Message
        let original: Original

        init(_ message: Message, _ original: Original) {
            self.message = message
            self.original = original
        }
    }

    /// The id of the exchange and its record.
    let id: ExchangeID
    private let intake: CaptureIntake
    /// The wire hooks that the stages had when the exchange began; others are not run.
    private let wireHooks: Hooks
    private let state: Mutex<State>

    init(
        _ id: ExchangeID,
        _ started: Timestamp,
        hasStart: Bool,
        _ request: consuming Request,
        _ lane: any Lane,
        _ intake: CaptureIntake
    ) {
        self.id = id
        self.intake = intake
        let exchange = Exchange(
            id: id,
            source: intake.pipeline.id,
            started: started,
            request: request
        )
        var context = ExchangeContext()
        lane.opened(exchange, &context)
        // After the call, which may have taken over the stages of a reload.
        wireHooks = intake.recordsOnly ? [] : lane.wireHooks
        state = Mutex(
            State(held: ExchangeBox(consume exchange, consume context), hasStart: hasStart)
        )
    }

    // MARK: The request

    /// Runs the `request` hooks of the stages, and the `response` hooks if one of them answers.
    ///
    /// - Parameter body: The content of the request, if it is known completely.
    /// - Returns: The next step, and the delay before it.
    func runRequestHooks(body: WholeBody?) -> Paused<RequestStep> {
        guard wireHooks.contains(.request) else { return Paused(.forward) }
        return state.withLock { state in
            let step = state.isOver ? nil : intake.withLane { state.runRequestHooks(body, $0) }
            return step ?? Paused(.forward)
        }
    }

    /// Records content of the request that goes to the server.
    func sent(_ content: Span<UInt8>) {
        state.withLock { state in
            guard !state.isOver, !content.isEmpty else { return }
            _ = intake.withLane { lane in
                let limit = state.held.context.isRecorded ? keptBytes : 0
                state.requestBody.append(content, upTo: limit, lane)
            }
        }
    }

    /// Counts content of the request that goes to the server and is not stored.
    func sent(uncaptured count: Int) { state.withLock { $0.requestBody.skip(count) } }

    /// Whether a request that a stage answers may still go to the server if the answer cannot be
    /// passed on.
    var mayBeSent: Bool { !intake.isOffline }

    /// Reports that a stage's change of the request cannot be carried out, and restores the
    /// request.
    func staysAsItWas() {
        state.withLock { state in
            if !state.isOver { state.takeBackRequest() }
        }
        intake.warnOnce(
            "a stage changed or answered a request that Foundation does not let it change: "
                + "the upload of a file, one with a credential, or the content of one that "
                + "follows a redirection; it was sent unchanged"
        )
    }

    /// Notes that the request has content that is not visible.
    func sendsUnseenContent() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.held.exchange.request.body = Body(bytes: [], size: nil, isTruncated: true)
        }
    }

    /// Notes that the content of the request is a stream, which reports the bytes read.
    func sendsStream() { state.withLock { $0.isStreamed = true } }

    // MARK: The response

    /// Notes that the first byte of the response has just arrived; if this is never called, the
    /// time is left out.
    func firstByteCame() {
        state.withLock { if $0.firstByte == nil { $0.firstByte = SteadyClock.microseconds } }
    }

    /// Records the response head.
    func received(_ response: consuming Response) {
        // Swapped, because a value that a closure captures is copied.
        var response = Optional(response)
        state.withLock { state in
            guard !state.isOver else { return }
            swap(&state.held.exchange.response, &response)
            let isEventStream = state.held.exchange.response?.isEventStream == true
            state.events =
                isEventStream ? CapturedEvents(limit: intake.pipeline.captureMaxBytes) : nil
        }
    }

    /// Records decoded content of the response.
    func received(_ content: Span<UInt8>) {
        state.withLock { state in
            guard !state.isOver else { return }
            _ = intake.withLane { lane in
                let limit = state.held.context.isRecorded ? keptBytes : 0
                state.responseBody.append(content, upTo: limit, lane)
                let time = Microseconds(SteadyClock.microseconds - state.begun)
                state.events?.read(content, at: time, lane)
            }
        }
    }

    /// Counts content of the response that is not stored.
    func received(uncaptured count: Int) { state.withLock { $0.responseBody.skip(count) } }

    /// The most bytes of a body that are stored.
    var keptBytes: Int { intake.pipeline.captureMaxBytes }

    /// Notes that the response has content that is not visible.
    func receivesUnseenContent() {
        state.withLock { state in
            guard !state.isOver else { return }
            state.held.exchange.response?.body = Body(bytes: [], size: nil, isTruncated: true)
        }
    }

    /// Runs the `response` hooks of the stages.
    ///
    /// - Parameter body: The content of the response, if it is known completely; otherwise hooks
    ///   cannot change it.
    /// - Returns: The next step, and the delay before it.
    func runResponseHooks(body: @autoclosure () -> WholeBody?) -> Paused<ResponseStep> {
        guard wireHooks.contains(.response) else { return Paused(.pass) }
        let body = body()
        let (step, hasIgnoredBody) = state.withLock { state in
            let step = state.isOver ? nil : intake.withLane { state.runResponseHooks(body, $0) }
            return (step, state.hasIgnoredBody)
        }
        if hasIgnoredBody {
            intake.warnOnce(
                "a stage set the body of a response that goes to a delegate or a file; "
                    + "the app received the server's body"
            )
        }
        return step ?? Paused(.pass)
    }

    /// Reports that a stage's change of the response cannot be carried out, and restores the
    /// response.
    func responseStaysAsItWas() {
        state.withLock { state in
            if !state.isOver { state.takeBackResponse() }
        }
        intake.warnOnce(
            "a stage changed a redirection, or a response that a delegate or a file already has; "
                + "the app received it unchanged"
        )
    }

    /// Begins the exchange of the request that follows a redirection; returns `nil` if capture has
    /// ended.
    func following(_ request: Request) -> CapturedExchange? { intake.begin(request) }

    /// Ends the exchange with a redirection that Foundation has followed without showing it, and begins
    /// the exchange of the request that it led to.
    ///
    /// The response is reconstructed: any status with the same effect, and the URL that was reached. The
    /// tag `redirect_hidden` says so, with the number of redirections.
    func redirected(to request: Request, hidden count: Int) -> CapturedExchange? {
        let former = state.withLock { state -> (method: ByteString, vars: Tags)? in
            guard !state.isOver else { return nil }
            state.held.exchange.tags["redirect_hidden"] = "\(count)"
            return (state.held.exchange.request.method, state.held.context.vars)
        }
        guard let (method, vars) = former else { return nil }
        let status =
            request.method != method ? 303 : method == "GET" || method == "HEAD" ? 302 : 307
        var response = Response(status: status)
        response.fields.append(name: "Location", value: request.url.description)
        received(response)
        completed()
        let next = intake.begin(request, hasStart: false)
        next?.state.withLock { $0.held.context.vars = vars }
        return next
    }

    // MARK: The end

    /// Ends the exchange with a complete response.
    func completed() { end(.completed, nil) }

    /// Ends the exchange without a response, or with a part of it.
    func failed(_ error: ExchangeError) { end(.failed, error) }

    /// Ends the exchange because the app has cancelled it.
    func cancelled() {
        end(.cancelled, ExchangeError(code: "cancelled", message: "the app cancelled the request"))
    }

    /// Ends the exchange because a stage has aborted it.
    ///
    /// - Returns: The error of the exchange; `nil` if it had already ended.
    @discardableResult
    func aborted() -> ExchangeError? {
        end(.cancelled, ExchangeError(code: "aborted", message: "aborted by a stage"))
    }

    /// Ends the exchange because the pipeline has stopped.
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
            // A stage that aborts the exchange, or makes it fail, has already set its error.
            if error?.code != "aborted" || state.held.exchange.error == nil {
                state.held.exchange.state = ended
                state.held.exchange.error = error
            }
            state.fill(isCut: ended != .completed)
            // Within the lock, so that a stopping intake sees an ended exchange only after it has
            // received it.
            return (state.held.exchange.error, intake.takes(self, heldBytes: state.heldBytes))
        }
        guard let end else { return nil }
        if !end.isTaken { abandon() }
        return end.error
    }

    /// Discards the exchange, because the intake does not accept it.
    private func abandon() {
        state.withLock { state in
            intake.abandon(state.held, heldBytes: state.heldBytes)
            state.forgetBodies()
        }
    }

    /// Passes the ended exchange to the record hooks.
    ///
    /// After that it holds no data, however long the app keeps its task.
    func record() {
        state.withLock { state in
            if state.isSent {
                state.held.exchange.estimateBytes(state.isStreamed ? .stream : .whole)
            }
            intake.finish(state.held, heldBytes: state.heldBytes)
            state.forgetBodies()
        }
    }
}

extension CapturedExchange.State {
    /// The size of the bodies that the lane accounts for.
    fileprivate var heldBytes: Int {
        requestBody.bytes.count + responseBody.bytes.count + (events?.heldBytes ?? 0)
    }

    fileprivate mutating func forgetBodies() {
        requestBody = BodyCapture()
        responseBody = BodyCapture()
        events = nil
    }

    /// Stores the captured bodies and the measured times in the exchange.
    fileprivate mutating func fill(isCut: Bool) {
        let now = SteadyClock.microseconds
        if hasStart { held.exchange.timing.total = Microseconds(now - begun) }
        if let firstByte, hasStart {
            held.exchange.timing.wait = Microseconds(firstByte - begun)
            held.exchange.timing.receive = Microseconds(now - firstByte)
        }
        events?.fill(&held.exchange)
        if !hasStart { held.exchange.timing.firstEvent = nil }
        if requestBody.size > 0, !hasSetRequestBody {
            held.exchange.request.body = requestBody.decodedBody(isCut: isCut)
        }
        guard responseBody.size > 0, !hasSetResponseBody, case .some = held.exchange.response
        else { return }
        var body = responseBody.decodedBody(isCut: isCut)
        // Foundation decodes the content; only its Content-Length, if there is one, is the size on
        // the wire.
        if let fields = held.exchange.response?.fields, fields.contains("Content-Encoding") {
            body.decodedSize = isCut ? nil : body.size
            body.size = isCut ? nil : fields.first("Content-Length")?.span.decimal
        }
        held.exchange.response?.body = body
    }
}
