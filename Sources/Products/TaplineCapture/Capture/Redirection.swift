// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A redirection that Foundation does not know about.
///
/// It is the answer of a stage, or the response to a request that a stage has changed. The app is
/// asked whether to follow it, in the same way as by Foundation.
///
/// **Isolation**: any thread; `ask` returns at once.
final class Redirection: Sendable {
    /// The app's decision.
    enum Answer: Sendable {
        case follow(URLRequest)
        /// The app wants the redirection response itself.
        case stay
    }

    /// The most redirections that are followed in a row, as in Foundation.
    static let limit = 20

    /// The redirection response.
    let response: HTTPURLResponse
    let body: Data
    private let next: URLRequest
    private let said = Mutex<Answer?>(nil)

    /// Returns `nil` if the response is not a redirection (RFC 9110 §15.4).
    init?(_ response: HTTPURLResponse, _ body: Data, to request: URLRequest) {
        guard let next = request.following(response) else { return nil }
        self.response = response
        self.body = body
        self.next = next
    }

    /// The app's decision; `nil` until it has answered.
    var answer: Answer? { said.withLock { $0 } }

    /// Asks the delegate of a task, if it has one, and calls back when it has answered.
    func ask(_ task: URLSessionTask, done: @escaping @Sendable () -> Void) {
        let session = FoundationTask.session(of: task)
        let delegate = task.delegate
        let user =
            (delegate as? TapDelegate).map { $0.user as? any URLSessionTaskDelegate } ?? delegate
        guard let session, let user else {
            // Without a delegate, Foundation sets the cookies itself.
            let request = session.map { next.settingCookies(of: $0.configuration) } ?? next
            said.withLock { $0 = .follow(request) }
            return done()
        }
        session.delegateQueue.addOperation { [self] in
            user.urlSession(
                session,
                task: task,
                willPerformHTTPRedirection: response,
                newRequest: next
            ) { [self] request in
                said.withLock { $0 = request.map(Answer.follow) ?? .stay }
                done()
            }
        }
    }
}

extension URLRequest {
    /// Returns the request that a redirection leads to, as Foundation builds it; `nil` if the
    /// response is not a redirection.
    func following(_ response: HTTPURLResponse) -> URLRequest? {
        guard [301, 302, 303, 305, 306, 307, 308].contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"),
            let target = URL(string: location)
        else { return nil }
        var next = self
        let status = response.statusCode
        if status == 303 || status < 303 && httpMethod == "POST" {
            next.httpMethod = "GET"
            next.httpBody = nil
        }
        guard target.scheme == nil || target.host == nil else {
            next.url = target
            return next
        }
        guard let url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
            return nil
        }
        if let host = target.host { (parts.host, parts.port) = (host, target.port) }
        // Not relative to the current path, which deviates from RFC 3986 as Foundation does.
        parts.path = target.path.hasPrefix("/") ? target.path : "/" + target.path
        parts.percentEncodedQuery = target.query
        parts.percentEncodedFragment = target.fragment
        next.url = parts.url
        return next
    }

    /// The request that Foundation sends when it follows a redirection: without content; a scheme
    /// in upper case is accepted.
    var asFollowing: URLRequest {
        var next = self
        next.httpBody = nil
        next.httpBodyStream = nil
        if let url, let scheme = url.scheme, scheme != scheme.lowercased(),
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        {
            parts.scheme = scheme.lowercased()
            next.url = parts.url
        }
        return next
    }
}
