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

    /// Whether there is a dash that another one or `u` follows.
    @inline(__always)
    func hasOption(from start: Int) -> Bool {
        unsafe looks(from: start) { unsafe tapline_has_option($0, $1, $2) }
    }

    /// The next dash that `u` follows, as in `-u` and `--user`.
    func nextUserOption(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_user_option($0, $1, $2) }
    }

    /// The next comma, end of a line, or two letters with which `Bearer`, `Basic`, `JWT` or `DPoP` may
    /// begin, or those within `Token` and `ApiKey`.
    @inline(__always)
    func nextCredentialMark(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_credential_mark($0, $1, $2) }
    }

    /// The next byte that ends the authority of a URL, or may begin an escape that means one.
    func nextAuthorityEnd(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_authority_end($0, $1, $2) }
    }

    /// The next at sign, or byte that may begin an escape that means one.
    func nextUserInfoEnd(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_user_info_end($0, $1, $2) }
    }

    /// What there is of all that names with values, and credentials within a text, have.
    @inline(__always)
    func textHints(from start: Int = 0) -> TextHints {
        unsafe withUnsafeBufferPointer { bytes in
            guard start >= 0, start < bytes.count, let base = bytes.baseAddress else { return [] }
            return TextHints(rawValue: unsafe tapline_text_hints(base, start, bytes.count))
        }
    }

    /// The next control character that no text has.
    func nextOddControl(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_odd_control($0, $1, $2) }
    }

    /// The next byte that is none of those that times are written with.
    func nextNoMoment(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_no_moment($0, $1, $2) }
    }

    /// The next byte that ends the path of a URL within a text: a query, a blank or a quote.
    func nextPathEnd(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_path_end($0, $1, $2) }
    }

    /// The next quote that begins a text in code.
    func nextTextQuote(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_text_quote($0, $1, $2) }
    }

    /// Whether there is a bracket that a quote follows, or the reference of one.
    func hasCodeBracket(from start: Int) -> Bool {
        unsafe looks(from: start) { unsafe tapline_has_code_bracket($0, $1, $2) }
    }

    /// How many brackets, semicolons and signs of operators there are.
    var codeSigns: Int {
        unsafe withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return unsafe tapline_code_signs(base, 0, bytes.count)
        }
    }

    /// The next parenthesis that opens.
    func nextParenthesis(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_parenthesis($0, $1, $2) }
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

    /// Whether the bytes begin with those of a literal, whose length is known when this is compiled.
    @inline(__always)
    func begins(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        return unsafe withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return true }
            return unsafe tapline_equal(base, text.utf8Start, text.utf8CodeUnitCount)
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
}

/// What a text holds of all that names with values, and credentials within a text, have.
struct TextHints: OptionSet {
    let rawValue: UInt32

    /// A byte that delimits names in URLs, forms and JSON, ends user-info, or begins an escape.
    static let names = hint(TAPLINE_HINT_NAME)
    static let colons = hint(TAPLINE_HINT_COLON)
    /// A dash that another one or `u` follows.
    static let options = hint(TAPLINE_HINT_OPTION)
    /// A separator that a credential may follow, or two letters of the name of a scheme.
    static let credentials = hint(TAPLINE_HINT_CREDENTIAL)
    /// A bracket that a quote follows.
    static let code = hint(TAPLINE_HINT_CODE)
    /// The end of a line.
    static let lines = hint(TAPLINE_HINT_LINE)
    /// A quote that may begin a text in code.
    static let quotes = hint(TAPLINE_HINT_QUOTE)

    /// Whether a text may hold a name with its value, or a credential that does not begin it.
    var mayHoldSecrets: Bool { !isSubset(of: .quotes) }

    private static func hint(_ value: Int) -> TextHints { TextHints(rawValue: UInt32(value)) }
}
