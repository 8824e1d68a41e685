// SPDX-License-Identifier: MIT

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Foundation's own protocol objects.
enum FoundationProtocol {
    /// The class that loads requests by HTTP; nothing where Foundation says of none that it does.
    static let http: URLProtocol.Type? = {
        guard let url = URL(string: "http://localhost") else { return nil }
        let request = URLRequest(url: url)
        return (URLSessionConfiguration.default.protocolClasses ?? []).lazy
            .compactMap { $0 as? URLProtocol.Type }
            .first { $0.canInit(with: request) }
    }()

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
