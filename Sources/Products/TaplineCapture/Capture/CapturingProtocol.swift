// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The protocol class that Foundation instantiates for each request of a captured session.
///
/// Foundation's own protocol object does the loading, on the same task: redirections, credentials,
/// cookies, cache, timeouts, uploads and downloads work as in an app without Tapline. This class
/// wraps that object and observes the traffic. Only a request that a stage has changed is sent
/// another way, through a separate session of Tapline.
///
/// ```
/// request hooks ─┬─▶ native ──▶ LoadingObserver ──┐
///    ▲           ├─▶ SubstituteRequest ───────────┼─▶ response hooks ─┬─▶ the app
///    │           └─▶ answered, or aborted ────────┘                   │
///    └──────────── Redirection that Foundation has not seen ◀─────────┘
/// ```
/// **Isolation**: Foundation's loading queue: its client must not be called on any other.
class CapturingProtocol: URLProtocol {
    private enum Phase {
        case fresh
        /// A stage has requested a delay; the closure continues after it.
        case pausing(() -> Void)
        /// Foundation loads.
        case native(URLProtocol)
        /// A changed request is sent instead of this one.
        case substituting(SubstituteRequest)
        /// The app is asked whether to follow a redirection.
        case asking(Redirection)
        /// The app has received everything.
        case over
    }

    /// The number of the tap that the class belongs to.
    class var number: Int { TapRegistry.app }

    private var phase = Phase.fresh
    private var capture: TaskCapture?
    private var exchange: CapturedExchange? { capture?.exchange }
    private var observer: LoadingObserver?
    /// The current request: that of the task, or one that has replaced it.
    private lazy var sent = request
    private var redirections = 0
    /// Whether the response has no content for the app.
    private lazy var isHead = request.httpMethod == "HEAD"
    let queueHop = LoadingQueueHop()

    /// Whether the class accepts requests now: Foundation keeps asking it after `unregisterClass`.
    class var isWanted: Bool { TapRegistry.port(of: number) != nil }

    /// Whether a task is captured.
    class func captures(_ task: URLSessionTask) -> Bool { true }

    override class func canInit(with request: URLRequest) -> Bool {
        isLoadable(request) && isWanted
    }

