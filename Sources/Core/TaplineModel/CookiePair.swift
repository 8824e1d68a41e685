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

extension FieldSection {
    /// Finds the first cookie with a name that has a value, in the fields Cookie or Set-Cookie.
    ///
    /// - Parameters:
    ///   - name: The name of the cookie.
    ///   - isSet: Whether Set-Cookie is read, where attributes follow the only cookie of a field.
    /// - Returns: The position of the field, and the range of the cookie's value in that of the
    ///   field.
    package func firstCookie(
        _ name: Span<UInt8>,
        isSet: Bool = false
    ) -> (position: Int, value: Range<Int>)? {
        let fieldName = isSet ? "set-cookie" : "cookie"
        var start = 0
        while let position = firstIndex(of: fieldName, from: start) {
            start = position + 1
            let field = value(at: position)
            var next = 0
            while let pair = CookiePair(field, from: next) {
                if let value = pair.value, field.extracting(pair.name).equals(name) {
                    return (position, value)
                }
                guard !isSet else { break }
                next = pair.next
            }
        }
        return nil
    }
}
