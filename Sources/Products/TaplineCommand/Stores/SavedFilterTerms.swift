// SPDX-License-Identifier: MIT

internal import TaplineStore

/// The text of a filter in which terms such as `@errors` stand for saved filters.
struct SavedFilterTerms {
    /// A term, and where it is in the text, in bytes.
    struct Term: Equatable {
        let name: String
        let range: Range<Int>
    }

    /// A text without terms.
    struct Expansion {
        let text: String
        /// What replaced each term, in order.
        fileprivate let parts: [(range: Range<Int>, count: Int)]

        /// Returns where a position in this text comes from: that of the term for a position in a
        /// saved filter.
        func origin(of offset: Int) -> Int {
            var growth = 0
            for part in parts {
                let start = part.range.lowerBound + growth
                if offset < start { break }
                if offset < start + part.count { return part.range.lowerBound }
                growth += part.count - part.range.count
            }
            return offset - growth
        }
    }

    let text: String
    let terms: [Term]

    /// Finds the terms; an `@` in a string is none.
    init(_ text: String) {
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
    var isSingleTerm: Bool { terms.first?.range == 0..<text.utf8.count }

    /// Replaces each term by a saved filter in parentheses; a single term needs none.
    ///
    /// - Parameter saved: Returns the text of a saved filter.
    /// - Returns: The new text.
    /// - Throws: Any error of the closure.
    func expanded(_ saved: (String) throws -> String) rethrows -> Expansion {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var parts: [(range: Range<Int>, count: Int)] = []
        var position = 0
        for term in terms {
            let text = try saved(term.name)
            let part = Array((isSingleTerm ? text : "(\(text))").utf8)
            output += bytes[position..<term.range.lowerBound] + part
            parts.append((range: term.range, count: part.count))
            position = term.range.upperBound
        }
        output += bytes[position...]
        return Expansion(text: String(decoding: output, as: UTF8.self), parts: parts)
    }
}