    /// As Foundation's own class compares them: in capitals it loads neither.
    private static func isLoadable(_ request: URLRequest) -> Bool {
        request.url?.scheme == "http" || request.url?.scheme == "https"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// The client that notifies the app; `nil` once the app has been notified of the end.
    ///
    /// If a task is cancelled while it ends, Foundation reports a second failure itself, and traps
    /// because the task is already unregistered.
    override var client: (any URLProtocolClient)? {
        get { isOver ? nil : super.client }
        set { super.client = newValue }
    }

    /// Whether the app has been notified of the end, by this object or by Foundation's.
    private var isOver: Bool { hasReportedEnd || observer?.isOver == true }
    private var hasReportedEnd = false

    override func startLoading() {
        if case .fresh = phase { return begin() }
        // The app suspended the task and resumed it.
        if case .native(let native) = phase { native.startLoading() }
        goOn()
    }

    /// Continues after a wait: when the loading queue is reached again or, if the app has suspended
    /// the task in the meantime, when the task is resumed.
    func goOn() {
        // Foundation traps if it receives a callback after a cancellation.
        guard queueHop.isDue, task?.state == .running, !isOver else { return }
        switch phase {
        case .fresh, .over: break
        case .pausing(let then): then()
        case .native:
            observer?.release()
            if let redirect = capture?.takeRedirect() { answer(redirect) }
        case .substituting(let substitute): if let result = substitute.result { finish(result) }
        case .asking(let redirection):
            if let answer = redirection.answer { go(redirection, answer) }
        }
    }

    override func stopLoading() {
        // A cancelled task has its error by now, but its state may still be that of a suspended
        // task.
        guard !isOver else { return }
        guard let task, task.error != nil else {
            // In any other state Foundation treats the task as cancelled, and traps if it has no
            // error yet.
            if case .native(let native) = phase, task?.state == .suspended { native.stopLoading() }
            return
        }
        switch phase {
        case .native(let native):
            native.stopLoading()
            observer?.reportBroken(native)
        case .substituting(let substitute): substitute.cancel()
        case .fresh, .pausing, .asking, .over: break
        }
        phase = .over
        observer?.giveUp()
        capture?.dropRedirect()
        exchange?.cancelled()
    }

    private func answer(_ redirect: TaskCapture.Redirect) {
        guard redirect.isTooLate else { return redirect.answer() }
        fail(URLError(.timedOut))
        observer?.end()
    }

    // MARK: The request

    private func begin() {
        guard let task else { return }
        let port = Self.captures(task) ? TapRegistry.port(of: Self.number) : nil
        guard let exchange = port?.begin(Request(request)) else {
            // The guards around Foundation's traps also apply to a task that is not captured.
            capture = TaskCapture(upload: .none, visibility: .elsewhere)
            return load()
        }
        let capture = TaskCapture.of(task, sending: request)
        capture.exchange = exchange
        capture.queueHop = queueHop
        queueHop.begin(for: self)
        self.capture = capture
        let next = exchange.runRequestHooks(body: requestBody(capture, exchange))
        // Nearly all requests continue at once, and a closure would cost as much as starting them.
        guard next.delay.count > 0 else { return take(next.step) }
        pause(next.delay) { [unowned self] in take(next.step) }
    }

    /// Continues after the delay that a stage has requested, or at once if there is none.
    private func pause(_ delay: Microseconds, then: @escaping () -> Void) {
        guard delay.count > 0, let task else { return then() }
        let pause = FoundationProtocol.pause(delay, task)
        phase = .pausing { [unowned self] in
            if let error = pause.error { fail(error) } else { then() }
        }
        queueHop.after(pause.delay, task)
    }

    /// Passes on the body of the request; returns `nil` if it is not known completely.
    private func requestBody(_ capture: TaskCapture, _ exchange: CapturedExchange) -> WholeBody? {
        switch capture.upload {
        case .data(let data): return exchange.sends(data)
        case .none where request.httpBodyStream == nil:
            return exchange.sends(request.httpBody ?? Data())
        case .file(let file):
            exchange.sends(file)
            return nil
        case .stream:
            exchange.sendsStream()
            return nil
        case .none, .unseen:
            exchange.sendsUnseenContent()
            return nil
        }
    }

    /// Whether the body of the request is available for sending it another way.
    private var isBodyAvailable: Bool {
        if redirections > 0 { return true }
        return switch capture?.upload {
        case .some(.none), .data: true
        case .stream: request.httpBodyStream != nil
        case nil, .file, .unseen: false
        }
    }

    private func take(_ step: RequestStep) {
        // Foundation accepts no file from here, and a body that is not visible would be lost.
        let isDownload = task is URLSessionDownloadTask
        switch step {
        case .forward where redirections > 0: sendSubstitute(sent)
        case .forward: load()
        case .abort: abort()
        case .answer(let response) where !isDownload: answer(response, from: sent.url)
        case .send(let changed) where !isDownload && isBodyAvailable: send(changed)
        case .answer, .send:
            guard exchange?.mayBeSent != false else { return fail(.notAnswerable) }
            exchange?.staysAsItWas()
            load()
        }
    }

    /// Starts Foundation's own loading.
    private func load() {
        guard let task, let client, let capture else { return }
        guard let type = FoundationProtocol.type(for: request, of: task) else {
            return fail(URLError(.unsupportedURL))
        }
        let observer = LoadingObserver(client, capture, task, owner: self)
        self.observer = observer
        let inner = type.init(task: task, cachedResponse: cachedResponse, client: observer)
        phase = .native(inner)
        inner.startLoading()
    }

    /// Sends a changed request instead of this one.
    private func send(_ changed: Request) {
        guard let request = URLRequest(changed, in: sent) else { return fail(URLError(.badURL)) }
        sendSubstitute(request)
    }

    private func sendSubstitute(_ request: URLRequest) {
        guard let task else { return }
        guard Self.isLoadable(request) else { return fail(URLError(.unsupportedURL)) }
        sent = request
        let configuration = FoundationProtocol.configuration(of: task)
        let substitute = SubstituteRequest(request, in: configuration) { [queueHop] in
            queueHop.after(Microseconds(0), task)
        }
        phase = .substituting(substitute)
        substitute.start()
    }

    // MARK: The response

    /// Continues when the complete response to a changed request has arrived.
    private func finish(_ result: Result<(HTTPURLResponse, Data), any Error>) {
        switch result {
        case .failure(let error):
            exchange?.failed(ExchangeError(error))
            report { $0.urlProtocol(self, didFailWithError: error) }
        case .success((let response, let data)):
            // Capture has ended.
            guard let exchange else { return end(response, data) }
            exchange.received(Response(response))
            exchange.received(data.span)
            let next = exchange.runResponseHooks(body: WholeBody(data))
            pause(next.delay) { [unowned self] in
                switch next.step {
                case .abort: abort()
                case .replace(let changed): answer(changed, from: response.url)
                case .pass: end(response, data)
                }
            }
        }
    }

    /// Continues with a stage's answer after Foundation has loaded something else, and counts the
    /// redirections that Foundation did not report.
    func answer(_ answered: TaskCapture.Answered, after redirections: Int = 0) {
        self.redirections += redirections
        sent = answered.request
        answer(answered.response, from: sent.url)
    }

    /// Passes a response made by a stage to the app.
    private func answer(_ response: Response, from url: URL?) {
        guard let head = HTTPURLResponse(response, url: url) else {
            return fail(URLError(.badServerResponse))
        }
        if let task, response.fields.contains("Set-Cookie") {
            FoundationProtocol.keepCookies(of: head, for: task)
        }
        end(head, Data(response.body.bytes))
    }

    /// Ends with a complete response: passes it to the app, or follows its redirection.
    private func end(_ response: HTTPURLResponse, _ data: Data) {
        guard let task, let redirection = Redirection(response, data, to: sent) else {
            exchange?.completed()
            return report(response, data)
        }
        guard redirections < Redirection.limit else { return fail(URLError(.httpTooManyRedirects)) }
        exchange?.completed()
        phase = .asking(redirection)
        redirection.ask(task) { [queueHop] in queueHop.after(Microseconds(0), task) }
    }

    private func go(_ redirection: Redirection, _ answer: Redirection.Answer) {
        guard case .follow(let request) = answer else {
            return report(redirection.response, redirection.body)
        }
        let next = request.asFollowing
        redirections += 1
        sent = next
        isHead = next.httpMethod == "HEAD"
        let exchange = exchange?.following(Request(next))
        capture?.exchange = exchange
        guard let exchange else { return sendSubstitute(next) }
        let step = exchange.runRequestHooks(body: exchange.sends(Data()))
        pause(step.delay) { [unowned self] in take(step.step) }
    }

    private func abort() {
        let error = exchange?.aborted()
        report { $0.urlProtocol(self, didFailWithError: URLError(error)) }
    }

    private func fail(_ error: URLError) {
        exchange?.failed(ExchangeError(error))
        report { $0.urlProtocol(self, didFailWithError: error) }
    }

    private func report(_ response: HTTPURLResponse, _ data: Data) {
        // Foundation would ask the app for a credential and send it to the URL where the task
        // began.
        let isFinal = redirections > 0 || exchange?.mayBeSent == false
        let response = isFinal ? response.withoutChallenge : response
        report(hasEnd: !response.isChallenge) { client in
            client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            // In one part, because Foundation passes only the last of several parts to a completion
            // handler.
            if !isHead, !data.isEmpty {
                client.urlProtocol(self, didLoad: data)
            }
            client.urlProtocolDidFinishLoading(self)
        }
    }

    private func report(hasEnd: Bool = true, _ events: (any URLProtocolClient) -> Void) {
        phase = .over
        guard let client else { return }
        hasReportedEnd = hasEnd
        if hasEnd, let task { TaskCapture.forget(task) }
        events(client)
    }
}
