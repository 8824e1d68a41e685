// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The forms of methods, schemes and hosts that cannot, or are unlikely to, hold a secret.
enum HarmlessForm {
    /// The IANA registry of HTTP methods without the reserved `*`, the most frequent ones first
    /// (https://www.iana.org/assignments/http-methods).
    private static let methods = [
        "GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH", "CONNECT", "TRACE", "PROPFIND",
        "REPORT", "SEARCH", "QUERY", "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT",
        "COPY", "LABEL", "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL",
        "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "ORDERPATCH", "PRI", "PROPPATCH", "REBIND",
        "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF",
        "VERSION-CONTROL",
    ]
    private static let schemes = ["https", "http", "wss", "ws"]

    /// The maximum length of a name and of a label in bytes (RFC 1035 section 2.3.4).
    private static let nameMax = 253
    private static let labelMax = 63
    /// The length from which letters and digits without a hyphen look like a token.
    private static let tokenMin = 20

    /// Returns whether a method is registered; methods are case-sensitive (RFC 9110 section 9.1).
    static func isMethod(_ bytes: Span<UInt8>) -> Bool {
        methods.contains { bytes.equals($0) }
    }

    /// Returns whether a scheme is an HTTP or WebSocket scheme.
    static func isScheme(_ bytes: Span<UInt8>) -> Bool {
        schemes.contains { bytes.equalsIgnoringCase($0) }
    }

    /// Returns whether a host is an IP address or a plain name.
    ///
    /// A plain name consists of labels of letters, digits, hyphens and underscores, none of which
    /// looks like a token. RFC 3986 allows more in a host, including percent-encoding.
    static func isHost(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes.count <= nameMax + 1 else { return false }
        if bytes[0] == .ascii("[") { return isAddressLiteral(bytes) }
        var end = bytes.count
        // The dot of the root zone.
        if end > 1, bytes[end - 1] == .ascii(".") { end -= 1 }
        var start = 0
        for index in 0...end where index == end || bytes[index] == .ascii(".") {
            guard isLabel(bytes.extracting(start..<index)) else { return false }
            start = index + 1
        }
        return end <= nameMax
    }

    private static func isLabel(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes.count <= labelMax else { return false }
        var run = (length: 0, digits: 0)
        for index in bytes.indices {
            switch bytes[index] {
            case 0x30...0x39:
                run.length += 1
                run.digits += 1
            case 0x41...0x5A, 0x61...0x7A:
                run.length += 1
            case .ascii("-"), .ascii("_"):
                run = (0, 0)
            default:
                return false
            }
            if run.length >= tokenMin, run.digits > 0 { return false }
        }
        return true
    }

    /// Returns whether a host in brackets consists of the characters of an IPv6 address; a zone is
    /// not allowed, since it is free text (RFC 6874).
    private static func isAddressLiteral(_ bytes: Span<UInt8>) -> Bool {
        let longest = "[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]".utf8.count
        guard 4...longest ~= bytes.count, bytes[bytes.count - 1] == .ascii("]") else {
            return false
        }
        var colons = 0
        for index in 1..<bytes.count - 1 {
            if bytes[index] == .ascii(":") {
                colons += 1
            } else if bytes[index] != .ascii("."), bytes[index].hexDigit == nil {
                return false
            }
        }
        return 2...7 ~= colons
    }
}
