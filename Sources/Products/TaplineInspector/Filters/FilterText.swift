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

    /// Whether what people note about an exchange decides whether it matches.
    var usesAnnotations: Bool { filter?.tree.usesAnnotations ?? false }

    /// Reads the text of the search box.
    ///
    /// - Parameters:
    ///   - typed: A filter, a plain word, a quoted text, or `@` and the name of a saved filter.
    ///   - saved: Returns the saved filters.
    /// - Throws: `APIError` with the place in the text, or the error of `saved`.
    init(_ typed: String, saved: () throws -> [SavedFilter]) throws {
        let start = typed.utf8.prefix { $0 == 0x20 }.count
        let trimmed = String(Substring(typed.utf8.dropFirst(start))).trimmingEnd
        guard !trimmed.isEmpty else {
            text = ""
            filter = nil
            return
        }
        if trimmed.hasPrefix("@") {
            let name = String(trimmed.dropFirst())
            guard let found = try saved().first(where: { $0.name == name }) else {
                throw APIError(
                    400,
                    "filter",
                    "there is no saved filter '\(name)'",
                    place: start..<start + trimmed.utf8.count
                )
            }
            text = found.text
        } else {
            text = Self.containing(trimmed) ?? typed
        }
        do throws(FilterError) {
            filter = try Filter(
                text,
                now: Timestamp(microseconds: WallClock.microseconds),
                inStore: true
            )
        } catch {
            throw trimmed.hasPrefix("@")
                ? APIError(400, "filter", "the saved filter is wrong: \(error.message)")
                : APIError(error)
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
