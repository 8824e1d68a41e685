// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The exchanges of one task: redirections, and a repeated request with a credential.
extension TapDelegate {
    /// The outcome of a redirection.
    enum Hop: Sendable, Equatable {
        case follow(URLRequest)
        /// A stage has answered the request that the redirection leads to.
        case answered
        /// A stage has aborted the task.
        case brokenOff
    }

    /// Ends the exchange of a redirection and begins the next one, whose request stages may change,
    /// answer and delay.
    func redirected(
        _ task: URLSessionTask,
        _ capture: TaskCapture,
        _ response: HTTPURLResponse,
        _ request: URLRequest
    ) -> Paused<Hop> {
        guard let former = capture.exchange else { return Paused(.follow(request)) }
        let wait: Microseconds
        switch capture.runResponseHooks(.redirection, of: task) {
        case .follow(let delay): wait = delay
        case .abort(let delay):
            capture.scheduleAbortion(of: task, after: delay)
            return Paused(.brokenOff)
        default: return Paused(.brokenOff)
        }
        former.completed()
        let next = former.following(Request(request, of: task))
        capture.beginHops(1, next)
        guard let next else { return Paused(.follow(request)) }
        // Foundation sends no content with a request that follows a redirection.
        let outcome = next.runRequestHooks(body: next.sends(Data()))
        let delay = Microseconds(wait.count + outcome.delay.count)
        switch outcome.step {
        case .forward: return Paused(.follow(request), delay: delay)
        case .send(let changed):
            // Foundation adds the fields of the session again.
            let keepsFields =
                FoundationTask.additionalFields(of: task).keys
                .allSatisfy { changed.fields.contains($0) }
            if keepsFields, changed.body.bytes.isEmpty,
                let changed = URLRequest(changed, in: request)
            {
                return Paused(.follow(changed), delay: delay)
            }
        case .answer(let response)
        where capture.isObserved && !(task is URLSessionDownloadTask):
            capture.answer(response, to: request)
            return Paused(.answered, delay: delay)
        case .answer: break
        case .abort:
            capture.abort(task, after: delay)
            return Paused(.brokenOff)
        }
        next.staysAsItWas()
        return Paused(.follow(request), delay: delay)
    }

    /// Ends the exchange that was challenged, and begins that of the repeated request if there is a
    /// credential.
    ///
    /// - Returns: How long to wait before Foundation receives the answer; `nil` if a stage has
    ///   aborted the task.
    func repeated(
        _ task: URLSessionTask,
        _ challenge: URLAuthenticationChallenge,
        _ disposition: URLSession.AuthChallengeDisposition,
        _ credential: URLCredential?
    ) -> Microseconds? {
        let now = Microseconds(0)
        guard let capture = TaskCapture.of(task), let former = capture.exchange,
            let credential = disposition == .useCredential
                ? credential
                : disposition == .performDefaultHandling ? challenge.proposedCredential : nil,
            var request = task.originalRequest
        else { return now }
        former.completed()
        capture.noteUnobservedRequest()
        // As Foundation does; it supports no other schemes.
        let words = Data("\(credential.user ?? ""):\(credential.password ?? "")".utf8)
        request.setValue(
            "Basic \(words.base64EncodedString())",
            forHTTPHeaderField: "Authorization"
        )
        let next = former.following(Request(request, of: task))
        capture.begin(next)
        guard let next else { return now }
        let outcome = next.runRequestHooks(body: next.sends(request.httpBody ?? Data()))
        let pause = FoundationProtocol.pause(outcome.delay, task)
        guard outcome.step != .abort, pause.error == nil else {
            capture.abort(task, after: outcome.delay)
            return nil
        }
        if outcome.step != .forward { next.staysAsItWas() }
        return pause.delay
    }

    /// Runs the stages on the response that follows a credential, which none of Tapline's protocol
    /// objects loads: the delegate is the first place where it is visible.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - task: Its task.
    ///   - hasHead: Whether the app receives the head, so that stages can change it.
    /// - Returns: The head that the app receives; `nil` if a stage aborts the task.
    func passUnobserved(
        _ response: URLResponse?,
        of task: URLSessionTask,
        hasHead: Bool
    ) -> URLResponse? {
        guard let capture = TaskCapture.of(task), !capture.isObserved,
            let exchange = capture.exchange, let head = response as? HTTPURLResponse,
            !head.isInterim, capture.isOpen
        else { return response }
        exchange.firstByteCame()
        exchange.received(Response(head))
        switch capture.runResponseHooks(hasHead ? .head : .unchangedHead, of: task) {
        case .replaceHead(let changed): return HTTPURLResponse(changed, url: head.url) ?? response
        case .abort(let delay):
            capture.scheduleAbortion(of: task, after: delay)
            return nil
        default: return response
        }
    }

    /// The same if the app receives no response head.
    ///
    /// - Returns: Whether the task continues.
    func passWithoutHead(_ task: URLSessionTask, _ capture: TaskCapture) -> Bool {
        guard !capture.isObserved, let response = task.response else { return true }
        return passUnobserved(response, of: task, hasHead: false) != nil
    }
}
