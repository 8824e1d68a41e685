// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A request that a stage has changed, on its way through a session of its own.
///
/// The response is waited for whole; a redirection is one, too. Where the server asks for a credential that the configuration
/// does not have, that is the response: Foundation asks the app, and nobody else.
/// **Isolation**: any thread; `start` and `cancel` return at once, as Foundation's queue needs it.
final class Relay: Sendable {
    private static let queue = DispatchQueue(label: "tapline.relay", attributes: .concurrent)

    private struct State {
        var data = Data()
        var result: Result<(HTTPURLResponse, Data), any Error>?
    }

    private let request: URLRequest
    private let configuration: URLSessionConfiguration
    private let done: @Sendable () -> Void
    private let holder = TaskHolder()
    private let state = Mutex(State())

    /// A relay in a session of that configuration; `done` is called once there is a result.
    init(
        _ request: URLRequest,
        in configuration: URLSessionConfiguration,
        done: @escaping @Sendable () -> Void
    ) {
        self.request = request
        configuration.protocolClasses =
            [RelayedProtocol.self] + (configuration.protocolClasses ?? [])
        // The request has the cookies that it is to have; those that come are kept all the same.
        configuration.httpShouldSetCookies = false
        self.configuration = configuration
        self.done = done
    }

    /// What came of it; nothing while it is on its way.
    var result: Result<(HTTPURLResponse, Data), any Error>? { state.withLock { $0.result } }

    /// Sends the request.
    func start() {
        // Foundation blocks where a task is made or cancelled on the queue on which it loads.
        Self.queue.async { [self] in
            let session = URLSession(
                configuration: configuration,
                delegate: RelayDelegate(self),
                delegateQueue: nil
            )
            let task = session.dataTask(with: request)
            session.finishTasksAndInvalidate()
            holder.run(task)
        }
    }

    /// Gives it up.
    func cancel() { holder.cancel() }

    fileprivate func whileRunning(_ body: () -> Void) { holder.whileRunning(body) }

    /// A response begins; of one before it nothing counts.
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

/// What the session of a relay tells.
private final class RelayDelegate: NSObject, URLSessionDataDelegate {
    private let relay: Relay

    init(_ relay: Relay) { self.relay = relay }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        relay.begin()
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        relay.append(data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // Then the redirection is the response.
        relay.whileRunning { completionHandler(nil) }
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
        relay.end(challenge.failureResponse ?? task.response, nil)
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        relay.end(task.response, error)
    }
}
