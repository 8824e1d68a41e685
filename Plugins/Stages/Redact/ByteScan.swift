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

    /// The next dash that `u` follows, as in `-u` and `--user`.
    func nextUserOption(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_user_option($0, $1, $2) }
    }

    /// The next two letters with which `Bearer`, `Basic`, `JWT` or `DPoP` may begin, or those within
    /// `Token` and `ApiKey`.
    @inline(__always)
    func nextScheme(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_scheme($0, $1, $2) }
    }

    /// Whether there is a colon, or a dash that another one or `u` follows.
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

    /// Whether there is anything that a name with its value, or a credential within a text, has.
    @inline(__always)
    func hasTextHint(from start: Int = 0) -> Bool {
        unsafe looks(from: start) { unsafe tapline_has_text_hint($0, $1, $2) }
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

    /// How many digits there are from a place on, which eight bytes at least begin at: eight where
    /// there are more.
    @inline(__always)
    func digits(from start: Int) -> Int {
        unsafe withUnsafeBytes { bytes in
            precondition(start >= 0 && start <= bytes.count - 8, "not eight bytes")
            let word = unsafe UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            )
            // A digit less 0x30 is below 10, and so sets no upper bit here.
            let rest = word ^ 0x3030_3030_3030_3030
            let others = (rest & 0x7F7F_7F7F_7F7F_7F7F &+ 0x7676_7676_7676_7676) | rest
            return (others & 0x8080_8080_8080_8080).trailingZeroBitCount / 8
        }
    }

    /// A number for the bytes and a mark beside them; equal ones have equal numbers.
    @inline(__always)
    func hash(mark: Int) -> UInt64 {
        let mark = UInt64(truncatingIfNeeded: mark)
        return unsafe withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return mark }
            return unsafe tapline_hash(base, bytes.count, mark)
        }
    }

    /// Whether another span of as many bytes at least begins with the same ones.
    @inline(__always)
    func holdsSame(as other: Span<UInt8>) -> Bool {
        precondition(count <= other.count, "too few bytes")
        return unsafe withUnsafeBufferPointer { bytes in
            unsafe other.withUnsafeBufferPointer { other in
                guard let left = bytes.baseAddress, let right = other.baseAddress else {
                    return true
                }
                return unsafe tapline_equal(left, right, bytes.count)
            }
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
