// SPDX-License-Identifier: MIT

internal import CByteScan
internal import TaplineBytes

/// Searches for rare bytes, sixteen bytes at a time.
///
/// Each search begins at a position within the text and returns the text's count if it finds
/// nothing.
enum ByteBlocks {
    /// Returns the first byte, from a position on, that may begin an escape.
    @inline(__always)
    static func nextMark(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_mark($0, $1, $2) }
    }

    /// Returns the first byte, from a position on, that may begin an escape or ends a run of
    /// escapes.
    @inline(__always)
    static func nextMarkOrBorder(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_mark_or_border($0, $1, $2) }
    }

    /// Returns the position after the last byte before `end` that ends a run of escapes; else
    /// `start`.
    @inline(__always)
    static func afterBorder(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        precondition(0 <= start && start <= end && end <= bytes.count, "range outside the text")
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return start }
            return unsafe tapline_after_border(base, start, end)
        }
    }

    /// Returns the first byte, from a position on, that is not a base64 digit.
    @inline(__always)
    static func endOfDigits(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_no_base64($0, $1, $2) }
    }

    /// Returns the first base64 digit, from a position on, that only one alphabet has.
    @inline(__always)
    static func nextSign(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_base64_sign($0, $1, $2) }
    }

    /// Returns the first slash from a position on.
    @inline(__always)
    static func nextSlash(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_slash($0, $1, $2) }
    }

    /// Returns the first NUL from a position on.
    @inline(__always)
    static func nextNUL(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_nul($0, $1, $2) }
    }

    /// Returns the first position, from a position on, of two bytes that may begin compressed data.
    @inline(__always)
    static func nextStreamStart(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_stream_start($0, $1, $2) }
    }

    /// Returns the first equals sign from a position on.
    @inline(__always)
    static func nextEqualsSign(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_equals_sign($0, $1, $2) }
    }
}

/// An iterator over the runs of base64 digits in a text.
struct DigitRuns {
    private var search = tapline_run_search()

    /// Makes an iterator over the runs that begin at or after a position.
    init(from start: Int) {
        search.next = start
        search.open = start
    }

    /// Returns the next run of at least `length` digits, 1 to 32; each call must pass the same
    /// text.
    @inline(__always)
    mutating func next(in bytes: Span<UInt8>, length: Int) -> Range<Int>? {
        guard search.next <= bytes.count else { return nil }
        let run = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.map { base in
                unsafe tapline_next_base64_run(base, &search, bytes.count, length)
            }
        }
        guard let run, run.end > 0 else { return nil }
        return run.start..<run.end
    }
}
