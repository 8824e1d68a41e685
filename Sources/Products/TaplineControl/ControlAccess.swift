// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineOperations
internal import TaplineServe

/// Who may read from a control listener, and who may change something.
///
/// Reading needs no token: the listener is on loopback, or a socket of mode 0600. A page in the
/// user's browser is refused by its Host, its Origin or its Sec-Fetch-Site, and so is what a proxy
/// has forwarded.
struct ControlAccess: Sendable {
    private let rules: AccessRules?
    private let token: ControlToken

    init(_ address: ControlAddress, _ token: ControlToken) {
        self.token = token
        switch address {
        case .socket: rules = nil
        case .loopback(let host, let port):
            let hosts = Set(["127.0.0.1:\(port)", "localhost:\(port)", "\(host):\(port)"])
            rules = AccessRules(hosts: hosts.sorted(), cookie: "tapline-control-\(port)")
        }
    }

    /// Returns why a request is refused; `nil` if it is allowed.
    func refusal(of request: ServedRequest, changes: Bool) -> ControlRefusal? {
        guard let rules else {
            if request.isForwarded { return Self.error(.forwarded) }
            return changes && !hasToken(request) ? Self.missingToken : nil
        }
        // A browser states whose page has sent a request; the listener has no page of its own.
        if request.field("Origin") != nil { return Self.error(.origin) }
        if let refusal = rules.refusal(of: request, for: .page, sessions: []) {
            return Self.error(refusal)
        }
        return changes && !hasToken(request) ? Self.missingToken : nil
    }

    /// Whether the request has the token (RFC 6750 §2.1).
    private func hasToken(_ request: ServedRequest) -> Bool {
        guard request.request.fields.all("Authorization").count == 1,
            let value = request.field("Authorization")
        else { return false }
        let (scheme, rest) = (value.prefix(7), value.dropFirst(7))
        guard scheme.lowercased() == "bearer " else { return false }
        return AccessRules.areEqual(Array(rest.utf8), token.bytes)
    }

    private static func error(_ refusal: AccessRules.Refusal) -> ControlRefusal {
        ControlRefusal(refusal.status, refusal.rawValue, refusal.message)
    }

    private static let missingToken = ControlRefusal(
        401,
        "token",
        "a change needs the token: 'Authorization: Bearer TOKEN'"
    )
}

/// Why a request failed, as its sender gets it.
struct ControlRefusal: Error {
    let status: Int
    /// A word for programs.
    let code: String
    let message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }
}
