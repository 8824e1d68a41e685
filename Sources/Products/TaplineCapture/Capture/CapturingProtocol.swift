// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import TaplineModel

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
/// request hooks ─┬─▶ native ─────────────▶ response hooks ─┬─▶ the app
///    ▲           ├─▶ SubstituteRequest ──▶ response hooks ─┤
///    │           └─▶ answered, or aborted ─────────────────┤
///    └──────────── Redirection that Foundation has not seen┘
/// ```
/// Who owns what:
/// ```
/// Foundation's task ─▶ CapturingProtocol ─┬─▶ Foundation's protocol object ─▶ NativeLoad
///                                         ├─▶ SubstituteRequest, or Redirection
/// TaskCapture's table ─▶ TaskCapture ◀────┘
///                           ├─▶ CapturedExchange of the current request
///                           └─▶ ResponseGate of its response
/// ```
/// **Isolation**: Foundation's loading queue: its client must not be called on any other.
class CapturingProtocol: URLProtocol {
    enum Phase {
        case fresh
        /// A stage delays the request; the closure continues after the delay.
        case pausing(() -> Void)
        /// Foundation loads.
        case native(URLProtocol, NativeLoad)
        /// A changed request is sent instead of this one.
        case substituting(SubstituteRequest)
        /// Its response has arrived, and a stage delays it.
        case received(HTTPURLResponse, Data)
        /// The app is asked whether to follow a redirection.
        case asking(Redirection)
        /// The app has received everything.
        case over
    }

    /// The tap that the class belongs to.
    class var slot: TapSlot { .app }

    var phase = Phase.fresh
    var capture: TaskCapture?
    var exchange: CapturedExchange? { capture?.exchange }
    /// The current request: that of the task, or one that has replaced it.
    lazy var sent = request
    /// Whether a stage has changed the current request, which then includes the additional fields of
    /// the session, or lacks those that the stage has removed.
    var isChanged = false
    /// How many redirections were followed that Foundation has not seen.
    var redirections = 0
    /// Whether the response has no content for the app.
    lazy var isHead = request.httpMethod == "HEAD"
    let queueHop = LoadingQueueHop()
    /// Whether the app has been notified of the end.
    var isOver = false

    /// Whether the class accepts requests now: Foundation keeps asking it after `unregisterClass`.
    class var isWanted: Bool { TapRegistry.intake(of: slot) != nil }

    /// Whether a task is captured.
    class func captures(_ task: URLSessionTask) -> Bool { true }

    override class func canInit(with request: URLRequest) -> Bool {
        isLoadable(request) && isWanted
    }

    /// As Foundation's own class compares them: in capitals it loads neither.
    static func isLoadable(_ request: URLRequest) -> Bool {
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

    override func startLoading() {
        if case .fresh = phase { return begin() }
        // The app suspended the task and resumed it.
        if case .native(let native, _) = phase { native.startLoading() }
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
            if let action = capture?.pauseOver() { carryOut(action) }
            if let redirect = capture?.takeRedirect() { answer(redirect) }
        case .substituting(let substitute): if let result = substitute.result { finish(result) }
        case .received: if let action = capture?.pauseOver() { carryOut(action) }
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
            if case .native(let native, _) = phase, task?.state == .suspended {
                native.stopLoading()
            }
            return
        }
        switch phase {
        case .native(let native, let load):
            native.stopLoading()
            noteHiddenRedirections(of: native, load)
            // Foundation has cancelled the task because a stage aborted it.
            if let error = capture?.error { failedLoading(native, load, error) }
        case .substituting(let substitute): substitute.cancel()
        case .fresh, .pausing, .received, .asking, .over: break
        }
        phase = .over
        capture?.close()
        capture?.dropRedirect()
        exchange?.cancelled()
    }

    private func answer(_ redirect: TaskCapture.Redirect) {
        guard redirect.isTooLate else { return redirect.answer() }
        fail(URLError(.timedOut))
    }
}
