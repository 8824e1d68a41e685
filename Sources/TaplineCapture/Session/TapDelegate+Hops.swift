// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// What one task asks for in turn, each an exchange: redirections, and once more with a credential.
extension TapDelegate {
    /// What becomes of a redirection.
    enum Hop: Sendable, Equatable {
        case follow(URLRequest)
        /// A stage has answered the request that it leads to.
        case answered
        /// A stage has broken the task off.
        case brokenOff
    }

    /// Ends the exchange of a redirection and begins the next one, whose request stages may change,
    /// answer, and hold back for a while.
    func redirected(
        _ task: URLSessionTask,
        _ capture: TaskCapture,
        _ response: HTTPURLResponse,
        _ request: URLRequest
    ) -> Paused<Hop> {
        guard let former = capture.exchange else { return Paused(.follow(request)) }
        let answer = former.runResponseHooks(body: nil)
        switch answer.step {
        case .pass: break
        case .replace: former.responseStaysAsItWas()
        case .abort:
            capture.breakOff(task, former, after: answer.delay)
            return Paused(.brokenOff)
        }
        former.completed()
        let next = former.following(Request(request))
        capture.exchange = next
        guard let next else { return Paused(.follow(request)) }
        // Foundation sends no content with what follows, whatever the request has.
        let outcome = next.runRequestHooks(body: next.sends(Data()))
        let delay = Microseconds(answer.delay.count + outcome.delay.count)
        switch outcome.step {
        case .forward: return Paused(.follow(request), delay: delay)
        case .send(let changed):
            if changed.body.bytes.isEmpty, let changed = URLRequest(changed, in: request) {
                return Paused(.follow(changed), delay: delay)
            }
        case .answer(let response)
        where capture.isObserved && !(task is URLSessionDownloadTask):
            capture.answered = TaskCapture.Answered(response, to: request)
            return Paused(.answered, delay: delay)
        case .answer: break
        case .abort:
            capture.breakOff(task, next, after: delay)
            return Paused(.brokenOff)
        }
        next.staysAsItWas()
        return Paused(.follow(request), delay: delay)
    }

    /// Ends the exchange that was challenged, and begins that of the request with a credential, where
    /// there is one.
    ///
    /// - Returns: How long to wait before Foundation is told; `nil` if a stage has broken the task
    ///   off.
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
        capture.leavesSight()
        // As Foundation does it; of other schemes it knows none.
        let words = Data("\(credential.user ?? ""):\(credential.password ?? "")".utf8)
        request.setValue(
            "Basic \(words.base64EncodedString())",
            forHTTPHeaderField: "Authorization"
        )
        let next = former.following(Request(request))
        capture.exchange = next
        guard let next else { return now }
        let outcome = next.runRequestHooks(body: next.sends(request.httpBody ?? Data()))
        let pause = FoundationProtocol.pause(outcome.delay, task)
        guard outcome.step != .abort, pause.error == nil else {
            capture.breakOff(task, next, after: outcome.delay)
            return nil
        }
        if outcome.step != .forward { next.staysAsItWas() }
        return pause.delay
    }

    /// What comes after a credential comes by no protocol object of ours: the stages see it where a
    /// delegate is told of it first.
    ///
    /// - Returns: The head that the app gets; `nil` if a stage breaks it off.
    func passUnobserved(_ response: URLResponse?, of task: URLSessionTask) -> URLResponse? {
        guard let capture = TaskCapture.of(task), !capture.isObserved,
            let exchange = capture.exchange, let head = response as? HTTPURLResponse,
            !head.isInterim, capture.comesIntoSight()
        else { return response }
        exchange.firstByteCame()
        exchange.received(Response(head))
        let next = exchange.runResponseHooks(body: nil)
        let pause = FoundationProtocol.pause(next.delay, task)
        guard next.step != .abort, pause.error == nil else {
            capture.breakOff(task, exchange, after: next.delay)
            return nil
        }
        capture.holdsEnd(for: pause.delay)
        guard case .replace(let changed) = next.step else { return response }
        return HTTPURLResponse(changed, url: head.url) ?? response
    }

    /// The same where the app is told of no head.
    ///
    /// - Returns: Whether it goes on.
    func passWithoutHead(_ task: URLSessionTask, _ capture: TaskCapture) -> Bool {
        guard !capture.isObserved, let response = task.response else { return true }
        guard let passed = passUnobserved(response, of: task) else { return false }
        if passed !== response { capture.exchange?.responseStaysAsItWas() }
        return true
    }
}
