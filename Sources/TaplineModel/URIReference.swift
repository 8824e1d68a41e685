// SPDX-License-Identifier: MIT

/// Where the parts of a URI or of a relative reference lie in its bytes (RFC 3986 §4.1).
///
/// Nothing is decoded, and nothing is refused: any text has parts, by the expression of appendix B.
/// A part that is absent is `nil`, which is not the same as an empty one.
package struct URIReference {
    /// The scheme, without the `:`; never empty.
    package let scheme: Range<Int>?
    /// The authority, without the `//`.
    package let authority: Range<Int>?
    /// The path; may be empty.
    package let path: Range<Int>
    /// The query, without the `?`.
    package let query: Range<Int>?
    /// The fragment, without the `#`.
    package let fragment: Range<Int>?

    /// Splits a text.
    package init(_ text: Span<UInt8>) {
        let hash = text.firstIndex(of: .ascii("#")) ?? text.count
        let mark = text.extracting(0..<hash).firstIndex(of: .ascii("?")) ?? hash
        var start = 0
        if let colon = Self.schemeEnd(text.extracting(0..<mark)) {
            scheme = 0..<colon
            start = colon + 1
        } else {
            scheme = nil
        }
        if mark - start >= 2, text[start] == .ascii("/"), text[start + 1] == .ascii("/") {
            let first = start + 2
            let slash = text.extracting(0..<mark).firstIndex(of: .ascii("/"), from: first)
            start = slash ?? mark
            authority = first..<start
        } else {
            authority = nil
        }
        path = start..<mark
        query = mark < hash ? mark + 1..<hash : nil
        fragment = hash < text.count ? hash + 1..<text.count : nil
    }

    /// Where the scheme ends (RFC 3986 §3.1); `nil` if the text does not begin with one.
    private static func schemeEnd(_ text: Span<UInt8>) -> Int? {
        guard let first = text.isEmpty ? nil : text[0], 0x61...0x7A ~= first | 0x20 else {
            return nil
        }
        for index in text.indices where !URLParts.isScheme(text[index]) {
            return text[index] == .ascii(":") ? index : nil
        }
        return nil
    }

    /// The URI that a reference stands for in a document with a base URI; `nil` if the base has no
    /// scheme.
    ///
    /// **Source**: RFC 3986 §5.2.2, by which a reference with the scheme of the base is absolute too.
    package static func resolve(
        _ reference: Span<UInt8>,
        against base: Span<UInt8>
    ) -> [UInt8]? {
        let parts = URIReference(reference)
        let baseParts = URIReference(base)
        guard let baseScheme = baseParts.scheme else { return nil }
        var writer = URIWriter(capacity: base.count + reference.count + 1)
        func append(_ text: Span<UInt8>, _ part: Range<Int>?, after delimiter: String) {
            if let part { writer.append(text.extracting(part), after: delimiter) }
        }
        if let scheme = parts.scheme {
            writer.appendScheme(reference.extracting(scheme))
        } else {
            writer.appendScheme(base.extracting(baseScheme))
        }
        if parts.scheme != nil || parts.authority != nil {
            append(reference, parts.authority, after: "//")
            writer.appendPathWithoutDots(reference.extracting(parts.path))
            append(reference, parts.query, after: "?")
        } else {
            append(base, baseParts.authority, after: "//")
            let path = reference.extracting(parts.path)
            if path.isEmpty {
                writer.appendPathWithoutDots(base.extracting(baseParts.path))
            } else if path[0] == .ascii("/") {
                writer.appendPathWithoutDots(path)
            } else {
                writer.appendPathWithoutDots(baseParts.merged(base, with: path).span)
            }
            if parts.query != nil || !path.isEmpty {
                append(reference, parts.query, after: "?")
            } else {
                append(base, baseParts.query, after: "?")
            }
        }
        append(reference, parts.fragment, after: "#")
        return writer.bytes
    }

    /// A relative path after the last slash of this one (RFC 3986 §5.2.3).
    private func merged(_ text: Span<UInt8>, with relative: Span<UInt8>) -> [UInt8] {
        let own = text.extracting(path)
        var merged = Array(copying: own.extracting(0..<(own.lastIndex(of: .ascii("/")) ?? -1) + 1))
        if authority != nil, own.isEmpty { merged.append(.ascii("/")) }
        merged.append(copying: relative)
        return merged
    }
}

/// Puts a URI together, part by part in their order (RFC 3986 §5.3).
package struct URIWriter {
    /// What has been written.
    package private(set) var bytes: [UInt8] = []

    /// Starts with nothing, and with room for so many bytes.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends a scheme and its `:`.
    package mutating func appendScheme(_ scheme: Span<UInt8>) {
        bytes.append(copying: scheme)
        bytes.append(.ascii(":"))
    }

    /// Appends a part after its delimiter: an authority after `//`, a path after nothing, a query
    /// after `?`, a fragment after `#`.
    package mutating func append(_ part: Span<UInt8>, after delimiter: String = "") {
        bytes.append(copying: delimiter.utf8.span)
        bytes.append(copying: part)
    }

    /// Appends a path without its segments `.` and `..` (RFC 3986 §5.2.4).
    package mutating func appendPathWithoutDots(_ path: Span<UInt8>) {
        let start = bytes.count
        var index = 0
        while index < path.count {
            let slash = path[index] == .ascii("/") ? 1 : 0
            let end = path.firstIndex(of: .ascii("/"), from: index + slash) ?? path.count
            let segment = path.extracting(index + slash..<end)
            index = end
            if segment.equals(".") || segment.equals("..") {
                if segment.count == 2 { removeSegment(from: start) }
                if end == path.count { bytes.append(.ascii("/")) }
            } else {
                if slash > 0 { bytes.append(.ascii("/")) }
                bytes.append(copying: segment)
            }
        }
    }

    /// Removes the last segment and its slash.
    private mutating func removeSegment(from start: Int) {
        while bytes.count > start, bytes.removeLast() != .ascii("/") {}
    }
}
