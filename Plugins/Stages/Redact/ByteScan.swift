// SPDX-License-Identifier: MIT

internal import CByteScan
internal import TaplineModel

/// Searches for rare bytes in a text, sixteen bytes at a time.
///
/// Each search begins at a position in the text and returns the count if it finds nothing.
extension Span where Element == UInt8 {
    /// Returns the next quote or backslash: the end of the plain part of a JSON string.
    @inline(__always)
    func nextQuote(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_quote($0, $1, $2) }
    }

    /// Returns the next byte that is not a digit, sign, point or `e`: the end of a number.
    @inline(__always)
    func nextNoNumber(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_no_number($0, $1, $2) }
    }

    /// Returns the next byte that is not JSON whitespace (RFC 8259 §2).
    @inline(__always)
    func nextNoBlank(from start: Int) -> Int {
        // It is usually the first byte, and rarely a later one in compact JSON.
        if start < count, self[start] > 0x20 { return start }
        return unsafe search(from: start) { unsafe tapline_next_no_blank($0, $1, $2) }
    }

    /// Returns the next byte that joins a name and its value (`=`, `:`, `,`, `;`, `|`) or may begin
    /// an escape of such a byte (`%`, or a backslash before `u`, `x` or another backslash);
    /// optionally, also the next blank.
    @inline(__always)
    func nextPairMark(from start: Int, orBlank: Bool = false) -> Int {
        if orBlank {
            return unsafe search(from: start) { unsafe tapline_next_pair_mark_or_blank($0, $1, $2) }
        }
        return unsafe search(from: start) { unsafe tapline_next_pair_mark($0, $1, $2) }
    }

    /// Whether there is a dash followed by another dash or `u`.
    @inline(__always)
    func hasOption(from start: Int) -> Bool {
        unsafe looks(from: start) { unsafe tapline_has_option($0, $1, $2) }
    }

    /// Returns the next dash that is followed by `u`, as in `-u` and `--user`.
    func nextUserOption(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_user_option($0, $1, $2) }
    }

    /// Returns the next comma, line end, or two letters that may begin `Bearer`, `Basic`, `JWT` or
    /// `DPoP` or occur in `Token` and `ApiKey`.
    @inline(__always)
    func nextCredentialMark(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_credential_mark($0, $1, $2) }
    }

    /// Returns the next byte that ends the authority of a URL, or may begin an escape of such a
    /// byte.
    func nextAuthorityEnd(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_authority_end($0, $1, $2) }
    }

    /// Returns the next at sign, or byte that may begin an escape of one.
    func nextUserInfoEnd(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_user_info_end($0, $1, $2) }
    }

    /// Returns which of the bytes occur that names with values, and credentials within a text,
    /// require.
    @inline(__always)
    func textHints(from start: Int = 0) -> TextHints {
        unsafe withUnsafeBufferPointer { bytes in
            guard start >= 0, start < bytes.count, let base = bytes.baseAddress else { return [] }
            return TextHints(rawValue: unsafe tapline_text_hints(base, start, bytes.count))
        }
    }

    /// Returns the next control character that does not occur in text.
    func nextNonTextControl(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_non_text_control($0, $1, $2) }
    }

    /// Returns the next byte that does not occur in timestamps.
    func nextNonTimestamp(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_non_timestamp($0, $1, $2) }
    }

    /// Returns the next byte that ends the path of a URL within a text: a query, a blank or a
    /// quote.
    func nextPathEnd(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_path_end($0, $1, $2) }
    }

    /// Returns the next quote that begins a string in code.
    func nextTextQuote(from start: Int) -> Int {
        unsafe search(from: start) { unsafe tapline_next_text_quote($0, $1, $2) }
    }

    /// Whether there is a bracket followed by a quote or by the reference of one.
    func hasCodeBracket(from start: Int) -> Bool {
        unsafe looks(from: start) { unsafe tapline_has_code_bracket($0, $1, $2) }
    }

    /// The number of brackets, semicolons and operator characters.
    var codeSigns: Int {
        unsafe withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return unsafe tapline_code_signs(base, 0, bytes.count)
        }
    }

    /// Returns the next opening parenthesis.
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

    /// Returns the number of digits from a position at which at least eight bytes begin; 8 if there
    /// are more.
    @inline(__always)
    func digits(from start: Int) -> Int {
        unsafe withUnsafeBytes { bytes in
            precondition(start >= 0 && start <= bytes.count - 8, "not eight bytes")
            let word = unsafe UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            )
            // A digit minus 0x30 is below 10 and so sets no upper bit here.
            let rest = word ^ 0x3030_3030_3030_3030
            let others = (rest & 0x7F7F_7F7F_7F7F_7F7F &+ 0x7676_7676_7676_7676) | rest
            return (others & 0x8080_8080_8080_8080).trailingZeroBitCount / 8
        }
    }

    /// Returns a hash of the bytes and a mark; equal inputs have equal hashes.
    @inline(__always)
    func hash(mark: Int) -> UInt64 {
        let mark = UInt64(truncatingIfNeeded: mark)
        return unsafe withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return mark }
            return unsafe tapline_hash(base, bytes.count, mark)
        }
    }

    /// Whether the bytes begin with those of a literal whose length is known at compile time.
    @inline(__always)
    func begins(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        return unsafe withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return true }
            return unsafe tapline_equal(base, text.utf8Start, text.utf8CodeUnitCount)
        }
    }

    /// Whether another span of at least the same length begins with these bytes.
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

/// Which of the bytes occur in a text that names with values, and credentials, require.
struct TextHints: OptionSet {
    let rawValue: UInt32

    /// A byte that delimits names in URLs, forms and JSON, ends user-info, or begins an escape.
    static let names = hint(TAPLINE_HINT_NAME)
    static let colons = hint(TAPLINE_HINT_COLON)
    /// A dash followed by another dash or `u`.
    static let options = hint(TAPLINE_HINT_OPTION)
    /// A separator that may precede a credential, or two letters of the name of a scheme.
    static let credentials = hint(TAPLINE_HINT_CREDENTIAL)
    /// A bracket followed by a quote.
    static let code = hint(TAPLINE_HINT_CODE)
    /// A line end.
    static let lines = hint(TAPLINE_HINT_LINE)
    /// A quote that may begin a string in code.
    static let quotes = hint(TAPLINE_HINT_QUOTE)

    /// Whether a text may contain a name with its value, or a credential after its beginning.
    var mayHoldSecrets: Bool { !isSubset(of: .quotes) }

    private static func hint(_ value: Int) -> TextHints { TextHints(rawValue: UInt32(value)) }
}
