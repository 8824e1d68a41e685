// SPDX-License-Identifier: MIT

/// Where the parts of an absolute URL lie in its bytes (RFC 3986 §3).
///
/// Nothing is decoded.
@frozen
public struct URLParts: Sendable, Equatable {
    /// The scheme.
    public var scheme: Range<Int>
    /// The user-info, without the `@`; empty where there is none.
    public var userInfo: Range<Int>
    /// Host and port.
    public var hostPort: Range<Int>
    /// Path and query: what becomes an origin-form request target.
    ///
    /// May be empty.
    public var target: Range<Int>
    /// The fragment, without the `#`; empty where there is none.
    public var fragment: Range<Int>

    /// Splits an absolute URL with an authority; `nil` if there is no `scheme://`.
    public init?(_ url: Span<UInt8>) {
        guard let colon = url.firstIndex(of: .ascii(":")), colon > 0, colon + 2 < url.count,
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

    private static func isScheme(_ byte: UInt8) -> Bool {
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
    /// The absolute URL: made of scheme, authority and an origin-form target, or the absolute-form
    /// target itself (RFC 9112 §3.3).
    ///
    /// That of `*` is the server's, without a path, as in `http://shop.test`.
    ///
    /// Bytes are those received.
    public var url: ByteString {
        let bytes = target.span
        if scheme.isEmpty || URLParts(bytes) != nil { return target }
        var url = Array(copying: scheme.span)
        url.append(copying: "://".utf8.span)
        url.append(copying: authority.span)
        // RFC 9112 §3.3: the path of authority-form and asterisk-form is empty.
        if method.span.equals("CONNECT") || bytes.equals("*") { return ByteString(url) }
        if bytes.isEmpty || bytes[0] != .ascii("/") { url.append(.ascii("/")) }
        url.append(copying: bytes)
        return ByteString(url)
    }

    /// Sets scheme, authority and target from an absolute URL; the fragment is not sent and goes.
    ///
    /// Without a scheme, the text becomes the target alone.
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
    public var pathRange: Range<Int> {
        let bytes = target.span
        let start = URLParts(bytes)?.target.lowerBound ?? 0
        var end = start
        while end < bytes.count, bytes[end] != .ascii("?"), bytes[end] != .ascii("#") { end += 1 }
        return start..<end
    }

    /// The range of the query in the target, without the `?`; empty where there is none.
    public var queryRange: Range<Int> {
        let bytes = target.span
        let start = pathRange.upperBound
        guard start < bytes.count, bytes[start] == .ascii("?") else { return start..<start }
        let end = bytes.firstIndex(of: .ascii("#"), from: start) ?? bytes.count
        return start + 1..<end
    }

    /// Where the authority's host and port lie.
    ///
    /// The last `@` ends the user-info; the first colon after an address's brackets begins the
    /// port (RFC 3986 §3.2).
    private var authorityRanges: (host: Range<Int>, port: Range<Int>) {
        let bytes = authority.span
        var start = 0
        var colon: Int?
        for index in bytes.indices {
            switch bytes[index] {
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
        guard let colon else { return (start..<bytes.count, bytes.count..<bytes.count) }
        return (start..<colon, colon + 1..<bytes.count)
    }

    /// The range of the host in the authority; an IPv6 address in its brackets.
    public var hostRange: Range<Int> { authorityRanges.host }

    /// The host, without user-info and port; an IPv6 address in its brackets.
    public var host: ByteString {
        ByteString(authority.span.extracting(hostRange))
    }

    /// The port that is named, or that of the scheme; `nil` if what is named is no port.
    public var port: Int? { port(at: authorityRanges.port) }

    /// Both, looked for once.
    package var hostAndPort: (host: ByteString, port: Int?) {
        let ranges = authorityRanges
        return (ByteString(authority.span.extracting(ranges.host)), port(at: ranges.port))
    }

    private func port(at range: Range<Int>) -> Int? {
        let digits = authority.span.extracting(range)
        if !digits.isEmpty { return digits.decimal.flatMap { $0 <= 65_535 ? $0 : nil } }
        if scheme.span.equalsIgnoringCase("https") { return 443 }
        return scheme.span.equalsIgnoringCase("http") ? 80 : nil
    }
}
