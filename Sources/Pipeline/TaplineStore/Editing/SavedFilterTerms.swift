// SPDX-License-Identifier: MIT

/// The text of a filter in which terms such as `@errors` stand for saved filters.
package struct SavedFilterTerms: Sendable {
    /// A term, and where it is in the text, in bytes.
    package struct Term: Sendable, Equatable {
        /// The name of the saved filter.
        package let name: String
        /// The bytes of the term, with its `@`.
        package let range: Range<Int>
    }

    /// A text without terms.
    package struct Expansion: Sendable {
        /// The text.
        package let text: String
        /// What replaced each term, in order.
        fileprivate let parts: [(range: Range<Int>, count: Int)]

        /// Returns where a position in this text comes from: the start of the term for a position in
        /// a saved filter.
        ///
        /// - Parameter offset: The position, in bytes.
        /// - Returns: The position in the text with terms.
        package func origin(of offset: Int) -> Int { place(of: offset).lowerBound }

        /// Returns where a range of this text comes from: the whole term for a range in a saved
        /// filter.
        ///
        /// - Parameter range: The range, in bytes.
        /// - Returns: The range in the text with terms.
        package func origin(of range: Range<Int>) -> Range<Int> {
            let lower = origin(of: range.lowerBound)
            if range.isEmpty { return lower..<lower }
            return lower..<max(lower, place(of: range.upperBound - 1).upperBound)
        }

        /// The bytes that a byte of this text comes from.
        private func place(of offset: Int) -> Range<Int> {
            var growth = 0
            for part in parts {
                let start = part.range.lowerBound + growth
                if offset < start { break }
                if offset < start + part.count { return part.range }
                growth += part.count - part.range.count
            }
            return offset - growth..<offset - growth + 1
        }
    }

    /// The text with terms.
    package let text: String
    /// The terms, in order.
    package let terms: [Term]

    /// Finds the terms; an `@` in a string is none.
    ///
    /// - Parameter text: The text.
    package init(_ text: String) {
        self.text = text
        let bytes = Array(text.utf8)
        var terms: [Term] = []
        var isInString = false
        var position = 0
        while position < bytes.count {
            let start = position
            position += 1
            switch bytes[start] {
            case UInt8(ascii: "\""): isInString.toggle()
            // The character after it does not end the string.
            case UInt8(ascii: "\\") where isInString: position += 1
            case UInt8(ascii: "@") where !isInString:
                while position < bytes.count, SavedFilter.allows(bytes[position]) { position += 1 }
                let name = String(decoding: bytes[start + 1..<position], as: UTF8.self)
                if !name.isEmpty { terms.append(Term(name: name, range: start..<position)) }
            default: break
            }
        }
        self.terms = terms
    }

    /// Whether the text is a term and nothing else.
    package var isSingleTerm: Bool { terms.first?.range == 0..<text.utf8.count }

    /// Replaces each term by a saved filter in parentheses; a single term needs none.
    ///
    /// - Parameter saved: Returns the text of the saved filter of a term.
    /// - Returns: The new text.
    /// - Throws: Any error of the closure.
    package func expanded(_ saved: (Term) throws -> String) rethrows -> Expansion {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var parts: [(range: Range<Int>, count: Int)] = []
        var position = 0
        for term in terms {
            let text = try saved(term)
            let part = Array((isSingleTerm ? text : "(\(text))").utf8)
            output += bytes[position..<term.range.lowerBound] + part
            parts.append((range: term.range, count: part.count))
            position = term.range.upperBound
        }
        output += bytes[position...]
        return Expansion(text: String(decoding: output, as: UTF8.self), parts: parts)
    }
}
