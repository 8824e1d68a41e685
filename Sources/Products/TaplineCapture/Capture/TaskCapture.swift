// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The data about a task beyond its request, and its current exchange.
///
/// The code that creates a task may know its body, or where its response goes. For a task that only
/// Foundation has created, this cannot be determined.
final class TaskCapture: Sendable {
    /// The body that a task uploads.
    enum Upload: Sendable {
        /// There is no body apart from the request's.
        case none
        case data(Data)
        case file(URL)
        /// A stream that is recorded as it is read.
        case stream
        /// There is a body that is not visible.
        case unseen
    }

    /// The place where the response body, and its end, are visible.
    enum BodyVisibility: Sendable {
        /// In the completion handler, complete.
        case handler
        /// In the completion handler, or in a delegate of the app, which receives the head first.
        case handlerOrDelegate
        /// In a delegate or a file of Tapline, which then ends the exchange.
        case elsewhere
        /// Nowhere.
        case none
    }

    /// The answer to Foundation's question about a redirection.
    struct Redirect: Sendable {
        let answer: @Sendable () -> Void
        /// The time after which Foundation's own timeout may have passed; an answer after it causes
        /// a trap.
        let until: ContinuousClock.Instant

        var isTooLate: Bool { .now >= until }
    }

    let upload: Upload
    let visibility: BodyVisibility
    private struct State: ~Copyable {
        /// The task; the table may hold another capture for it.
        weak var task: URLSessionTask?
        /// The current exchange, and the gate of its response.
        var exchange: CapturedExchange?
        var gate = ResponseGate()
        var queueHop: LoadingQueueHop?
        var redirect: Redirect?
        /// The request of a redirection that a stage has answered.
        var answeredRequest: URLRequest?
        /// How many redirections are accounted for.
        var hops = 0
        var isObserved = true
        /// The error that the app receives instead of a cancellation.
        var error: URLError?
        /// Notifies the app of the end of a complete response whose abortion is delayed.
        var end: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    init(upload: Upload, visibility: BodyVisibility) {
        self.upload = upload
        self.visibility = visibility
    }

    /// Creates a capture for a request; if the request has a stream, it is recorded as it is read.
    convenience init(_ request: inout URLRequest, _ visibility: BodyVisibility) {
        let stream = request.httpBodyStream
        self.init(upload: stream == nil ? .none : .stream, visibility: visibility)
        if let stream { request.httpBodyStream = TeeStream(stream, self) }
    }

    /// Creates a capture for a task that was created elsewhere.
    convenience init(of task: URLSessionTask) {
        let delegate = task.delegate
        let visibility: BodyVisibility =
            task is URLSessionDownloadTask
            ? .none : delegate == nil ? .handler : .handlerOrDelegate
        self.init(
            upload: (task as? URLSessionUploadTask).map(FoundationTask.upload) ?? .none,
            visibility: visibility
        )
        // Foundation's own blocking calls, if a session of Tapline has created the task.
        if delegate is TapDelegate { note(task) }
    }

    /// The current exchange of the task.
    var exchange: CapturedExchange? { state.withLock { $0.exchange } }

    /// Begins an exchange of the task: its first, that of a redirection, or that of a request with a
    /// credential.
    func begin(_ exchange: CapturedExchange?) {
        state.withLock { state in
            state.exchange = exchange
            state.gate = ResponseGate()
        }
    }

    /// Begins the exchange of the last of some redirections.
    func beginHops(_ count: Int, _ exchange: CapturedExchange?) {
        state.withLock { state in
            state.exchange = exchange
            state.gate = ResponseGate()
            state.hops += count
        }
    }

    /// How many redirections are accounted for.
    var hops: Int { state.withLock { $0.hops } }

    /// The way back to Foundation's loading queue, while the task is captured.
    var queueHop: LoadingQueueHop? {
        get { state.withLock { $0.queueHop } }
        set { state.withLock { $0.queueHop = newValue } }
    }

    /// Whether one of Tapline's protocol objects loads the task: if Foundation sends a request
    /// again with a credential, it uses its own.
    var isObserved: Bool { state.withLock { $0.isObserved } }

