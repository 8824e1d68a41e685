// SPDX-License-Identifier: MIT

/// The ranges of the parts of an absolute URL (RFC 3986 §3).
///
/// Nothing is decoded.
@frozen
public struct URLParts: Sendable, Equatable {
    /// The scheme.
    public var scheme: Range<Int>
    /// The user-info, without the `@`; empty if there is none.
    public var userInfo: Range<Int>
    /// Host and port.
    public var hostPort: Range<Int>
    /// Path and query, as in an origin-form request target; may be empty.
    public var target: Range<Int>
    /// The fragment, without the `#`; empty if there is none.
    public var fragment: Range<Int>

    /// Splits an absolute URL with an authority; `nil` if there is no `scheme://`.
    public init?(_ url: Span<UInt8>) {
        // Most targets begin with a slash and need no search.
        guard !url.isEmpty, url[0] != .ascii("/"),
            let colon = url.firstIndex(of: .ascii(":")), colon > 0, colon + 2 < url.count,
            url[colon + 1] == .ascii("/"), url[colon + 2] == .ascii("/")
        else { return nil }
        for index in 0..<colon where !URLParts.isScheme(url[index]) { return nil }
        let start = colon + 3
        var end = start
        while end < url.count, !URLParts.endsAuthority(url[end]) { end += 1 }
        var host = start
        for index in start..<end where url[index] == .ascii("@") { host = index + 1 }
        let hash = url.firstIndex(of: .ascii("#"), from: end) ?? url.count
        scheme = 0..<colon
        userInfo = start..<(host > start ? host - 1 : start)
        hostPort = host..<end
        target = end..<hash
        fragment = Swift.min(hash + 1, url.count)..<url.count
    }

    /// The request target in origin-form (RFC 9112 §3.2.1): an empty path is `/`.
    public func originForm(of url: Span<UInt8>) -> ByteString {
        let rest = url.extracting(target)
        if rest.isEmpty { return "/" }
        guard rest[0] == .ascii("?") else { return ByteString(rest) }
        var bytes: [UInt8] = [.ascii("/")]
        bytes.append(copying: rest)
        return ByteString(bytes)
    }

    static func isScheme(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case .ascii("+"), .ascii("-"), .ascii("."): true
        default: false
        }
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == .ascii("/") || byte == .ascii("?") || byte == .ascii("#")
    }
}

extension Request {
    /// The absolute URL: scheme, authority and an origin-form target, or the absolute-form target
    /// itself (RFC 9112 §3.3).
    ///
    /// The URL of `*` is that of the server without a path, as in `http://shop.test`. Bytes are as
    /// received.
    public var url: ByteString {
        var url: [UInt8] = []
        appendURL(to: &url)
        return ByteString(url)
    }

    /// Appends the absolute URL, as in `url`.
    package func appendURL(to url: inout [UInt8]) {
        Request.appendURL(method.span, scheme.span, authority.span, target.span, to: &url)
    }

    /// Appends the absolute URL of a request with the given parts, as in `url`.
    package static func appendURL(
        _ method: Span<UInt8>,
        _ scheme: Span<UInt8>,
        _ authority: Span<UInt8>,
        _ target: Span<UInt8>,
        to url: inout [UInt8]
    ) {
        if scheme.isEmpty || URLParts(target) != nil {
            url.append(copying: target)
            return
        }
        url.reserveCapacity(url.count + scheme.count + authority.count + target.count + 4)
        url.append(copying: scheme)
        url.append(copying: "://".utf8.span)
        url.append(copying: authority)
        // RFC 9112 §3.3: the path of authority-form and asterisk-form is empty.
        if method.equals("CONNECT") || target.equals("*") { return }
        if target.isEmpty || target[0] != .ascii("/") { url.append(.ascii("/")) }
        url.append(copying: target)
    }

    /// Sets scheme, authority and target from an absolute URL; the fragment is removed, since it is
    /// not sent.
    ///
    /// If the text has no scheme, it becomes the target.
    public mutating func setURL(_ url: Span<UInt8>) {
        guard let parts = URLParts(url) else {
            target = ByteString(url)
            return
        }
        scheme = ByteString(url.extracting(parts.scheme))
        authority = ByteString(
            url.extracting(parts.userInfo.lowerBound..<parts.hostPort.upperBound)
        )
        target = parts.originForm(of: url)
    }

    /// The range of the path in the target: raw, without query, fragment or authority.
    public var pathRange: Range<Int> { TargetParts(target.span).path }

    /// The range of the query in the target, without the `?`; empty if there is none.
    public var queryRange: Range<Int> {
        let parts = TargetParts(target.span)
        return parts.query ?? parts.path.upperBound..<parts.path.upperBound
    }

    /// The range of the host in the authority; an IPv6 address includes its brackets.
    public var hostRange: Range<Int> { AuthorityParts(authority.span).host }

    /// The host, without user-info and port; an IPv6 address includes its brackets.
    public var host: ByteString {
        ByteString(authority.span.extracting(hostRange))
    }

    /// The given port, or else that of the scheme; `nil` if the given port is invalid.
    public var port: Int? {
        AuthorityParts(authority.span).portNumber(authority.span, scheme: scheme.span)
    }

    /// Host and port, from a single parse.
    package var hostAndPort: (host: ByteString, port: Int?) {
        let parts = AuthorityParts(authority.span)
        return (
            ByteString(authority.span.extracting(parts.host)),
            parts.portNumber(authority.span, scheme: scheme.span)
        )
    }
}
