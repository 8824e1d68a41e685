// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A request that a stage has changed, sent through a separate session.
///
/// The response is collected completely; a redirection is a response as well. If the server asks
/// for a credential that the configuration does not have, that challenge is the response, because
/// Foundation asks only the app.
/// **Isolation**: any thread; `start` and `cancel` return at once, as Foundation's queue requires.
final class SubstituteRequest: Sendable {
    private static let queue = DispatchQueue(label: "tapline.substitute", attributes: .concurrent)

    private struct State {
        var data = Data()
        var result: Result<(HTTPURLResponse, Data), any Error>?
    }

    private let request: URLRequest
    private let configuration: URLSessionConfiguration
    private let done: @Sendable () -> Void
    private let holder = TaskHolder()
    private let state = Mutex(State())

    /// Creates a request in a session with this configuration; `done` is called when there is a
    /// result.
    init(
        _ request: URLRequest,
        in configuration: URLSessionConfiguration,
        done: @escaping @Sendable () -> Void
    ) {
        self.request = request
        configuration.protocolClasses =
            [SubstituteRequestProtocol.self] + (configuration.protocolClasses ?? [])
        // The request already has its cookies; received cookies are stored all the same.
        configuration.httpShouldSetCookies = false
        self.configuration = configuration
        self.done = done
    }

    /// The result; `nil` while the request is running.
    var result: Result<(HTTPURLResponse, Data), any Error>? { state.withLock { $0.result } }

    /// Sends the request.
    func start() {
        // Foundation blocks if a task is created or cancelled on its loading queue.
        Self.queue.async { [self] in
            let session = URLSession(
                configuration: configuration,
                delegate: SubstituteRequestDelegate(self),
                delegateQueue: nil
            )
            let task = session.dataTask(with: request)
            session.finishTasksAndInvalidate()
            holder.run(task)
        }
    }

    /// Cancels the request.
    func cancel() { holder.cancel() }

    fileprivate func whileRunning(_ body: () -> Void) { holder.whileRunning(body) }

    /// A response begins; data received before it is discarded.
    fileprivate func begin() { state.withLock { $0.data = Data() } }

    fileprivate func append(_ data: Data) { state.withLock { $0.data.append(data) } }

    fileprivate func end(_ response: URLResponse?, _ error: (any Error)?) {
        let isFirst = state.withLock { state in
            guard state.result == nil else { return false }
            if let response = response as? HTTPURLResponse, error == nil {
                state.result = .success((response, state.data))
            } else {
                state.result = .failure(error ?? URLError(.badServerResponse))
            }
            return true
        }
        if isFirst { done() }
    }
}

/// Receives the callbacks of the session.
private final class SubstituteRequestDelegate: NSObject, URLSessionDataDelegate {
    private let substitute: SubstituteRequest

    init(_ substitute: SubstituteRequest) { self.substitute = substitute }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        substitute.begin()
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        substitute.append(data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The redirection is then the response.
        substitute.whileRunning { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?)
            -> Void
    ) {
        if challenge.proposedCredential != nil, challenge.previousFailureCount == 0 {
            return completionHandler(.performDefaultHandling, nil)
        }
        substitute.end(challenge.failureResponse ?? task.response, nil)
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        substitute.end(task.response, error)
    }
}