    /// Notes that Foundation sends the request again with a credential.
    func noteUnobservedRequest() { state.withLock { $0.isObserved = false } }

    /// The error that the app receives instead of a cancellation.
    var error: URLError? { state.withLock { $0.error } }

    /// Answers Foundation's question about a redirection on the loading queue.
    ///
    /// Only there is it certain that the task is not cancelled at the same time, which would make
    /// Foundation trap.
    func answer(
        _ task: URLSessionTask,
        after delay: Microseconds = Microseconds(0),
        _ redirect: @escaping @Sendable () -> Void
    ) {
        guard isObserved, let queueHop, FoundationTask.isUnderstood else {
            return FoundationTask.ifOnItsWay(task, redirect)
        }
        let rest = FoundationProtocol.timeLimitAtHead(of: task)
        let answer = Redirect(answer: redirect, until: .now + .seconds(rest))
        state.withLock { $0.redirect = answer }
        // The answer retains this object, and for a cancelled task it would never be taken.
        guard task.isOnItsWay else { return dropRedirect() }
        queueHop.after(min(delay, Microseconds(.seconds(rest))), task)
    }

    /// Takes the pending answer, once.
    func takeRedirect() -> Redirect? { state.withLock { $0.redirect.take() } }

    /// Discards the pending answer.
    func dropRedirect() { _ = takeRedirect() }
}

// MARK: - The response

extension TaskCapture {
    /// Whether the app must not receive what Foundation loads.
    var dropsBody: Bool { state.withLock { $0.gate.dropsBody } }

    /// Whether a stage aborts the task.
    var isAborting: Bool { state.withLock { $0.gate.isAborting } }

    /// Whether the response hooks have yet to run.
    var isOpen: Bool { state.withLock { $0.gate.isOpen } }

    /// Runs the response hooks on the current exchange, unless they have run; returns what happens to
    /// the response.
    func runResponseHooks(
        _ delivery: ResponseGate.Delivery,
        of task: URLSessionTask?,
        body: @autoclosure () -> WholeBody? = nil
    ) -> ResponseGate.Action {
        let (mayRun, exchange) = state.withLock { ($0.gate.hooksBegin(), $0.exchange) }
        guard mayRun else { return .none }
        var outcome = exchange?.runResponseHooks(body: body()) ?? Paused(.pass)
        if case .replace = outcome.step, !delivery.isReplaceable {
            exchange?.responseStaysAsItWas()
            outcome = Paused(.pass, delay: outcome.delay)
        }
        // Asking Foundation for its timeouts is expensive.
        var limit: Microseconds?
        if outcome.delay.count > 0, let task {
            // While a stage aborts an unfinished response, Foundation's own timeout is running.
            let atHead = outcome.step == .abort && delivery.isUnfinished
            limit = FoundationProtocol.delayLimit(of: task, atHead: atHead)
        }
        return state.withLock {
            $0.gate.hooksDone(outcome.step, delay: outcome.delay, delivery, limit: limit)
        }
    }

    /// Returns what happens now that Foundation has loaded the whole response.
    func responseEnded() -> ResponseGate.Action { state.withLock { $0.gate.responseEnded() } }

    /// Returns what happens after a pause.
    func pauseOver() -> ResponseGate.Action { state.withLock { $0.gate.pauseOver() } }

    /// Lets no more of the response pass, because the exchange has failed or is cancelled.
    func close() { state.withLock { $0.gate.close() } }

    /// Answers the request of a redirection with the response of a stage, once Foundation has ended
    /// with the redirection.
    func answer(_ response: Response, to request: URLRequest) {
        state.withLock { state in
            state.gate.answered(response)
            state.answeredRequest = request
        }
    }

    /// Takes the request of a redirection that a stage has answered.
    func takeAnsweredRequest() -> URLRequest? { state.withLock { $0.answeredRequest.take() } }

