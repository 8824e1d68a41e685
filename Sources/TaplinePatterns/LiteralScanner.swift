// SPDX-License-Identifier: MIT

internal import CHyperscan

/// Where a literal ends.
@frozen public struct LiteralMatch: Sendable, Hashable {
    /// The index of the literal in its set.
    public var literal: Int
    /// The position after its last byte.
    public var end: Int

    /// A literal and its end.
    @inlinable
    public init(literal: Int, end: Int) {
        self.literal = literal
        self.end = end
    }
}

/// Finds the literals of a set: the room that a scan needs, kept from one to the next.
///
/// **Isolation.** For one thread at a time; each makes its own.
@safe public final class LiteralScanner {
    /// What is looked for.
    public let set: LiteralSet
    private let scratch: OpaquePointer

    /// Makes room to scan for a set.
    ///
    /// - Throws: `LiteralSetError` when there is no memory for it.
    public init(_ set: LiteralSet) throws(LiteralSetError) {
        var scratch: OpaquePointer?
        guard unsafe hs_alloc_scratch(set.database, &scratch) == HS_SUCCESS,
            let scratch = unsafe scratch
        else {
            throw LiteralSetError(message: "no memory to scan with")
        }
        self.set = set
        unsafe self.scratch = unsafe scratch
    }

    deinit {
        unsafe hs_free_scratch(scratch)
    }

    /// Appends the literals that end within a part of the text, ordered by their end.
    ///
    /// A literal may begin before the part: a text that is scanned part by part gives each match
    /// once. Where two end at one place, both are given.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - range: The part; what lies outside the text is left out.
    ///   - matches: Gets the matches.
    /// - Throws: `LiteralSetError` when Hyperscan gives up; matches are then missing.
    public func scan(
        _ bytes: Span<UInt8>,
        in range: Range<Int>? = nil,
        into matches: inout [LiteralMatch]
    ) throws(LiteralSetError) {
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        // Lengths are 32 bits wide there.
        let largest = 1 << 30
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(range.upperBound, start + largest)
            let behind = max(0, start - (set.longest - 1))
            let first = matches.count
            guard unsafe Self.scan(bytes.extracting(behind..<end), set, scratch, &matches) else {
                throw LiteralSetError(message: "Hyperscan gave up")
            }
            Self.shift(&matches, from: first, by: behind, keepingBehind: start)
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

    /// Makes positions in a part positions in the whole, without what the part before had found.
    private static func shift(
        _ matches: inout [LiteralMatch],
        from first: Int,
        by offset: Int,
        keepingBehind start: Int
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
