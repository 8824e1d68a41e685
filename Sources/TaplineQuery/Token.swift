// SPDX-License-Identifier: MIT

/// A piece of a filter's text.
struct Token: Sendable {
    enum Kind: Sendable, Equatable {
        /// A name or a keyword; dots belong to it.
        case word
        /// A string, decoded; `exact` says that it stands in the text as it is.
        case text([UInt8], exact: Bool)
        /// A number as written, and the letters right after it.
        case number(unit: Range<Int>)
        /// Punctuation: an operator, a parenthesis, a bracket, a comma.
        case symbol
        case end
    }

    let kind: Kind
    /// Where it lies in the text.
    let range: Range<Int>
}
