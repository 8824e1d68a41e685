// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// What is known of a task beside its request, and the exchange that it is at.
///
/// Whoever makes a task may know its body, or sees where the response goes; of a task that Foundation
/// alone has made this is not to be found out.
final class TaskCapture: Sendable {
    /// The body that a task uploads.
    enum Upload: Sendable {
        /// There is none beside that of the request.
        case none
        case data(Data)
        case file(URL)
        /// A stream that is seen as it is read.
        case stream
        /// There is one that is not seen.
        case unseen
    }

    /// Where the body of the response is seen, and its end.
    enum Sight: Sendable {
        /// Where Foundation hands it to a completion handler, whole.
        case handler
        /// There, or at a delegate of the app's, which is told of the head first.
        case handlerOrDelegate
        /// At a delegate or a file of ours: whoever looks there ends the exchange.
        case elsewhere
        /// Nowhere.
        case none
    }

    /// The answer to what Foundation asks of a redirection.
    struct Redirect: Sendable {
        let answer: @Sendable () -> Void
        /// After this Foundation's own time limit may be over, and it traps where it is answered.
        let until: ContinuousClock.Instant

        var isTooLate: Bool { .now >= until }
    }

    /// What a stage has answered to the request of a redirection, which Foundation does not follow then.
    struct Answered: Sendable {
        let response: Response
        let request: URLRequest

        init(_ response: Response, to request: URLRequest) {
            self.response = response
            self.request = request
        }
    }

    /// Whether a stage breaks a task off.
    private enum BreakOff {
        case none
        /// The pause is not over that it has asked for; what is to be done then.
        case due(end: (@Sendable () -> Void)?)
        case done(URLError)
    }

    /// A response that no protocol object of ours loads.
    private struct Unobserved {
        /// Whether the stages have seen it.
        var isSeen = false
        /// How long its end is held back.
        var delay = Microseconds(0)
    }

    let upload: Upload
    let sight: Sight
    private struct State {
        /// The task, of which others may have noted something else.
        weak var task: URLSessionTask?
        var exchange: CapturedExchange?
        var comesBack: Comeback?
        var redirect: Redirect?
        var answered: Answered?
        var unobserved: Unobserved?
        var breakOff = BreakOff.none
    }

    private let state = Mutex(State())

    init(upload: Upload, sight: Sight) {
        self.upload = upload
        self.sight = sight
    }

    /// A request of which a stream, where it has one, is seen as it is read.
    convenience init(_ request: inout URLRequest, _ sight: Sight) {
        let stream = request.httpBodyStream
        self.init(upload: stream == nil ? .none : .stream, sight: sight)
        if let stream { request.httpBodyStream = TeeStream(stream, self) }
    }

    /// What can be said of a task that somebody else has made.
    convenience init(of task: URLSessionTask) {
        let delegate = task.delegate
        let sight: Sight =
            task is URLSessionDownloadTask
            ? .none : delegate == nil ? .handler : .handlerOrDelegate
        self.init(
            upload: (task as? URLSessionUploadTask).map(FoundationTask.upload) ?? .none,
            sight: sight
        )
        // Foundation's own calls that wait, where a session of ours has made it.
        if delegate is TapDelegate { note(task) }
    }

    /// The exchange that the task is at; another one with each redirection.
    var exchange: CapturedExchange? {
        get { state.withLock { $0.exchange } }
        set { state.withLock { $0.exchange = newValue } }
    }

    /// The way back to the queue on which Foundation loads, while the task is captured.
    var comesBack: Comeback? {
        get { state.withLock { $0.comesBack } }
        set { state.withLock { $0.comesBack = newValue } }
    }

    /// Whether it is loaded by a protocol object of ours: Foundation takes one of its own where it
    /// sends a request again with a credential.
    var isObserved: Bool { state.withLock { $0.unobserved == nil } }

    /// Foundation sends the request again with a credential.
    func leavesSight() { state.withLock { $0.unobserved = Unobserved() } }

    /// The response to that comes; returns whether the stages have yet to see it.
    func comesIntoSight() -> Bool {
        state.withLock { state in
            guard state.unobserved?.isSeen == false else { return false }
            state.unobserved?.isSeen = true
            return true
        }
    }

    /// How long to hold back its task, as `FoundationProtocol.pause` says.
    func pause(_ delay: Microseconds) -> (delay: Microseconds, error: URLError?) {
        task.map { FoundationProtocol.pause(delay, $0) } ?? (delay, nil)
    }

