// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Reads bodies in which tokens are searched.
enum TokenBody {
    /// The largest body that is read, in bytes after decoding.
    static let maxBytes = 8 << 20

    /// Returns a body without its content codings; `nil` if it is damaged, truncated or too large.
    static func decoded(_ body: borrowing Body) -> [UInt8]? {
        guard !body.bytes.isEmpty, body.bytes.count <= maxBytes, !body.isTruncated else {
            return nil
        }
        if body.coding.isEmpty { return body.bytes }
        return try? ContentCoding.decode(
            body.bytes.span,
            codings: ContentCoding.list(body.coding.span),
            limits: DecodingLimits(maxOutputBytes: maxBytes)
        )
    }

    /// Returns the position of the quote that ends a string of valid JSON.
    static func endOfString(_ text: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < text.count, text[position] != .ascii("\"") {
            position += text[position] == .ascii("\\") ? 2 : 1
        }
        return min(position, text.count)
    }
}

/// The fields that never contain tokens.
enum TokenFields {
    private static let requests: Set<String> = [
        "host", "user-agent", "accept", "accept-encoding", "accept-language", "accept-charset",
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade", "content-length", "content-type", "content-encoding", "date", "expect", "origin",
        "referer", "traceparent", "tracestate", "range", "via", "cache-control", "pragma", "dnt",
        "upgrade-insecure-requests", "priority",
    ]
    private static let responses: Set<String> = [
        "date", "server", "age", "expires", "cache-control", "connection", "keep-alive", "vary",
        "content-length", "content-type", "content-encoding", "content-language", "content-range",
        "content-md5", "digest", "transfer-encoding", "trailer", "via", "alt-svc", "allow",
        "accept-ranges", "strict-transport-security", "x-powered-by", "set-cookie", "pragma",
        "content-security-policy", "retry-after", "x-frame-options", "server-timing",
    ]

    static func isIgnoredInRequests(_ name: Span<UInt8>) -> Bool {
        name.starts(withIgnoringCase: "sec-") || contains(requests, name)
    }

    static func isIgnoredInResponses(_ name: Span<UInt8>) -> Bool {
        name.starts(withIgnoringCase: "access-control-") || contains(responses, name)
    }

    private static func contains(_ names: Set<String>, _ name: Span<UInt8>) -> Bool {
        names.contains(String(decoding: Array(copying: name).map(\.asciiLowercased), as: UTF8.self))
    }
}
