// SPDX-License-Identifier: MIT

/// One pair of a Cookie field, or of a Set-Cookie field and its attributes.
///
/// Parsed like user agents do (RFC 6265 §5.2): up to a semicolon, without blanks around name and
/// value.
package struct CookiePair {
    /// The name; the whole pair if it has no `=`.
    package let name: Range<Int>
    /// The value; `nil` if there is no `=`.
    package let value: Range<Int>?
    /// Where the next pair begins; the end of the field after the last one.
    package let next: Int

    /// Reads the pair at a position; `nil` at the end.
    package init?(_ field: Span<UInt8>, from position: Int) {
        guard position < field.count else { return nil }
        let end = field.firstIndex(of: .ascii(";"), from: position) ?? field.count
        let equals = field.extracting(0..<end).firstIndex(of: .ascii("="), from: position)
        name = field.trimmed(position..<(equals ?? end))
        value = equals.map { field.trimmed($0 + 1..<end) }
        next = min(end + 1, field.count)
    }
}