    /// The app hears of the end of that only after a while.
    func holdsEnd(for delay: Microseconds) {
        state.withLock { $0.unobserved?.delay = delay }
    }

    /// What the app gets in the place of a redirection.
    var answered: Answered? {
        get { state.withLock { $0.answered } }
        set { state.withLock { $0.answered = newValue } }
    }

    /// Whether a stage breaks it off: nothing that is left of the response reaches the app.
    var isBrokenOff: Bool {
        state.withLock { if case .none = $0.breakOff { false } else { true } }
    }

    /// What the app is told then in the place of a cancellation.
    var broken: URLError? {
        state.withLock { if case .done(let error) = $0.breakOff { error } else { nil } }
    }

    /// Whether what Foundation loads goes to the app: no stage breaks it off, or has answered in its place.
    var isPassedOn: Bool {
        state.withLock { if case .none = $0.breakOff { $0.answered == nil } else { false } }
    }

    /// Has Foundation cancel a task for a stage, after the pause that this has asked for.
    func breakOff(
        _ task: URLSessionTask,
        _ exchange: CapturedExchange?,
        after delay: Microseconds
    ) {
        state.withLock { $0.breakOff = .due(end: nil) }
        let pause = FoundationProtocol.pauseAtHead(delay, task)
        // Not here: it waits for the queue on which Foundation loads.
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

    /// Does what is left to do where a response is whole that no protocol object of ours has loaded, with
    /// what the app is told in its place: now, or on a queue when the pause is over that a stage has asked
    /// for.
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

    /// Answers what Foundation asks of a redirection, on the queue on which it loads: there alone it
    /// is certain that the task is not cancelled meanwhile, and Foundation traps where it is.
    func answer(
        _ task: URLSessionTask,
        after delay: Microseconds = Microseconds(0),
        _ redirect: @escaping @Sendable () -> Void
    ) {
        guard isObserved, let comesBack, FoundationTask.isUnderstood else {
            return FoundationTask.ifOnItsWay(task, redirect)
        }
        let rest = FoundationProtocol.timeLimitAtHead(of: task)
        let answer = Redirect(answer: redirect, until: .now + .seconds(rest))
        state.withLock { $0.redirect = answer }
        // It holds what holds this: of a task that is cancelled nobody would take it.
        guard task.isOnItsWay else { return dropRedirect() }
        comesBack.after(min(delay, Microseconds(.seconds(rest))), task)
    }

    /// What is to be answered, once.
    func takeRedirect() -> Redirect? { state.withLock { $0.redirect.take() } }

    /// Nothing is to be answered any more.
    func dropRedirect() { _ = takeRedirect() }
}

extension TaskCapture {
    private struct Table {
        var captures: [ObjectIdentifier: TaskCapture] = [:]
        var limit = 64
    }

    private static let table = Mutex(Table())

    /// What is known of a task, or can be said of it, whose request is this.
    static func of(_ task: URLSessionTask, sending request: URLRequest) -> TaskCapture {
        if let capture = of(task) { return capture }
        guard let stream = request.httpBodyStream as? TeeStream else {
            return TaskCapture(of: task)
        }
        stream.capture.note(task)
        return stream.capture
    }

    /// What is known of a task.
    static func of(_ task: URLSessionTask) -> TaskCapture? {
        let capture = table.withLock { $0.captures[ObjectIdentifier(task)] }
        // Where a task is gone another one may be in its place.
        guard let capture, capture.task === task else { return nil }
        return capture
    }

    private var task: URLSessionTask? {
        get { state.withLock { $0.task } }
        set { state.withLock { $0.task = newValue } }
    }

    /// Notes what is known of a task, and gives it back.
    func noted<Task: URLSessionTask>(_ task: Task) -> Task {
        note(task)
        return task
    }

    /// Notes what is known of a task, for as long as that lives.
    ///
    /// Foundation on Linux loses the properties of a request, and has no place for notes on a task.
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

    /// Forgets its task, which is over.
    func forget() {
        if let task { TaskCapture.forget(task) }
    }

    /// Forgets a task that is over.
    static func forget(_ task: URLSessionTask) {
        // What goes with it goes after the lock.
        _ = table.withLock { $0.captures.removeValue(forKey: ObjectIdentifier(task)) }
    }
}