    /// Aborts the task for a stage that does not want its request to be sent.
    func abort(_ task: URLSessionTask, after delay: Microseconds) {
        let limit = FoundationProtocol.delayLimit(of: task, atHead: true)
        let action = state.withLock { $0.gate.abort(after: delay, limit: limit) }
        if case .abort(let delay) = action { scheduleAbortion(of: task, after: delay) }
    }

    /// Makes Foundation cancel a task for a stage, after a delay.
    func scheduleAbortion(of task: URLSessionTask, after delay: Microseconds) {
        // Not on this queue, because cancelling waits for Foundation's loading queue.
        DispatchQueue.global().after(delay) { [self, weak task] in
            guard let failure = state.withLock({ $0.gate.abortDue() }) else { return }
            let error = fail(failure)
            let end = state.withLock { state in
                state.error = error
                return state.end.take()
            }
            task?.cancel()
            end?()
        }
    }

    /// Ends the exchange with the failure of a gate; returns the error for the app.
    func fail(_ failure: ResponseGate.Failure) -> URLError {
        switch failure {
        case .aborted: return URLError(exchange?.aborted())
        case .timedOut:
            let error = URLError(.timedOut)
            exchange?.failed(ExchangeError(error))
            return error
        }
    }

    /// Finishes a complete response that none of Tapline's protocol objects has loaded, with the
    /// error that replaces it, if any: at once, or on a queue after the delay that a stage has
    /// requested.
    func finish(
        on queue: OperationQueue,
        _ end: @escaping @Sendable (URLError?) -> Void
    ) {
        let (action, error) = state.withLock { state -> (ResponseGate.Action?, URLError?) in
            let action = state.gate.responseEnded()
            guard state.gate.isAborting, state.error == nil else { return (action, state.error) }
            // The abortion, which is delayed, notifies the app.
            state.end = { [self] in queue.addOperation { end(self.error) } }
            return (nil, nil)
        }
        switch action {
        case nil: break
        case .pause(let delay):
            DispatchQueue.global().after(delay) { [self] in
                queue.addOperation { [self] in
                    if case .fail(let failure) = pauseOver() {
                        end(fail(failure))
                    } else {
                        end(nil)
                    }
                }
            }
        default: end(error)
        }
    }
}

extension TaskCapture {
    private struct Table {
        var captures: [ObjectIdentifier: TaskCapture] = [:]
        var limit = 64
    }

    private static let table = Mutex(Table())

    /// Returns the capture of a task that sends this request, and creates one if necessary.
    static func of(_ task: URLSessionTask, sending request: URLRequest) -> TaskCapture {
        if let capture = of(task) { return capture }
        guard let stream = request.httpBodyStream as? TeeStream else {
            return TaskCapture(of: task)
        }
        stream.capture.note(task)
        return stream.capture
    }

    /// Returns the capture of a task.
    static func of(_ task: URLSessionTask) -> TaskCapture? {
        let capture = table.withLock { $0.captures[ObjectIdentifier(task)] }
        // After the task is deallocated, another one may have the same address.
        guard let capture, capture.task === task else { return nil }
        return capture
    }

    private(set) var task: URLSessionTask? {
        get { state.withLock { $0.task } }
        set { state.withLock { $0.task = newValue } }
    }

    /// Stores the capture of a task, and returns the task.
    func noted<Task: URLSessionTask>(_ task: Task) -> Task {
        note(task)
        return task
    }

    /// Stores the capture of a task for the task's lifetime.
    ///
    /// Foundation on Linux loses the properties of a request, and a task has no place for them.
    func note(_ task: URLSessionTask) {
        self.task = task
        Self.table.withLock { table in
            if table.captures.count >= table.limit {
                table.captures = table.captures.filter { $0.value.task != nil }
                table.limit = max(64, table.captures.count * 2)
            }
            table.captures[ObjectIdentifier(task)] = self
        }
    }

    /// Removes the capture of its task, which has ended.
    func forget() {
        if let task { TaskCapture.forget(task) }
    }

    /// Removes the capture of a task that has ended.
    static func forget(_ task: URLSessionTask) {
        // The capture is released after the lock.
        _ = table.withLock { $0.captures.removeValue(forKey: ObjectIdentifier(task)) }
    }
}
