// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineHTTP
internal import TaplineModel

/// Who may call a server of this machine: only its own page, with the cookie and the key of a login.
///
/// Another page that the user has opened cannot read answers, but it can send requests, also by a
/// name of its own that it lets point to this machine (DNS rebinding). Such requests have another
/// Host, another Origin or another Sec-Fetch-Site, and never the cookie, which is SameSite=Strict.
///
/// Cookies do not depend on ports (RFC 6265 §8.5): the browser sends this one to every server of the
/// machine, such as that of another user, which could then use it without a browser. So each call
/// needs a key as well, which the page keeps in the storage of its origin, and that does depend on
/// the port. The prefix `__Host-` would not help, since it does not bind a cookie to a port either,
/// and it needs `Secure`, which not every browser accepts from `http://127.0.0.1`. With TLS, the
/// cookie is `Secure`.
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
        /// It has the cookie of a login, but not its key.
        case key

        /// The status code of the answer.
        package var status: Int {
            switch self {
            case .forwarded, .host, .origin: 403
            case .type: 415
            case .cookie, .key, .token: 401
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
            case .key: "the request has no valid key, which only the page has"
            }
        }
    }

    /// What a browser has got for the token.
    package struct Session: Sendable {
        /// The value of the cookie.
        package let cookie: [UInt8]
        /// The key.
        package let key: [UInt8]

        /// Creates a session.
        package init(cookie: [UInt8], key: [UInt8]) {
            self.cookie = cookie
            self.key = key
        }
    }

    /// The field that has the key.
    package static let keyField = "Tapline-Key"
    /// The name in the query that has the key of a call that reads: browsers send no own fields for
    /// server-sent events and downloads.
    package static let keyName = "key"

    /// The names of the server, with ports, as in Host.
    package let hosts: [String]
    /// The name of the cookie.
    package let cookie: String

    /// Whether the server has TLS, so that its cookie goes nowhere else.
    package let isSecure: Bool

    /// Creates the rules of a server that is reached by some names.
    ///
    /// - Parameters:
    ///   - hosts: The names with ports, such as `127.0.0.1:8080`.
    ///   - cookie: The name of the cookie; it has the port, since cookies do not depend on ports.
    ///   - isSecure: Whether the server has TLS.
    package init(hosts: [String], cookie: String, isSecure: Bool = false) {
        self.hosts = hosts
        self.cookie = cookie
        self.isSecure = isSecure
    }

    /// Returns the value of Set-Cookie that begins a login.
    package func setCookie(_ session: Session) -> String {
        let value = String(decoding: session.cookie, as: UTF8.self)
        let end = isSecure ? "; Secure" : ""
        return "\(cookie)=\(value); HttpOnly; SameSite=Strict; Path=/\(end)"
    }

    /// Returns whether a request has the cookie of a login, which need not have the key: browsers
    /// send none for the files of the page.
    package func hasCookie(_ request: ServedRequest, of sessions: [Session]) -> Bool {
        !self.sessions(of: request.request.fields, sessions).isEmpty
    }

    /// Returns the values of the cookies with a name.
    package static func cookies(named name: String, in request: ServedRequest) -> [[UInt8]] {
        cookies(named: name, in: request.request.fields)
    }

    /// Returns why a request is refused; `nil` if it is allowed.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - kind: What it asks for.
    ///   - sessions: The logins.
    /// - Returns: The first reason.
    package func refusal(
        of request: ServedRequest,
        for kind: Kind,
        sessions: [Session]
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
        case .read, .change:
            let found = self.sessions(of: fields, sessions)
            if found.isEmpty { return .cookie }
            return hasKey(request, kind, found) ? nil : .key
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

    private var defaultPort: Int { isSecure ? 443 : 80 }

    private func isOwn(_ host: ByteString) -> Bool {
        hosts.contains { Authority.areSame(host.span, $0.utf8.span, defaultPort: defaultPort) }
    }

    /// Whether the server's own page has sent a request, as far as the browser states it.
    private func isOwnPage(_ fields: FieldSection, _ host: ByteString, _ kind: Kind) -> Bool {
        let isOwnOrigin = fields.all("Origin").allSatisfy { origin in
            let prefix = isSecure ? "https://" : "http://"
            guard origin.span.starts(with: prefix) else { return false }
            let rest = origin.span.extracting(prefix.utf8.count..<origin.count)
            return Authority.areSame(rest, host.span, defaultPort: defaultPort)
        }
        // https://w3c.github.io/webappsec-fetch-metadata/: `none` is the user, such as an address
        // that was typed.
        let isOpened = kind == .page && Self.isOpenedInTab(fields)
        let isOwnSite = fields.all("Sec-Fetch-Site").allSatisfy { site in
            site.span.equals("same-origin") || (kind == .page && site.span.equals("none"))
                || isOpened
        }
        return isOwnOrigin && isOwnSite
    }

    /// Whether a link leads a whole tab to the page, as from a terminal in a browser or from a file:
    /// no other page can look into that tab, and the page itself has no data.
    private static func isOpenedInTab(_ fields: FieldSection) -> Bool {
        func isOnly(_ name: String, _ value: String) -> Bool {
            let values = fields.all(name)
            return values.count == 1 && values.allSatisfy { $0.span.equals(value) }
        }
        return isOnly("Sec-Fetch-Mode", "navigate") && isOnly("Sec-Fetch-Dest", "document")
    }

    private func hasKey(_ request: ServedRequest, _ kind: Kind, _ sessions: [Session]) -> Bool {
        let field = request.request.fields.first(Self.keyField).map { Array(copying: $0.span) }
        let name = kind == .read ? request.query(Self.keyName).map { Array($0.utf8) } : nil
        guard let key = field ?? name else { return false }
        var isValid = false
        for session in sessions where Self.areEqual(session.key, key) { isValid = true }
        return isValid
    }

    /// The logins whose cookie a request has.
    private func sessions(of fields: FieldSection, _ sessions: [Session]) -> [Session] {
        // Every session is compared, whichever is found.
        Self.cookies(named: cookie, in: fields).flatMap { found in
            sessions.filter { Self.areEqual($0.cookie, found) }
        }
    }

    private static func cookies(named name: String, in fields: FieldSection) -> [[UInt8]] {
        var values: [[UInt8]] = []
        for value in fields.all("Cookie") {
            for pair in Array(copying: value.span).split(separator: .ascii(";")) {
                let pair = Array(pair.drop { $0 == 0x20 })
                guard let equals = pair.firstIndex(of: .ascii("=")),
                    pair[..<equals].elementsEqual(name.utf8)
                else { continue }
                values.append(Array(pair[(equals + 1)...]))
            }
        }
        return values
    }
}
