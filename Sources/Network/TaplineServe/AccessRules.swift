// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineHTTP
internal import TaplineModel

/// Who may call a server of this machine: only its own page, with the cookie of a login.
///
/// Another page that the user has opened cannot read answers, but it can send requests, also by a
/// name of its own that it lets point to this machine (DNS rebinding). Such requests have another
/// Host, another Origin or another Sec-Fetch-Site, and never the cookie, which is SameSite=Strict.
package struct AccessRules: Sendable {
    /// What is requested.
    package enum Kind: Sendable, CaseIterable {
        /// The page itself, which has no data.
        case page
        /// The exchange of the token for a cookie.
        case login
        /// A call that reads.
        case read
        /// A call that changes something.
        case change
    }

    /// Why a request is refused.
    package enum Refusal: String, Sendable, CaseIterable {
        /// A proxy has forwarded it.
        case forwarded
        /// Its Host is not one of the server's names.
        case host
        /// Another page has sent it.
        case origin
        /// Its body is not JSON, so a form of another page may have sent it.
        case type
        /// It has no valid cookie.
        case cookie
        /// It has no valid token.
        case token

        /// The status code of the answer.
        package var status: Int {
            switch self {
            case .forwarded, .host, .origin: 403
            case .type: 415
            case .cookie, .token: 401
            }
        }

        /// The text of the answer.
        package var message: String {
            switch self {
            case .forwarded: "the request came through a proxy"
            case .host: "the request has another host name than the address that was printed"
            case .origin: "the request came from another page"
            case .type: "the request has the wrong type; expected 'application/json'"
            case .cookie: "the request has no valid cookie"
            case .token: "the request has no valid token"
            }
        }
    }

    /// The names of the server, with ports, as in Host.
    package let hosts: [String]
    /// The name of the cookie.
    package let cookie: String

    /// Creates the rules of a server that is reached by some names.
    ///
    /// - Parameters:
    ///   - hosts: The names with ports, such as `127.0.0.1:8080`.
    ///   - cookie: The name of the cookie; it has the port, since cookies do not depend on ports.
    package init(hosts: [String], cookie: String) {
        self.hosts = hosts
        self.cookie = cookie
    }

    /// Returns why a request is refused; `nil` if it is allowed.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - kind: What it asks for.
    ///   - sessions: The valid values of the cookie.
    /// - Returns: The first reason.
    package func refusal(
        of request: ServedRequest,
        for kind: Kind,
        sessions: [[UInt8]]
    ) -> Refusal? {
        let fields = request.request.fields
        if request.isForwarded { return .forwarded }
        guard fields.all("Host").count == 1, let host = fields.first("Host"), isOwn(host) else {
            return .host
        }
        guard isOwnPage(fields, host, kind) else { return .origin }
        if kind == .login || kind == .change {
            guard fields.mediaType.span.equals("application/json") else { return .type }
        }
        switch kind {
        case .page, .login: return nil
        case .read, .change: return hasCookie(fields, sessions) ? nil : .cookie
        }
    }

    /// Returns why a request of another page is refused; `nil` if it is allowed.
    ///
    /// Such a page may only read what is meant for it, and only with a token that is good for nothing
    /// else. A browser states its origin, which no script can change.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - origins: The origins of the pages that may read, as in Origin.
    ///   - token: The token, which the query has as `token`.
    /// - Returns: The first reason.
    package func refusal(
        of request: ServedRequest,
        from origins: [String],
        token: String
    ) -> Refusal? {
        let fields = request.request.fields
        if request.isForwarded { return .forwarded }
        guard fields.all("Host").count == 1, let host = fields.first("Host"), isOwn(host) else {
            return .host
        }
        guard fields.all("Origin").count == 1, let origin = fields.first("Origin"),
            origins.contains(where: { origin.span.equals($0) })
        else { return .origin }
        let found = request.query("token") ?? ""
        return Self.areEqual(Array(found.utf8), Array(token.utf8)) ? nil : .token
    }

    /// Returns whether two secrets are equal, in a time that depends only on their lengths.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.span.equalsInConstantTime(right.span)
    }

    private func isOwn(_ host: ByteString) -> Bool {
        hosts.contains { Authority.areSame(host.span, $0.utf8.span, defaultPort: 80) }
    }

    /// Whether the server's own page has sent a request, as far as the browser states it.
    private func isOwnPage(_ fields: FieldSection, _ host: ByteString, _ kind: Kind) -> Bool {
        let isOwnOrigin = fields.all("Origin").allSatisfy { origin in
            let prefix = "http://"
            guard origin.span.starts(with: prefix) else { return false }
            let rest = origin.span.extracting(prefix.utf8.count..<origin.count)
            return Authority.areSame(rest, host.span, defaultPort: 80)
        }
        // https://w3c.github.io/webappsec-fetch-metadata/: `none` is the user, such as an address
        // that was typed.
        let isOwnSite = fields.all("Sec-Fetch-Site").allSatisfy { site in
            site.span.equals("same-origin") || (kind == .page && site.span.equals("none"))
        }
        return isOwnOrigin && isOwnSite
    }

    private func hasCookie(_ fields: FieldSection, _ sessions: [[UInt8]]) -> Bool {
        var isValid = false
        for value in fields.all("Cookie") {
            for pair in Array(copying: value.span).split(separator: .ascii(";")) {
                let pair = Array(pair.drop { $0 == 0x20 })
                guard let equals = pair.firstIndex(of: .ascii("=")),
                    pair[..<equals].elementsEqual(cookie.utf8)
                else { continue }
                let found = Array(pair[(equals + 1)...])
                // Every session is compared, whichever is found.
                for session in sessions where Self.areEqual(session, found) { isValid = true }
            }
        }
        return isValid
    }
}
