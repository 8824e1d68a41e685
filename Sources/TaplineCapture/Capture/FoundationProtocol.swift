// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The protocol objects that Foundation would take if nothing was captured.
enum FoundationProtocol {
    private static let classes = URLSessionConfiguration.default.protocolClasses ?? []

    /// Foundation's own class that loads requests by HTTP.
    static let http: URLProtocol.Type? = {
        guard let url = URL(string: "http://localhost") else { return nil }
        return first(of: classes, for: URLRequest(url: url))
    }()

    /// Whether any session that is captured may have classes of the app's own.
    private static let hasOthers = Atomic(false)

    /// Notes the classes of a session that will be captured.
    static func note(_ configuration: URLSessionConfiguration) {
        let areOthers = (configuration.protocolClasses ?? []).contains { other in
            !(other is CapturingProtocol.Type) && !classes.contains { $0 == other }
        }
        if areOthers { hasOthers.store(true, ordering: .relaxed) }
    }

    /// The class that loads a request of a task.
    static func type(for request: URLRequest, of task: URLSessionTask) -> URLProtocol.Type? {
        // To ask the session for its classes takes as long as all else that is done here.
        guard hasOthers.load(ordering: .relaxed), let session = FoundationTask.session(of: task)
        else { return http }
        // Where none of them does Foundation takes its own, whether they are among them or not.
        return first(of: session.configuration.protocolClasses ?? [], for: request) ?? http
    }

    private static func first(of classes: [AnyClass], for request: URLRequest) -> URLProtocol.Type?
    {
        classes.lazy.compactMap { $0 as? URLProtocol.Type }
            .first { !($0 is CapturingProtocol.Type) && $0.canInit(with: request) }
    }

    /// The configuration of a task's session, without what captures it; that of a new session where
    /// Foundation does not let its session be seen.
    static func configuration(of task: URLSessionTask) -> URLSessionConfiguration {
        // A copy: Foundation hands out the one that the session works with.
        let copy =
            FoundationTask.session(of: task)?.configuration.copy() as? URLSessionConfiguration
        let configuration = copy ?? .default
        configuration.protocolClasses = configuration.protocolClasses?.filter {
            !($0 is CapturingProtocol.Type)
        }
        return configuration
    }

    /// How long to hold a task back where a stage has asked for a pause, and the error after that where
    /// the server that the stage plays would have been too late.
    static func pause(
        _ delay: Microseconds,
        _ task: URLSessionTask
    ) -> (delay: Microseconds, error: URLError?) {
        pause(delay, within: timeLimit(of: task))
    }

    /// The same while Foundation waits itself, since the head of a response has come, and has to hear
    /// before its own time is over.
    static func pauseAtHead(
        _ delay: Microseconds,
        _ task: URLSessionTask
    ) -> (delay: Microseconds, error: URLError?) {
        pause(delay, within: timeLimitAtHead(of: task))
    }

    private static func pause(
        _ delay: Microseconds,
        within limit: TimeInterval
    ) -> (delay: Microseconds, error: URLError?) {
        guard let limit = Microseconds(milliseconds: limit * 1000), delay > limit else {
            return (delay, nil)
        }
        return (limit, URLError(.timedOut))
    }

    /// How many seconds are certainly left of the time limit where the head of a response is handed on.
    static func timeLimitAtHead(of task: URLSessionTask) -> TimeInterval {
        let limit = timeLimit(of: task)
        return max(limit - max(0.2, limit / 10), 0)
    }

    /// How many seconds Foundation waits for a server's next byte.
    static func timeLimit(of task: URLSessionTask) -> TimeInterval {
        // A limit of the request counts before that of the session; whether it has one of its own is
        // told by its value alone.
        let own = task.originalRequest?.timeoutInterval ?? defaultTimeLimit
        let ofSession = FoundationTask.session(of: task)?.configuration.timeoutIntervalForRequest
        return own == defaultTimeLimit ? ofSession ?? own : own
    }

    /// Seconds that a request without a limit of its own says.
    private static let defaultTimeLimit: TimeInterval = 60

    /// Keeps the cookies of an answer that Foundation has not received itself, as it would have.
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
