// SPDX-License-Identifier: MIT

/// The ranges of the parts of a request target (RFC 9112 §3.2) of any form.
///
/// Nothing is decoded. The parts are adjacent, except for the `?`.
package struct TargetParts {
    /// Scheme and authority of an absolute-form, as in `http://shop.test`; otherwise empty.
    package let prefix: Range<Int>
    /// The path.
    package let path: Range<Int>
    /// The query, without the `?`; `nil` if there is none.
    package let query: Range<Int>?
    /// The fragment, including the `#`; a valid target has none.
    package let fragment: Range<Int>

    /// Splits a target.
    package init(_ target: Span<UInt8>) {
        let start = URLParts(target)?.target.lowerBound ?? 0
        let end = target.firstIndex(ofEither: .ascii("?"), .ascii("#"), from: start)
        prefix = 0..<start
        path = start..<end
        if end < target.count, target[end] == .ascii("?") {
            let hash = target.firstIndex(of: .ascii("#"), from: end) ?? target.count
            query = end + 1..<hash
            fragment = hash..<target.count
        } else {
            query = nil
            fragment = end..<target.count
        }
    }
}

/// The ranges of the parts of an authority (RFC 3986 §3.2).
///
/// The last `@` ends the user-info; the first colon after an address's brackets begins the port.
package struct AuthorityParts {
    /// The host; an IPv6 address includes its brackets.
    package let host: Range<Int>
    /// The port, without its colon; `nil` if there is no colon.
    package let port: Range<Int>?

    /// Splits an authority.
    package init(_ authority: Span<UInt8>) {
        var start = 0
        var colon: Int?
        for index in authority.indices {
            switch authority[index] {
            case .ascii("@"):
                start = index + 1
                colon = nil
            case .ascii("]"):
                colon = nil
            case .ascii(":"):
                colon = colon ?? index
            default:
                break
            }
        }
        host = start..<(colon ?? authority.count)
        port = colon.map { $0 + 1..<authority.count }
    }

    /// The given port, or else that of the scheme; `nil` if the given port is invalid.
    package func portNumber(_ authority: Span<UInt8>, scheme: Span<UInt8>) -> Int? {
        if let port, !port.isEmpty {
            return authority.extracting(port).decimal.flatMap { $0 <= 65_535 ? $0 : nil }
        }
        // RFC 6455 §3: the ports of WebSockets are those of HTTP.
        if scheme.equalsIgnoringCase("https") || scheme.equalsIgnoringCase("wss") { return 443 }
        return scheme.equalsIgnoringCase("http") || scheme.equalsIgnoringCase("ws") ? 80 : nil
    }
}
