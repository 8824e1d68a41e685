// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Wraps the app's delegate: records what only delegates receive, and passes all of it on.
///
/// **Isolation**: the session's delegate queue.
class TapDelegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    /// The app's delegate.
    let user: (any URLSessionDelegate)?
    private var userOfTasks: (any URLSessionTaskDelegate)? { user as? any URLSessionTaskDelegate }

    init(_ user: (any URLSessionDelegate)?) {
        self.user = user
    }

    // MARK: The session

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        user?.urlSession(session, didBecomeInvalidWithError: error)
    }

    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?)
            -> Void
    ) {
        guard let user else { return completionHandler(.performDefaultHandling, nil) }
        user.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
    }

    // MARK: Tasks

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // This comes first, because the capture of a task that ends in the meantime is removed.
        let capture = TaskCapture.of(task)
        capture?.exchange?.firstByteCame()
        capture?.exchange?.received(Response(response))
        let follow: @Sendable (URLRequest?) -> Void = { [self] request in
            guard let capture else {
                return FoundationTask.ifOnItsWay(task) { completionHandler(request) }
            }
            guard let request else { return capture.answer(task) { completionHandler(nil) } }
            let hop = redirected(task, capture, response, request)
            switch hop.step {
            case .follow(let next):
                capture.answer(task, after: hop.delay) { completionHandler(next) }
            case .answered: capture.answer(task, after: hop.delay) { completionHandler(nil) }
            case .brokenOff: break
            }
        }
        guard let userOfTasks else {
            // Without a delegate, Foundation sets the cookies itself.
            return follow(request.settingCookies(of: session.configuration))
        }
        userOfTasks.urlSession(
            session,
            task: task,
            willPerformHTTPRedirection: response,
            newRequest: request,
            completionHandler: follow
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?)
            -> Void
    ) {
        // The response to a refused credential is visible only here.
        if let head = challenge.failureResponse,
            passUnobserved(head, of: task, hasHead: false) == nil
        {
            return
        }
        let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            [self] disposition, credential in
            guard let delay = repeated(task, challenge, disposition, credential) else { return }
            guard delay.count > 0 else { return completionHandler(disposition, credential) }
            DispatchQueue.global().after(delay) {
                if task.isOnItsWay { completionHandler(disposition, credential) }
            }
        }
        guard let userOfTasks else { return answer(.performDefaultHandling, nil) }
        userOfTasks.urlSession(
            session,
            task: task,
            didReceive: challenge,
            completionHandler: answer
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard let userOfTasks else { return completionHandler(nil) }
        userOfTasks.urlSession(session, task: task) { stream in
            guard let stream, let capture = TaskCapture.of(task) else {
                return completionHandler(stream)
            }
            completionHandler(TeeStream(stream, capture))
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        userOfTasks?.urlSession(
            session,
            task: task,
            didSendBodyData: bytesSent,
            totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend
        )
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        userOfTasks?.urlSession(session, task: task, didFinishCollecting: metrics)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        guard let capture = TaskCapture.of(task) else {
            userOfTasks?.urlSession(session, task: task, didCompleteWithError: error)
            return
        }
        let end: @Sendable (URLError?) -> Void = { [self] replaced in
            capture.exchange?.ended(error)
            TaskCapture.forget(task)
            userOfTasks?.urlSession(session, task: task, didCompleteWithError: replaced ?? error)
        }
        // Nothing is delayed if the task has failed or the app has cancelled it.
        guard error == nil, !capture.isObserved else { return end(capture.error) }
        _ = passWithoutHead(task, capture)
        capture.finish(on: session.delegateQueue, end)
    }
}

extension URLRequest {
    /// Returns the request with the cookies of its URL, as a session sets them.
    func settingCookies(of configuration: URLSessionConfiguration) -> URLRequest {
        guard configuration.httpShouldSetCookies, let storage = configuration.httpCookieStorage,
            let url, let cookies = storage.cookies(for: url), !cookies.isEmpty
        else { return self }
        var request = self
        for (name, value) in HTTPCookie.requestHeaderFields(with: cookies) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }
}
