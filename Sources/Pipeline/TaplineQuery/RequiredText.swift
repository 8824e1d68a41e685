// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Texts that occur in what `any` searches of every exchange that matches a filter.
package indirect enum RequiredText: Sendable, Hashable {
    /// A text that occurs; not empty.
    case text([UInt8])
    /// All of them.
    case all([RequiredText])
    /// At least one of them.
    case any([RequiredText])
}

extension Filter {
    /// The texts without which no exchange matches; `nil` if the filter requires none.
    package var requiredText: RequiredText? { RequiredText(tree) }

    /// The maximum number of decoded bytes of a coded body that the filter sees.
    package var maxDecodedBytes: Int { program.maxDecodedBytes }
}

extension RequiredText {
    /// The texts that a part of a filter requires; `nil` if there are none.
    init?(_ tree: FilterTree) {
        switch tree {
        case .comparison(let comparison): self.init(comparison)
        case .not(.not(let child)): self.init(child)
        case .not: return nil
        case .and(let children):
            let parts = children.compactMap { RequiredText($0) }
            if parts.isEmpty { return nil }
            self = parts.count == 1 ? parts[0] : .all(parts)
        case .or(let children):
            var parts: [RequiredText] = []
            for child in children {
                guard let part = RequiredText(child) else { return nil }
                parts.append(part)
            }
            self = .any(parts)
        }
    }

    private init?(_ comparison: FilterComparison) {
        switch comparison.field {
        // The value of each is a part of what `any` searches.
        case .any, .url, .requestBody, .responseBody, .messageText, .requestHeader,
            .responseHeader, .requestCookie, .responseCookie:
            break
        default: return nil
        }
        switch comparison.comparison {
        case .equal, .contains, .isIn:
            var parts: [RequiredText] = []
            for value in comparison.values {
                guard case .text(let bytes) = value, !bytes.isEmpty else { return nil }
                parts.append(.text(bytes))
            }
            if parts.isEmpty { return nil }
            self = parts.count == 1 ? parts[0] : .any(parts)
        case .like:
            let parts = (comparison.glob ?? [])
                .split { $0 == .ascii("*") || $0 == .ascii("?") }
                .map { RequiredText.text(Array($0)) }
            if parts.isEmpty { return nil }
            self = parts.count == 1 ? parts[0] : .all(parts)
        case .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .matches, .exists, .never:
            return nil
        }
    }
}
