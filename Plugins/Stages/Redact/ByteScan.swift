// SPDX-License-Identifier: MIT

internal import CByteScan
internal import TaplineModel

/// What is rare in a text, found sixteen bytes at a time.
///
/// Each search begins at a place within the text and comes to the count where it finds nothing.
extension Span where Element == UInt8 {
    /// The next quote or backslash: where the plain part of a string of JSON ends.
    @inline(__always)
    func nextQuote(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_quote($0, $1, $2) }
    }

    /// The next byte that is no digit, sign, point or `e`: where a number ends.
    @inline(__always)
    func nextNoNumber(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_no_number($0, $1, $2) }
    }

    /// The next byte that is not blank in JSON (RFC 8259 §2).
    @inline(__always)
    func nextNoBlank(from start: Int) -> Int {
        // Most often it is the first one, and seldom another one in compact JSON.
        if start < count, self[start] > 0x20 { return start }
        return unsafe search(from: start) { unsafe tapline_next_no_blank($0, $1, $2) }
    }

    /// The next byte of those that join a name and its value, `=`, `:`, `,`, `;` and `|`, or that may
    /// begin an escape that means one, `%` and backslashes before `u`, `x` and each other; or the next
    /// blank, where it is wanted.
    @inline(__always)
    func nextPairMark(from start: Int, orBlank: Bool = false) -> Int {
        if orBlank {
            return unsafe search(from: start) { unsafe tapline_next_pair_mark_or_blank($0, $1, $2) }
        }
        return unsafe search(from: start) { unsafe tapline_next_pair_mark($0, $1, $2) }
    }

    /// Whether two dashes follow each other.
    func hasDoubleDash(from start: Int) -> Bool {
        unsafe looks(from: start) { unsafe tapline_has_double_dash($0, $1, $2) }
    }

    /// Whether two dashes follow each other, or a blank follows a colon.
    @inline(__always)
    func hasWordSign(from start: Int = 0) -> Bool {
        unsafe looks(from: start) { unsafe tapline_has_word_sign($0, $1, $2) }
    }

    /// The next byte that ends the authority of a URL, or may begin an escape that means one.
    func nextAuthorityEnd(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_authority_end($0, $1, $2) }
    }

    /// The next at sign, or byte that may begin an escape that means one.
    func nextUserInfoEnd(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_user_info_end($0, $1, $2) }
    }

    /// Whether there is a byte of those that stand around names in URLs, forms and JSON, or behind
    /// user-info, or that escape these.
    @inline(__always)
    func hasNameHint(from start: Int = 0) -> Bool {
        unsafe search(from: start) { unsafe tapline_next_name_hint($0, $1, $2) } < count
    }

    @unsafe
    @inline(__always)
    private func looks(from start: Int, _ sees: (UnsafePointer<UInt8>, Int, Int) -> Bool) -> Bool {
        unsafe withUnsafeBufferPointer { bytes in
            guard start >= 0, start < bytes.count, let base = bytes.baseAddress else {
                return false
            }
            return unsafe sees(base, start, bytes.count)
        }
    }

    @inline(__always)
    private func search(
        from start: Int,
        _ next: (UnsafePointer<UInt8>, Int, Int) -> Int
    ) -> Int {
        unsafe withUnsafeBufferPointer { bytes in
            guard start >= 0, start < bytes.count, let base = bytes.baseAddress else {
                return bytes.count
            }
            return unsafe next(base, start, bytes.count)
        }
    }
}
