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
        case stay
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
        former.firstByteCame()
        former.received(Response(response))
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
        let outcome = next.runRequestHooks(of: request)
        let delay = Microseconds(answer.delay.count + outcome.delay.count)
        switch outcome.step {
        case .forward: return Paused(.follow(request), delay: delay)
        case .send(let changed):
            if let changed = URLRequest(changed, in: request) {
                return Paused(.follow(changed), delay: delay)
            }
        case .answer(let response) where !(task is URLSessionDownloadTask):
            capture.answered = TaskCapture.Answered(response, to: request)
            return Paused(.stay, delay: delay)
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
    func repeated(
        _ task: URLSessionTask,
        _ challenge: URLAuthenticationChallenge,
        _ disposition: URLSession.AuthChallengeDisposition,
        _ credential: URLCredential?
    ) {
        guard let capture = TaskCapture.of(task), let former = capture.exchange,
            let credential = disposition == .useCredential
                ? credential
                : disposition == .performDefaultHandling ? challenge.proposedCredential : nil,
            var request = task.originalRequest
        else { return }
        former.completed()
        capture.isObserved = false
        // As Foundation does it; of other schemes it knows none.
        let words = Data("\(credential.user ?? ""):\(credential.password ?? "")".utf8)
        request.setValue(
            "Basic \(words.base64EncodedString())",
            forHTTPHeaderField: "Authorization"
        )
        let next = former.following(Request(request))
        capture.exchange = next
        guard let next else { return }
        if next.runRequestHooks(of: request).step != .forward { next.staysAsItWas() }
    }

    /// Notes the head of a response that comes by no protocol object of ours.
    func noteUnobserved(_ response: URLResponse?, of task: URLSessionTask) {
        guard let capture = TaskCapture.of(task), !capture.isObserved,
            let response = response as? HTTPURLResponse, !response.isInterim
        else { return }
        capture.exchange?.firstByteCame()
        capture.exchange?.received(Response(response))
    }
}

extension CapturedExchange {
    /// Runs the hooks of a request that begins behind another one.
    fileprivate func runRequestHooks(of request: URLRequest) -> Paused<RequestStep> {
        runRequestHooks(body: sends(request.httpBody ?? Data()))
    }
}
