// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineTLS

/// The first bytes of a client that was redirected and does not know of the proxy.
extension TunnelOpening {
    /// Inspects the first bytes without changing them.
    ///
    /// HTTP is read whatever the interception covers, as a proxy reads the HTTP that it is sent.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - host: The host of the server.
    ///   - interception: What is read; `nil` for HTTP only.
    ///   - usesHTTP2: Whether the client may use HTTP/2 without TLS.
    ///   - isDistrusted: Returns whether a client has rejected the certificate before.
    init(
        redirected bytes: Span<UInt8>,
        to host: ByteString,
        _ interception: Interception?,
        usesHTTP2: Bool,
        isDistrusted: (ClientHello) -> Bool
    ) {
        switch ClientHello.peek(bytes) {
        case .incomplete: self = .incomplete
        case .malformed: self = .other(Passthrough())
        case .notTLS: self = Self.redirectedMethod(bytes, orHTTP2: usesHTTP2)
        case .hello(let hello):
            let isDistrusted = isDistrusted(hello)
            var opening = Self.other(Passthrough())
            if !isDistrusted, let interception, interception.looksInto(host) {
                opening = TunnelOpening(bytes, to: host, interception)
            }
            guard case .other(var passed) = opening else {
                self = opening
                return
            }
            passed.serverName = hello.hostName?.text
            // The client has named an address, so no other host.
            passed.namesOtherHost = false
            if isDistrusted { passed.hint = "trust_ca" }
            self = .other(passed)
        }
    }

    /// Returns whether the bytes begin with a request to a server.
    ///
    /// A request with a URL is for a proxy that the client knows, so it passes unread.
    private static func redirectedMethod(
        _ bytes: Span<UInt8>,
        orHTTP2: Bool
    ) -> TunnelOpening {
        let found = method(bytes, orHTTP2: orHTTP2)
        guard case .http = found else { return found }
        guard let space = bytes.firstIndex(of: 0x20) else { return .incomplete }
        let target = bytes.extracting((space + 1)..<bytes.count)
        guard let first = target.isEmpty ? nil : target[0] else { return .incomplete }
        return first == .ascii("/") || first == .ascii("*") ? .http : .other(Passthrough())
    }
}
