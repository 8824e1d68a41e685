// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// What one task asks for in turn, each an exchange: redirections, and once more with a credential.
extension TapDelegate {
    /// Ends the exchange of a redirection and begins the next one, whose request stages may change, and
    /// hold back for a while.
    func redirected(
        _ task: URLSessionTask,
        _ response: HTTPURLResponse,
        _ request: URLRequest
    ) -> (URLRequest?, Microseconds) {
        let atOnce = Microseconds(0)
        guard let capture = TaskCapture.of(task), let former = capture.exchange else {
            return (request, atOnce)
        }
        former.firstByteCame()
        former.received(Response(response))
        let answer = former.runResponseHooks(body: nil)
        switch answer.step {
        case .pass: break
        case .replace: former.responseStaysAsItWas()
        case .abort:
            capture.broken = URLError(former.aborted())
            task.cancel()
            return (request, atOnce)
        }
        former.completed()
        let next = former.following(Request(request))
        capture.exchange = next
        guard let next else { return (request, atOnce) }
        let outcome = next.runRequestHooks(of: request)
        let delay = Microseconds(answer.delay.count + outcome.delay.count)
        switch outcome.step {
        case .forward: return (request, delay)
        case .send(let changed): return (URLRequest(changed, in: request) ?? request, delay)
        case .answer:
            next.staysAsItWas()
            return (request, delay)
        case .abort:
            capture.broken = URLError(next.aborted())
            task.cancel()
            return (request, atOnce)
        }
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
