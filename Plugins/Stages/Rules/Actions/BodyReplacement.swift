// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineRegex

/// A replacement in the content of a body.
struct BodyReplacement: Sendable {
    /// What is replaced.
    enum Search: Sendable {
        /// Every occurrence of a text.
        case text([UInt8])
        /// Every match of a regular expression.
        case pattern(Pattern)
        /// The values at a path of a JSON document.
        case json(JSONPath)
    }

    /// Whether the body is that of the response.
    let isInResponse: Bool
    let search: Search
    /// The replacement.
    let value: RuleTemplate
    /// Whether the replacement of a JSON value is a string, not a number or literal.
    let isString: Bool

    /// The message in reports.
    var messageName: String { isInResponse ? "response" : "request" }

    /// Returns the changed content; `nil` if there is nothing to replace.
    ///
    /// - Throws: `BodyTooLarge` if the changed content would exceed `BodyContent.maxBytes`.
    func applied(
        to content: [UInt8],
        _ values: inout RuleValues,
        _ exchange: borrowing Exchange
    ) throws(BodyTooLarge) -> [UInt8]? {
        switch search {
        case .text(let text):
            let value = value.filled(&values, exchange, form(in: exchange))
            return try BodyReplacement.replace(text, with: value, in: content)
        case .pattern(let pattern):
            return try replaceMatches(of: pattern, in: content, &values, exchange)
        case .json(let path):
            var value = value.filled(&values, exchange, .plain)
            if isString {
                value = [.ascii("\"")] + RuleTemplate.Form.json.written(value) + [.ascii("\"")]
            }
            return try JSONReplacement.replace(path, with: value, in: content)
        }
    }

    /// The form of values within the body's text.
    private func form(in exchange: borrowing Exchange) -> RuleTemplate.Form {
        (isInResponse ? RulePlace.responseBody : .requestBody).form(in: exchange)
    }

    private static func replace(
        _ text: [UInt8],
        with value: [UInt8],
        in content: [UInt8]
    ) throws(BodyTooLarge) -> [UInt8]? {
        var output: [UInt8] = []
        var position = 0
        while let found = content.span.firstIndex(of: text.span, in: position..<content.count) {
            try output.append(content[position..<found], value)
            position = found + text.count
        }
        guard position > 0 else { return nil }
        try output.append(content[position...], [])
        return output
    }

    private func replaceMatches(
        of pattern: Pattern,
        in content: [UInt8],
        _ values: inout RuleValues,
        _ exchange: borrowing Exchange
    ) throws(BodyTooLarge) -> [UInt8]? {
        let form = form(in: exchange)
        var captures = CaptureGroups()
        var output: [UInt8] = []
        var (position, copied, found) = (0, 0, false)
        while position <= content.count,
            pattern.firstMatch(in: content.span, from: position, captures: &captures),
            let whole = captures[0]
        {
            found = true
            values.groups = (0..<captures.count).map { group in
                captures[group].map { Array(content[$0]) } ?? []
            }
            let value = value.filled(&values, exchange, form)
            try output.append(content[copied..<whole.lowerBound], value)
            copied = whole.upperBound
            // After an empty match the search continues one byte later, so that it always ends.
            position = whole.isEmpty ? whole.upperBound + 1 : whole.upperBound
        }
        values.groups = []
        guard found else { return nil }
        try output.append(content[copied...], [])
        return output
    }
}

/// The reason that a replacement is not made: the content would become too large.
struct BodyTooLarge: Error {}

extension [UInt8] {
    /// Appends a part of the former content and a replacement.
    mutating func append(_ kept: ArraySlice<UInt8>, _ new: [UInt8]) throws(BodyTooLarge) {
        guard count + kept.count + new.count <= BodyContent.maxBytes else { throw BodyTooLarge() }
        append(contentsOf: kept)
        append(contentsOf: new)
    }
}
