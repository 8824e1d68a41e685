// SPDX-License-Identifier: MIT

/// A token of a filter's text.
struct Token: Sendable {
    enum Kind: Sendable, Equatable {
        /// A name or a keyword, including dots.
        case word
        /// A decoded string; `exact` if it has no escapes, so that its offsets match the text.
        case text([UInt8], exact: Bool)
        /// A number as written, and the letters directly after it.
        case number(unit: Range<Int>)
        /// Punctuation: an operator, a parenthesis, a bracket, a comma.
        case symbol
        case end
    }

    let kind: Kind
    /// The range of the token in the text.
    let range: Range<Int>
}
