// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// What a text in the search box means.
struct FilterText {
    /// The text in the filter language; empty for all exchanges.
    let text: String
    /// The filter; `nil` for all exchanges.
    let filter: Filter?

    /// The longest text, typed or with saved filters in it, in bytes.
    private static let maxBytes = FilterLimits().maxTextBytes

    /// Whether what people note about an exchange decides whether it matches.
    var usesAnnotations: Bool { filter?.tree.usesAnnotations ?? false }

    /// Reads the text of the search box.
    ///
    /// - Parameters:
    ///   - typed: A filter, in which `@` and a name stand for a saved one, a plain word, or a quoted
    ///     text.
    ///   - saved: Returns the saved filters; called only if the text has names.
    /// - Throws: `APIError` with the place in the text, or the error of `saved`.
    init(_ typed: String, saved: () throws -> [SavedFilter]) throws {
        guard typed.utf8.count <= Self.maxBytes else { throw Self.tooLong }
        let start = typed.utf8.prefix { $0 == 0x20 }.count
        let trimmed = String(Substring(typed.utf8.dropFirst(start))).trimmingEnd
        guard !trimmed.isEmpty else {
            text = ""
            filter = nil
            return
        }
        if !trimmed.hasPrefix("@"), let containing = Self.containing(trimmed) {
            text = containing
            filter = try Self.filter(text) { APIError($0) }
            return
        }
        func place(_ range: Range<Int>) -> Range<Int> {
            start + range.lowerBound..<start + range.upperBound
        }
        let terms = SavedFilterTerms(trimmed)
        let filters = terms.terms.isEmpty ? [] : try saved()
        var known: [String: String] = [:]
        var count = trimmed.utf8.count
        let expansion = try terms.expanded { term in
            let text =
                try known[term.name]
                ?? Self.text(of: term, in: filters, at: place(term.range))
            known[term.name] = text
            count += text.utf8.count
            guard count <= Self.maxBytes else { throw Self.tooLong }
            return text
        }
        text = expansion.text
        filter = try Self.filter(text) { error in
            let end = error.offset + max(error.length, 0)
            return APIError(error, at: place(expansion.origin(of: error.offset..<end)))
        }
    }

    private static var tooLong: APIError {
        APIError(400, "filter", "the filter is too long; expected at most \(maxBytes) bytes")
    }

    /// The text of the saved filter that a term names.
    private static func text(
        of term: SavedFilterTerms.Term,
        in filters: [SavedFilter],
        at place: Range<Int>
    ) throws -> String {
        guard let found = filters.first(where: { $0.name == term.name }) else {
            throw APIError(
                400,
                "filter",
                "there is no saved filter '\(term.name)'",
                place: place
            )
        }
        // Its own errors have a position in its own text.
        _ = try filter(found.text) { error in
            APIError(
                400,
                "filter",
                "the saved filter '\(term.name)' is wrong: \(error.message)",
                place: place
            )
        }
        return found.text
    }

    private static func filter(
        _ text: String,
        _ failure: (FilterError) -> APIError
    ) throws(APIError) -> Filter {
        do throws(FilterError) {
            return try Filter(
                text,
                now: Timestamp(microseconds: WallClock.microseconds),
                inStore: true
            )
        } catch {
            throw failure(error)
        }
    }

    /// The filter for a plain word or a quoted text; `nil` if the text is neither.
    static func containing(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        if bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") {
            // A quote within would end the string, unless it is escaped.
            var isEscaped = false
            for byte in bytes[1..<bytes.count - 1] {
                if byte == UInt8(ascii: "\""), !isEscaped { return nil }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            }
            return isEscaped ? nil : "any contains \(text)"
        }
        let isWord = bytes.allSatisfy { byte in
            switch byte {
            case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "("), UInt8(ascii: ")"),
                UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "~"),
                UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\\"), UInt8(ascii: "!"):
                false
            default: true
            }
        }
        return isWord ? "any contains \"\(text)\"" : nil
    }

    /// A filter that both filters allow.
    static func both(_ left: String, _ right: String) -> String {
        if left.isEmpty { return right }
        return right.isEmpty ? left : "(\(left)) and (\(right))"
    }
}

extension FilterTree {
    fileprivate var usesAnnotations: Bool {
        switch self {
        case .comparison(let comparison): [.note, .mark, .tag].contains(comparison.field)
        case .not(let child): child.usesAnnotations
        case .and(let children), .or(let children): children.contains(where: \.usesAnnotations)
        }
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate var trimmingEnd: String {
        String(decoding: Array(utf8).reversed().drop { $0 == 0x20 }.reversed(), as: UTF8.self)
    }
}
