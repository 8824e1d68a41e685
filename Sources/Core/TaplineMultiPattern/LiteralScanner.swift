// SPDX-License-Identifier: MIT

internal import CHyperscan

/// A match: a literal and the position where it ends.
@frozen @usableFromInline package struct LiteralMatch: Sendable, Hashable {
    /// The index of the literal in its set.
    @usableFromInline package var literal: Int
    /// The position after its last byte.
    @usableFromInline package var end: Int

    /// Makes a match from a literal and its end.
    @inlinable
    package init(literal: Int, end: Int) {
        self.literal = literal
        self.end = end
    }
}

/// Finds the literals of a set, and keeps the scratch memory for it between scans.
///
/// **Isolation.** Used by one thread at a time; each thread makes its own.
@safe package final class LiteralScanner {
    /// The literals to find.
    package let set: LiteralSet
    private let scratch: OpaquePointer

    /// Allocates the scratch memory for a set.
    ///
    /// - Throws: `LiteralSetError` if the allocation fails.
    package init(_ set: LiteralSet) throws(LiteralSetError) {
        var scratch: OpaquePointer?
        guard unsafe hs_alloc_scratch(set.database, &scratch) == HS_SUCCESS,
            let scratch = unsafe scratch
        else {
            throw LiteralSetError(message: "out of memory for the scan")
        }
        self.set = set
        unsafe self.scratch = unsafe scratch
    }

    deinit {
        unsafe hs_free_scratch(scratch)
    }

    /// Appends the literals that end within a range of the text, ordered by their end.
    ///
    /// A literal may begin before the range, so that scanning a text range by range reports each
    /// match exactly once. If two literals end at the same position, both are reported.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - range: The range to scan, clamped to the text; the whole text by default.
    ///   - matches: The array that the matches are appended to.
    /// - Throws: `LiteralSetError` if Hyperscan fails; `matches` is then incomplete.
    package func scan(
        _ bytes: Span<UInt8>,
        in range: Range<Int>? = nil,
        into matches: inout [LiteralMatch]
    ) throws(LiteralSetError) {
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        // Hyperscan takes lengths of 32 bits.
        let largest = 1 << 30
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(range.upperBound, start + largest)
            let overlapStart = max(0, start - (set.longest - 1))
            let first = matches.count
            guard unsafe Self.scan(bytes.extracting(overlapStart..<end), set, scratch, &matches)
            else {
                throw LiteralSetError(message: "Hyperscan failed to scan the text")
            }
            Self.shift(&matches, from: first, by: overlapStart, keepingAfter: start)
            start = end
        }
    }

    @unsafe
    private static func scan(
        _ bytes: Span<UInt8>,
        _ set: LiteralSet,
        _ scratch: OpaquePointer,
        _ matches: inout [LiteralMatch]
    ) -> Bool {
        let status = unsafe withUnsafeMutablePointer(to: &matches) { matches in
            unsafe bytes.withUnsafeBytes { raw in
                unsafe hs_scan(
                    set.database,
                    raw.baseAddress?.assumingMemoryBound(to: CChar.self),
                    UInt32(raw.count),
                    0,
                    scratch,
                    { identifier, _, end, _, matches in
                        let matches = unsafe matches?.assumingMemoryBound(
                            to: [LiteralMatch].self
                        )
                        unsafe matches?.pointee.append(
                            LiteralMatch(literal: Int(identifier), end: Int(end))
                        )
                        return 0
                    },
                    matches
                )
            }
        }
        return status == HS_SUCCESS
    }

    /// Converts positions in a part to positions in the text, and drops matches of earlier parts.
    private static func shift(
        _ matches: inout [LiteralMatch],
        from first: Int,
        by offset: Int,
        keepingAfter start: Int
    ) {
        guard start > 0 else { return }
        var kept = first
        for index in first..<matches.count {
            let end = matches[index].end + offset
            guard end > start else { continue }
            matches[kept] = LiteralMatch(literal: matches[index].literal, end: end)
            kept += 1
        }
        matches.removeSubrange(kept...)
    }
}
