// SPDX-License-Identifier: MIT

internal import CByteScan

/// What is rare in a text, found sixteen bytes at a time.
///
/// Each search begins at a place within the text and comes to the count where it finds nothing.
enum ByteBlocks {
    /// The next byte at or behind a place that may begin an escape.
    @inline(__always)
    static func nextMark(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe search(bytes, from: start) { unsafe tapline_next_mark($0, $1, $2) }
    }

    /// The next byte at or behind a place that may begin an escape or ends a run of them.
    @inline(__always)
    static func nextMarkOrBorder(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe search(bytes, from: start) { unsafe tapline_next_mark_or_border($0, $1, $2) }
    }

    /// The next byte at or behind a place that is no digit of base64.
    @inline(__always)
    static func endOfDigits(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe search(bytes, from: start) { unsafe tapline_next_no_base64($0, $1, $2) }
    }

    /// The next digit of base64 at or behind a place that only one alphabet has.
    @inline(__always)
    static func nextSign(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe search(bytes, from: start) { unsafe tapline_next_base64_sign($0, $1, $2) }
    }

    /// The next NUL at or behind a place.
    @inline(__always)
    static func nextNUL(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe search(bytes, from: start) { unsafe tapline_next_nul($0, $1, $2) }
    }

    /// Where the next run of digits of base64 begins that has at least `length` of them, 1 to 32.
    @inline(__always)
    static func nextRun(_ bytes: Span<UInt8>, from start: Int, length: Int) -> Int {
        unsafe search(bytes, from: start) { unsafe tapline_next_base64_run($0, $1, $2, length) }
    }

    @unsafe
    @inline(__always)
    private static func search(
        _ bytes: Span<UInt8>,
        from start: Int,
        _ next: (UnsafePointer<UInt8>, Int, Int) -> Int
    ) -> Int {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard start >= 0, start < bytes.count, let base = bytes.baseAddress else {
                return bytes.count
            }
            return unsafe next(base, start, bytes.count)
        }
    }
}
