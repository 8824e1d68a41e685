// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineMultiPattern
internal import TaplinePlugin
internal import TaplineRegex

/// A compiled pattern of the user.
///
/// **Limits.** The search covers ``reach`` bytes at a time; a longer match may be truncated or
/// missed. This keeps the search linear for any expression and text.
struct OwnPattern: Sendable {
    /// The maximum length of a match.
    static let reach = 4_096

    /// The index of its name in the kinds of the set.
    let kind: Int
    /// The literal that every match begins with, if there is one.
    let head: LiteralSet.Literal?
    private let pattern: Pattern
    private let group: Int

    /// Compiles a pattern, or reports why it cannot be used.
    init?(_ pattern: SecretPattern, kind: Int, into diagnostics: inout Diagnostics) {
        let regex = pattern.regex
        let compiled: Pattern
        do throws(PatternError) {
            compiled = try Pattern(regex.value)
        } catch {
            let range = (error.offset ?? 0)..<((error.offset ?? 0) + error.length)
            let message = "pattern '\(pattern.name)' cannot be compiled; \(error.message)"
            if let node = regex.node, error.offset != nil {
                diagnostics.error(in: node, at: range, message)
            } else {
                diagnostics.error(at: regex.location, message)
            }
            return nil
        }
        if Self.matchesNothing(compiled) {
            diagnostics.error(
                at: regex.location,
                "pattern '\(pattern.name)' matches the empty string; "
                    + "expected one that matches a secret"
            )
            return nil
        }
        guard 0...compiled.captureCount ~= pattern.group else {
            diagnostics.error(
                at: regex.location,
                "pattern '\(pattern.name)' has no group \(pattern.group); found "
                    + Counted.text(compiled.captureCount, "group")
            )
            return nil
        }
        self.kind = kind
        self.pattern = compiled
        group = pattern.group
        head = LiteralHead.of(regex.value)
    }

    /// Returns whether a pattern has an empty match, in an empty text or next to a character.
    private static func matchesNothing(_ pattern: Pattern) -> Bool {
        ["", "a", "A", "0", " ", "-", "\n"].contains { text in
            pattern.firstRange(in: text.utf8.span)?.isEmpty ?? false
        }
    }

    /// The result of one step of a search.
    struct Step {
        /// The secret, if one was found.
        var secret: Range<Int>?
        /// The position where the search continues; no match begins before it.
        var next: Int
    }

    /// Searches for a match that begins at a position or within a bounded range after it.
    func step(in text: Span<UInt8>, from start: Int, _ captures: inout CaptureGroups) -> Step {
        // A match that begins in the first half of the window lies completely within it.
        let half = start + Self.reach
        let end = min(text.count, half + Self.reach)
        let window = text.extracting(0..<end)
        guard pattern.firstMatch(in: window, from: start, captures: &captures),
            let whole = captures[0]
        else { return Step(next: end == text.count ? text.count : half) }
        guard end == text.count || whole.lowerBound < half else {
            return Step(next: whole.lowerBound)
        }
        let next = max(whole.upperBound, start + 1)
        guard let secret = captures[group], !secret.isEmpty else { return Step(next: next) }
        return Step(secret: secret, next: next)
    }
}
