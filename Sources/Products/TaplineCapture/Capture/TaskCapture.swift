// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TaplineModel
internal import URLProtocolSource

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

    /// A stage's answer to the request of a redirection, which Foundation then does not follow.
    struct Answered: Sendable {
        let response: Response
        let request: URLRequest

        init(_ response: Response, to request: URLRequest) {
            self.response = response
            self.request = request
        }
    }

    /// Whether a stage aborts the task.
    private enum BreakOff {
        case none
        /// The requested delay is not over yet; the closure runs when it is.
        case due(end: (@Sendable () -> Void)?)
        case done(URLError)
    }

    /// A response that none of Tapline's protocol objects loads.
    private struct Unobserved {
        /// Whether the stages have run on it.
        var isSeen = false
        /// The delay of its end.
        var delay = Microseconds(0)
    }

    let upload: Upload
    let visibility: BodyVisibility
    private struct State {
        /// The task; the table may hold another capture for it.
        weak var task: URLSessionTask?
        var exchange: CapturedExchange?
        var queueHop: LoadingQueueHop?
        var redirect: Redirect?
        var answered: Answered?
        var unobserved: Unobserved?
        var breakOff = BreakOff.none
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

    /// The current exchange of the task; each redirection begins a new one.
    var exchange: CapturedExchange? {
        get { state.withLock { $0.exchange } }
        set { state.withLock { $0.exchange = newValue } }
    }

    /// The way back to Foundation's loading queue, while the task is captured.
    var queueHop: LoadingQueueHop? {
        get { state.withLock { $0.queueHop } }
        set { state.withLock { $0.queueHop = newValue } }
    }

    /// Whether one of Tapline's protocol objects loads the task: if Foundation sends a request
    /// again with a credential, it uses its own.
    var isObserved: Bool { state.withLock { $0.unobserved == nil } }

    /// Notes that Foundation sends the request again with a credential.
    func noteUnobservedRequest() { state.withLock { $0.unobserved = Unobserved() } }

    /// Notes the response to that request; returns whether the stages have yet to run on it.
    func noteUnobservedResponse() -> Bool {
        state.withLock { state in
            guard state.unobserved?.isSeen == false else { return false }
            state.unobserved?.isSeen = true
            return true
        }
    }

    /// Returns how long to delay the task, as `FoundationProtocol.pause` does.
    func pause(_ delay: Microseconds) -> (delay: Microseconds, error: URLError?) {
        task.map { FoundationProtocol.pause(delay, $0) } ?? (delay, nil)
    }

    /// Sets how long the app's notification of the end is delayed.
    func holdsEnd(for delay: Microseconds) {
        state.withLock { $0.unobserved?.delay = delay }
    }

    /// The response that the app receives instead of a redirection.
    var answered: Answered? {
        get { state.withLock { $0.answered } }
        set { state.withLock { $0.answered = newValue } }
    }

    /// Whether a stage aborts the task, so that no more of the response reaches the app.
    var isBrokenOff: Bool {
        state.withLock { if case .none = $0.breakOff { false } else { true } }
    }

    /// The error that the app receives instead of a cancellation.
    var broken: URLError? {
        state.withLock { if case .done(let error) = $0.breakOff { error } else { nil } }
    }

    /// Whether the loaded response is passed to the app: no stage has aborted or answered it.
    var isPassedOn: Bool {
        state.withLock { if case .none = $0.breakOff { $0.answered == nil } else { false } }
    }

    /// Makes Foundation cancel a task for a stage, after the delay that the stage requested.
    func breakOff(
        _ task: URLSessionTask,
        _ exchange: CapturedExchange?,
        after delay: Microseconds
    ) {
        state.withLock { $0.breakOff = .due(end: nil) }
        let pause = FoundationProtocol.pauseAtHead(delay, task)
        // Not on this queue, because cancelling waits for Foundation's loading queue.
        DispatchQueue.global().after(pause.delay) { [self, weak task] in
            if let late = pause.error { exchange?.failed(ExchangeError(late)) }
            let error = pause.error ?? URLError(exchange?.aborted())
            let former = state.withLock { state in
                let former = state.breakOff
                state.breakOff = .done(error)
                return former
            }
            task?.cancel()
            if case .due(let end?) = former { end() }
        }
    }

    /// Finishes a complete response that none of Tapline's protocol objects has loaded, with the
    /// error that replaces it, if any: at once, or on a queue after the delay that a stage has
    /// requested.
    func atEnd(on queue: OperationQueue, _ end: @escaping @Sendable (URLError?) -> Void) {
        let (isOver, delay) = state.withLock { state -> (Bool, Microseconds?) in
            guard case .due = state.breakOff else {
                return (true, state.unobserved?.delay)
            }
            state.breakOff = .due { [self] in queue.addOperation { end(self.broken) } }
            return (false, nil)
        }
        guard isOver else { return }
        guard let delay, delay.count > 0 else { return end(broken) }
        DispatchQueue.global().after(delay) { queue.addOperation { end(nil) } }
    }

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

    private var task: URLSessionTask? {
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
