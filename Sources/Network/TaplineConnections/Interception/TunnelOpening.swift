// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineTLS

/// The first bytes of a client in a tunnel that is inspected.
package enum TunnelOpening {
    /// More bytes are needed.
    case incomplete
    /// TLS that the proxy can read.
    case tls(ClientHello)
    /// An HTTP request.
    case http
    /// Anything else, which passes unread.
    case other(Passthrough)

    /// The known facts about a tunnel that passes unread.
    package struct Passthrough {
        /// Why it is not read, if that may be unexpected.
        package var hint: String?
        /// Whether the client names different hosts in TLS and in CONNECT.
        package var namesOtherHost = false
        /// The host that a redirected client names in TLS.
        package var serverName: String?

        package init() {}
    }

    /// Inspects the first bytes without changing them.
    package init(_ bytes: Span<UInt8>, to host: ByteString, _ interception: Interception) {
        switch ClientHello.peek(bytes) {
        case .incomplete: self = .incomplete
        case .malformed: self = .other(Passthrough())
        case .notTLS:
            let usesHTTP2 = interception.usesHTTP2(with: host)
            self =
                interception.covers(host)
                ? Self.method(bytes, orHTTP2: usesHTTP2) : .other(Passthrough())
        case .hello(let hello):
            var passed = Passthrough()
            passed.namesOtherHost = hello.name(otherThan: host) != nil
            let isCovered = interception.covers(host, naming: hello.hostName)
            if isCovered,
                hello.takesHTTP1
                    || hello.offersHTTP2
                        && interception.usesHTTP2(with: host, naming: hello.hostName)
            {
                self = .tls(hello)
                return
            }
            if isCovered { passed.hint = "other_protocol" }
            self = .other(passed)
        }
    }

    /// Returns whether the bytes begin with a method of RFC 9110 §9 or RFC 5789.
    ///
    /// CONNECT is excluded, since it is for another proxy. With `orHTTP2`, the preface of HTTP/2 is
    /// included.
    package static func method(_ bytes: Span<UInt8>, orHTTP2: Bool = false) -> TunnelOpening {
        switch orHTTP2 ? HTTP2Preface.begins(bytes) : false {
        case true?: return .http
        case nil: return .incomplete
        case false?: break
        }
        var mayFollow = false
        for method in ["GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "OPTIONS ", "TRACE ", "PATCH "]
        {
            let count = min(bytes.count, method.utf8.count)
            guard bytes.extracting(0..<count).equals(method.utf8.span.extracting(0..<count))
            else { continue }
            if count == method.utf8.count { return .http }
            mayFollow = true
        }
        return mayFollow ? .incomplete : .other(Passthrough())
    }
}
