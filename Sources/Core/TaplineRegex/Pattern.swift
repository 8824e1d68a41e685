// SPDX-License-Identifier: MIT

internal import CRE2Shims

/// A compiled regular expression in RE2's syntax, matched in time linear in the input.
///
/// **Isolation.** Immutable; any number of threads may match with one pattern at the same time.
///
/// **Limits.** Matching neither traps nor loops on any input. Bytes that are not valid UTF-8 match
/// no character under `Encoding.utf8` and one character each under `.bytes`.
///
/// **Source.** RE2's `doc/syntax.txt`.
@safe package final class Pattern: Sendable {
    /// The source text of the expression.
    package let text: String

    /// The number of capturing groups, excluding the whole match.
    package let captureCount: Int

    /// The names of the groups by index; index 0 is the whole match, which has no name.
    package let names: [String?]

    // RE2 guards its lazily built automata with its own locks.
    private nonisolated(unsafe) let handle: OpaquePointer

    /// Compiles an expression.
    ///
    /// - Parameters:
    ///   - text: The expression.
    ///   - options: How the expression is parsed, and how large it may be.
    /// - Throws: `PatternError` if the expression is malformed or exceeds a limit.
    package init(_ text: String, options: PatternOptions) throws(PatternError) {
        var source = text
        let length = source.utf8.count
        guard length <= options.maxTextBytes else {
            throw PatternError(
                message: "expression is too long; found \(length) bytes, expected at most "
                    + "\(options.maxTextBytes)"
            )
        }
        var failure = tapline_re2_error()
        let compiled = source.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                unsafe tapline_re2_compile(
                    characters.baseAddress,
                    characters.count,
                    options.forC,
                    &failure
                )
            }
        }
        guard let compiled = unsafe compiled else {
            throw PatternError(failure, text: text, options: options)
        }
        unsafe handle = compiled
        self.text = text
        captureCount = Int(unsafe tapline_re2_group_count(compiled))
        names = (0...captureCount).map { unsafe Self.name(ofGroup: $0, in: compiled) }
    }

    /// Compiles an expression with the default limits.
    ///
    /// - Parameters:
    ///   - text: The expression.
    ///   - caseInsensitive: Whether letters match in either case.
    /// - Throws: `PatternError` if the expression is malformed or exceeds a limit.
    package convenience init(
        _ text: String,
        caseInsensitive: Bool = false
    ) throws(PatternError) {
        var options = PatternOptions()
        options.caseInsensitive = caseInsensitive
        try self.init(text, options: options)
    }

    deinit {
        unsafe tapline_re2_free(handle)
    }

    /// The size of the compiled program, in instructions.
    package var programSize: Int {
        Int(unsafe tapline_re2_program_size(handle))
    }

    /// Returns the index of the group with this name, or `nil` if there is none.
    package func index(ofGroup name: String) -> Int? {
        names.firstIndex(of: name)
    }

    /// Returns whether the expression matches anywhere in the bytes.
    package func matches(_ bytes: Span<UInt8>) -> Bool {
        unsafe search(bytes, from: 0, ranges: nil, count: 0)
    }

    /// Returns whether the expression matches anywhere in the text.
    package func matches(_ text: String) -> Bool {
        matches(text.utf8.span)
    }

    /// Finds the first match, without its groups.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to search.
    ///   - from: Where the search begins; earlier bytes still count for `^` and `\b`.
    /// - Returns: The range of the leftmost match, or `nil` if there is none.
    package func firstRange(in bytes: Span<UInt8>, from: Int = 0) -> Range<Int>? {
        var range = tapline_re2_range(start: -1, end: -1)
        guard unsafe search(bytes, from: from, ranges: &range, count: 1) else {
            return nil
        }
        return range.start..<range.end
    }

    /// Finds the first match and its groups.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to search.
    ///   - from: Where the search begins; earlier bytes still count for `^` and `\b`.
    /// - Returns: The groups of the leftmost match, or `nil` if there is none.
    package func firstMatch(in bytes: Span<UInt8>, from: Int = 0) -> CaptureGroups? {
        var captures = CaptureGroups()
        return firstMatch(in: bytes, from: from, captures: &captures) ? captures : nil
    }

    /// Finds the first match and writes its groups to storage that the caller reuses.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to search.
    ///   - from: Where the search begins; earlier bytes still count for `^` and `\b`.
    ///   - captures: The groups of the match; empty if there is no match.
    /// - Returns: Whether there was a match.
    package func firstMatch(
        in bytes: Span<UInt8>,
        from: Int = 0,
        captures: inout CaptureGroups
    ) -> Bool {
        captures.prepare(count: captureCount + 1)
        let found = unsafe captures.ranges.withUnsafeMutableBufferPointer { ranges in
            unsafe search(
                bytes,
                from: from,
                ranges: ranges.baseAddress,
                count: Int32(ranges.count)
            )
        }
        if !found {
            captures.prepare(count: 0)
        }
        return found
    }

    /// Calls a closure with each match in turn, from left to right and without overlap.
    ///
    /// After an empty match the search continues one byte later, so that it always ends.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to search.
    ///   - body: Receives the groups; returns whether to continue.
    /// - Throws: Any error that the closure throws.
    package func forEachMatch<Failure: Error>(
        in bytes: Span<UInt8>,
        _ body: (borrowing CaptureGroups) throws(Failure) -> Bool
    ) throws(Failure) {
        var captures = CaptureGroups()
        var position = 0
        while position <= bytes.count,
            firstMatch(in: bytes, from: position, captures: &captures),
            let whole = captures[0]
        {
            guard try body(captures) else {
                return
            }
            position = whole.isEmpty ? whole.upperBound + 1 : whole.upperBound
        }
    }

    @unsafe
    private func search(
        _ bytes: Span<UInt8>,
        from: Int,
        ranges: UnsafeMutablePointer<tapline_re2_range>?,
        count: Int32
    ) -> Bool {
        guard from >= 0, from <= bytes.count else {
            return false
        }
        return unsafe bytes.withUnsafeBytes { raw in
            unsafe tapline_re2_search(
                handle,
                raw.baseAddress?.assumingMemoryBound(to: CChar.self),
                raw.count,
                from,
                ranges,
                count
            )
        }
    }

    @unsafe
    private static func name(ofGroup index: Int, in handle: OpaquePointer) -> String? {
        var length = 0
        guard let name = unsafe tapline_re2_group_name(handle, Int32(index), &length) else {
            return nil
        }
        return unsafe String(
            decoding: UnsafeRawBufferPointer(start: name, count: length),
            as: UTF8.self
        )
    }
}
