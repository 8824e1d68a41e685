// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A redirection that Foundation does not know of.
///
/// It is the answer of a stage, or that to a request which a stage has changed. The app is asked
/// whether to follow it, as Foundation asks.
///
/// **Isolation**: any thread; `ask` returns at once.
final class Redirection: Sendable {
    /// What the app says.
    enum Answer: Sendable {
        case follow(URLRequest)
        /// The redirection itself is what it wants.
        case stay
    }

    /// As many in a row are followed as Foundation follows.
    static let limit = 20

    /// The response that sends the app elsewhere.
    let response: HTTPURLResponse
    let body: Data
    private let next: URLRequest
    private let said = Mutex<Answer?>(nil)

    /// Nothing where the response to the request leads nowhere (RFC 9110 §15.4).
    init?(_ response: HTTPURLResponse, _ body: Data, to request: URLRequest) {
        guard let next = request.following(response) else { return nil }
        self.response = response
        self.body = body
        self.next = next
    }

    /// What the app has said; nothing while it has not.
    var answer: Answer? { said.withLock { $0 } }

    /// Asks the delegate of a task, where it has one, and calls back once it has answered.
    func ask(_ task: URLSessionTask, done: @escaping @Sendable () -> Void) {
        let session = FoundationTask.session(of: task)
        let delegate = task.delegate
        let user =
            (delegate as? TapDelegate).map { $0.user as? any URLSessionTaskDelegate } ?? delegate
        guard let session, let user else {
            // Without a delegate Foundation sets the cookies itself.
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
    /// The request that a redirection leads to, as Foundation makes it; `nil` if the response is
    /// none.
    fileprivate func following(_ response: HTTPURLResponse) -> URLRequest? {
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
        // Not relative to the path that it stands for, as RFC 3986 has it.
        parts.path = target.path.hasPrefix("/") ? target.path : "/" + target.path
        parts.percentEncodedQuery = target.query
        parts.percentEncodedFragment = target.fragment
        next.url = parts.url
        return next
    }

    /// What Foundation sends of a request that follows another one: no content, and it takes a scheme
    /// in capitals.
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
