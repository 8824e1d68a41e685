// SPDX-License-Identifier: MIT

/// The ranges of the parts of a URI or relative reference (RFC 3986 §4.1).
///
/// Nothing is decoded or rejected: any text has parts, by the expression of appendix B. An absent
/// part is `nil`, which differs from an empty one.
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

    /// The end of the scheme (RFC 3986 §3.1); `nil` if the text does not begin with one.
    private static func schemeEnd(_ text: Span<UInt8>) -> Int? {
        guard let first = text.isEmpty ? nil : text[0], 0x61...0x7A ~= first | 0x20 else {
            return nil
        }
        for index in text.indices where !URLParts.isScheme(text[index]) {
            return text[index] == .ascii(":") ? index : nil
        }
        return nil
    }

    /// Resolves a reference in a document with a base URI; `nil` if the base has no scheme.
    package static func resolve(
        _ reference: Span<UInt8>,
        against base: Span<UInt8>
    ) -> [UInt8]? {
        var isResolved = false
        let uri = [UInt8](capacity: base.count + reference.count + 1) { output in
            isResolved = resolve(reference, against: base, into: &output)
        }
        return isResolved ? uri : nil
    }

    /// Writes the resolved reference: at most the bytes of both texts and one more.
    ///
    /// **Source**: RFC 3986 §5.2.2, by which a reference with the scheme of the base is absolute
    /// too.
    ///
    /// - Returns: Whether the base has a scheme; if not, nothing is written.
    @_lifetime(output: copy output)
    package static func resolve(
        _ reference: Span<UInt8>,
        against base: Span<UInt8>,
        into output: inout OutputSpan<UInt8>
    ) -> Bool {
        let parts = URIReference(reference)
        let baseParts = URIReference(base)
        guard let baseScheme = baseParts.scheme else { return false }
        if let scheme = parts.scheme {
            output.appendScheme(reference.extracting(scheme))
        } else {
            output.appendScheme(base.extracting(baseScheme))
        }
        let path = reference.extracting(parts.path)
        if parts.scheme != nil || parts.authority != nil {
            output.append(reference, parts.authority, after: "//")
            output.appendPath(path)
            output.append(reference, parts.query, after: "?")
        } else {
            output.append(base, baseParts.authority, after: "//")
            let basePath = base.extracting(baseParts.path)
            if path.isEmpty {
                output.appendPath(basePath)
            } else if path[0] == .ascii("/") {
                output.appendPath(path)
            } else if let slash = basePath.lastIndex(of: .ascii("/")) {
                // RFC 3986 §5.2.3: replaces the last segment.
                output.appendPath(basePath.extracting(0..<slash), slashAnd: path)
            } else if baseParts.authority != nil, basePath.isEmpty {
                output.appendPath(basePath, slashAnd: path)
            } else {
                output.appendPath(path)
            }
            if parts.query != nil || !path.isEmpty {
                output.append(reference, parts.query, after: "?")
            } else {
                output.append(base, baseParts.query, after: "?")
            }
        }
        output.append(reference, parts.fragment, after: "#")
        return true
    }
}

/// Assembles a URI from its parts, in order (RFC 3986 §5.3).
///
/// There must be room for each part and its delimiter.
extension OutputSpan where Element == UInt8 {
    /// Appends a scheme and its `:`.
    @_lifetime(self: copy self)
    package mutating func appendScheme(_ scheme: Span<UInt8>) {
        append(copying: scheme)
        append(.ascii(":"))
    }

    /// Appends a delimiter and a part: an authority after `//`, a query after `?`, a fragment after
    /// `#`.
    @_lifetime(self: copy self)
    package mutating func append(_ part: Span<UInt8>, after delimiter: StaticString) {
        append(delimiter)
        append(copying: part)
    }

    /// Appends a delimiter and a part of a text, if the part is present.
    @_lifetime(self: copy self)
    fileprivate mutating func append(
        _ text: Span<UInt8>,
        _ part: Range<Int>?,
        after delimiter: StaticString
    ) {
        if let part { append(text.extracting(part), after: delimiter) }
    }

    /// Appends a path without its `.` and `..` segments (RFC 3986 §5.2.4).
    @_lifetime(self: copy self)
    fileprivate mutating func appendPath(_ path: Span<UInt8>) {
        appendSegments(path, from: count, endsPath: true)
    }

    /// Appends two paths joined by a slash, without their `.` and `..` segments.
    @_lifetime(self: copy self)
    fileprivate mutating func appendPath(_ path: Span<UInt8>, slashAnd rest: Span<UInt8>) {
        let start = count
        appendSegments(path, from: start, endsPath: false)
        appendSegments(rest, from: start, followsSlash: true, endsPath: true)
    }

    /// Appends the segments of a path that begins at `start`.
    @_lifetime(self: copy self)
    private mutating func appendSegments(
        _ path: Span<UInt8>,
        from start: Int,
        followsSlash: Bool = false,
        endsPath: Bool
    ) {
        var index = 0
        var slash = followsSlash
        while index < path.count {
            if path[index] == .ascii("/") {
                slash = true
                index += 1
            }
            let end = path.firstIndex(of: .ascii("/"), from: index) ?? path.count
            let segment = path.extracting(index..<end)
            if segment.isExactly(".") || segment.isExactly("..") {
                if segment.count == 2 { removeSegment(from: start) }
                if end == path.count, endsPath { append(.ascii("/")) }
            } else {
                if slash { append(.ascii("/")) }
                append(copying: segment)
            }
            index = end
            slash = false
        }
    }

    /// Removes the last segment and its slash.
    @_lifetime(self: copy self)
    private mutating func removeSegment(from start: Int) {
        while count > start, removeLast() != .ascii("/") {}
    }
}
