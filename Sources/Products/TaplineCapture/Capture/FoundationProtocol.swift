// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The protocol objects that Foundation would use without capture.
enum FoundationProtocol {
    private static let classes = URLSessionConfiguration.default.protocolClasses ?? []

    /// Foundation's own class for loading HTTP requests.
    static let http: URLProtocol.Type? = {
        guard let url = URL(string: "http://localhost") else { return nil }
        return first(of: classes, for: URLRequest(url: url))
    }()

    /// Whether any captured session may have protocol classes of the app.
    private static let hasOthers = Atomic(false)

    /// Notes the protocol classes of a session that will be captured.
    static func note(_ configuration: URLSessionConfiguration) {
        let areOthers = (configuration.protocolClasses ?? []).contains { other in
            !(other is CapturingProtocol.Type) && !classes.contains { $0 == other }
        }
        if areOthers { hasOthers.store(true, ordering: .relaxed) }
    }

    /// Returns the class that loads a request of a task.
    static func type(for request: URLRequest, of task: URLSessionTask) -> URLProtocol.Type? {
        // Asking the session for its classes takes as long as everything else in this function.
        guard hasOthers.load(ordering: .relaxed), let session = FoundationTask.session(of: task)
        else { return http }
        // If none of them accepts the request, Foundation uses its own class, listed or not.
        return first(of: session.configuration.protocolClasses ?? [], for: request) ?? http
    }

    private static func first(of classes: [AnyClass], for request: URLRequest) -> URLProtocol.Type?
    {
        classes.lazy.compactMap { $0 as? URLProtocol.Type }
            .first { !($0 is CapturingProtocol.Type) && $0.canInit(with: request) }
    }

    /// Returns the configuration of a task's session, without the capturing classes; a default
    /// configuration if Foundation does not expose the session.
    static func configuration(
        of task: URLSessionTask,
        addsFields: Bool
    ) -> URLSessionConfiguration {
        // A copy, because Foundation returns the instance that the session uses.
        let copy =
            FoundationTask.session(of: task)?.configuration.copy() as? URLSessionConfiguration
        let configuration = copy ?? .default
        configuration.protocolClasses = configuration.protocolClasses?.filter {
            !($0 is CapturingProtocol.Type)
        }
        if !addsFields { configuration.httpAdditionalHeaders = nil }
        return configuration
    }

    /// Returns how long to delay a request if a stage requests it, and the error to report after
    /// that if the server that the stage simulates would have timed out.
    static func pause(
        _ delay: Microseconds,
        _ task: URLSessionTask
    ) -> (delay: Microseconds, error: URLError?) {
        guard let limit = delayLimit(of: task, atHead: false), delay > limit else {
            return (delay, nil)
        }
        return (limit, URLError(.timedOut))
    }

    /// Returns the app's timeout, or what is left of it at a response head; `nil` without a timeout.
    ///
    /// At the head, Foundation waits itself, and must be answered before its own timeout.
    static func delayLimit(of task: URLSessionTask, atHead: Bool) -> Microseconds? {
        let limit = atHead ? timeLimitAtHead(of: task) : timeLimit(of: task)
        return Microseconds(milliseconds: limit * 1000)
    }

    /// Returns the seconds that are certainly left of the timeout when a response head is passed
    /// on.
    static func timeLimitAtHead(of task: URLSessionTask) -> TimeInterval {
        let limit = timeLimit(of: task)
        return max(limit - max(0.2, limit / 10), 0)
    }

    /// Returns how many seconds Foundation waits for the next byte from the server.
    private static func timeLimit(of task: URLSessionTask) -> TimeInterval {
        // The request's timeout takes precedence over the session's; only its value shows whether
        // it was set.
        let own = task.originalRequest?.timeoutInterval ?? defaultTimeLimit
        let ofSession = FoundationTask.session(of: task)?.configuration.timeoutIntervalForRequest
        return own == defaultTimeLimit ? ofSession ?? own : own
    }

    /// The timeout, in seconds, of a request that does not set one.
    private static let defaultTimeLimit: TimeInterval = 60

    private static let storedRedirections =
        http.flatMap { FoundationField<Int>("redirectCount", of: $0) }

    /// Returns how many redirections Foundation's protocol object has received.
    ///
    /// Other objects, and a version that counts elsewhere, show only whether there was one.
    static func redirections(
        of native: URLProtocol,
        from original: URLRequest,
        _ task: URLSessionTask
    ) -> Int {
        if let storedRedirections, Swift.type(of: native) == http {
            return storedRedirections.value(of: native)
        }
        return task.currentRequest?.url == original.url ? 0 : 1
    }

    /// Stores the cookies of a response that Foundation has not received itself, as Foundation
    /// would.
    static func keepCookies(of response: HTTPURLResponse, for task: URLSessionTask) {
        guard let configuration = FoundationTask.session(of: task)?.configuration,
            configuration.httpShouldSetCookies, let storage = configuration.httpCookieStorage,
            let url = response.url
        else { return }
        let fields = FoundationResponse.fields(of: response)
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: fields, for: url)
        if !cookies.isEmpty { storage.setCookies(cookies, for: url, mainDocumentURL: nil) }
    }
}
