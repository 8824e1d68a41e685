// SPDX-License-Identifier: MIT

internal import CByteScan
internal import TaplineBytes

/// What is rare in a text, found sixteen bytes at a time.
///
/// Each search begins at a place within the text and comes to the count where it finds nothing.
enum ByteBlocks {
    /// The next byte at or after a place that may begin an escape.
    @inline(__always)
    static func nextMark(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_mark($0, $1, $2) }
    }

    /// The next byte at or after a place that may begin an escape or ends a run of them.
    @inline(__always)
    static func nextMarkOrBorder(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_mark_or_border($0, $1, $2) }
    }

    /// The place after the last byte before `end` that ends a run of escapes; `start` if there is none.
    @inline(__always)
    static func afterBorder(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        precondition(0 <= start && start <= end && end <= bytes.count, "no range of the text")
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return start }
            return unsafe tapline_after_border(base, start, end)
        }
    }

    /// The next byte at or after a place that is no digit of base64.
    @inline(__always)
    static func endOfDigits(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_no_base64($0, $1, $2) }
    }

    /// The next digit of base64 at or after a place that only one alphabet has.
    @inline(__always)
    static func nextSign(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_base64_sign($0, $1, $2) }
    }

    /// The next slash at or after a place.
    @inline(__always)
    static func nextSlash(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_slash($0, $1, $2) }
    }

    /// The next NUL at or after a place.
    @inline(__always)
    static func nextNUL(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_nul($0, $1, $2) }
    }

    /// The next equals sign at or after a place.
    @inline(__always)
    static func nextEqualsSign(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.search(from: start) { unsafe tapline_next_equals_sign($0, $1, $2) }
    }
}

/// The runs of digits of base64 in a text, one after the other.
struct DigitRuns {
    private var search = tapline_run_search()

    /// Those that begin at or after a place.
    init(from start: Int) {
        search.next = start
        search.open = start
    }

    /// The next one that has at least `length` digits, 1 to 32; the text is the same at each call.
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
