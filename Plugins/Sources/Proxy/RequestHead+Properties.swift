// SPDX-License-Identifier: MIT

internal import TaplineHTTP

extension RequestHead {
    /// What a head says in addition to the request itself.
    struct Properties {
        let form: TargetForm
        let framing: BodyFraming
        let isVersion10: Bool
        let expectsContinue: Bool
        let kind: RequestKind
        /// Whether Host and the target name different servers.
        var namesOtherHost = false
        var hasVia = false
        var hasProxyAuthorization = false

        /// Whether the client uses SOCKS, and gets SOCKS replies until bytes pass.
        var isSocks = false
        /// Whether the client was redirected, and gets nothing but the bytes of its server.
        var isRedirected = false

        /// A tunnel that was requested through SOCKS.
        static let socks = Properties(
            form: .authority,
            framing: .none,
            isVersion10: false,
            expectsContinue: false,
            kind: RequestKind(isConnect: true),
            isSocks: true
        )

        /// Input that is not a request.
        static let unreadable = Properties(
            form: .origin,
            framing: .none,
            isVersion10: false,
            expectsContinue: false,
            kind: RequestKind()
        )
    }
}

extension RequestHead.Properties {
    init(_ head: borrowing RequestHead) {
        form = head.form
        framing = head.framing
        isVersion10 = head.isVersion10
        expectsContinue = head.expectsContinue
        kind = head.kind
        namesOtherHost = head.namesOtherHost
        hasVia = head.hasVia
        hasProxyAuthorization = head.hasProxyAuthorization
    }
}
