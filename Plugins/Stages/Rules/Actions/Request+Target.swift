// SPDX-License-Identifier: MIT

internal import TaplineModel

// Changes of the request target (RFC 9112 §3.2); parts that are not changed keep their bytes.
extension Request {
    /// Replaces the path; a path with a query replaces that too.
    ///
    /// A path without a slash at its beginning gets one. Bytes that a target cannot contain are
    /// percent-encoded, and a fragment is not sent.
    mutating func replacePath(_ path: [UInt8]) {
        let parts = TargetParts(target.span)
        var new = Array(copying: target.span.extracting(parts.prefix))
        if path.first != .ascii("/") { new.append(.ascii("/")) }
        var hasQuery = false
        for byte in path.prefix(while: { $0 != .ascii("#") }) {
            if byte == .ascii("?") { hasQuery = true }
            new.appendTargetByte(byte)
        }
        if !hasQuery, let query = parts.query {
            new.append(.ascii("?"))
            new.append(copying: target.span.extracting(query))
        }
        target = ByteString(new)
    }

    /// Replaces the query by one that a closure makes of it; an empty one is removed.
    mutating func replaceQuery(_ make: (Span<UInt8>) -> [UInt8]) {
        let parts = TargetParts(target.span)
        var new = Array(copying: target.span.extracting(0..<parts.path.upperBound))
        let end = parts.path.upperBound
        let query = make(target.span.extracting(parts.query ?? end..<end))
        if !query.isEmpty {
            new.append(.ascii("?"))
            new += query
        }
        target = ByteString(new)
    }

    /// Replaces scheme, host and port, also in an absolute-form target and in the Host field.
    mutating func replaceOrigin(scheme: ByteString, authority: ByteString) {
        let parts = TargetParts(target.span)
        if !parts.prefix.isEmpty {
            var new = Array(copying: scheme.span)
            new.append(copying: "://".utf8.span)
            new.append(copying: authority.span)
            new.append(copying: target.span.extracting(parts.prefix.upperBound..<target.count))
            target = ByteString(new)
        }
        self.scheme = scheme
        self.authority = authority
        if fields.contains("Host") { fields.set("Host".utf8.span, to: authority.span) }
    }
}

extension [UInt8] {
    /// Appends a byte of a path or query, percent-encoded if a target cannot contain it.
    fileprivate mutating func appendTargetByte(_ byte: UInt8) {
        if byte > 0x20, byte < 0x7F {
            append(byte)
        } else {
            self += PercentEncoding.encode([byte].span)
        }
    }
}
