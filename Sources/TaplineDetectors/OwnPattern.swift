// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePatterns
internal import TaplinePlugin
internal import TaplineRegex

/// A pattern of the user's own, ready to be searched for.
///
/// **Limits.** A match is looked for within ``reach`` bytes: a longer one may be cut or missed. That
/// keeps a search linear whatever the expression and the text are.
struct OwnPattern: Sendable {
    /// How long a match may be.
    static let reach = 4_096

    /// The index of its name in the set's kinds.
    let kind: Int
    /// What every match begins with.
    let head: LiteralSet.Literal?
    private let pattern: Pattern
    private let group: Int

    /// Compiles a pattern, or says why it cannot be used.
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
                "pattern '\(pattern.name)' matches the empty text; expected one that matches a secret"
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

    /// Whether a pattern matches without a byte, in an empty text or around some that have one.
    private static func matchesNothing(_ pattern: Pattern) -> Bool {
        ["", "a", "A", "0", " ", "-", "\n"].contains { text in
            pattern.firstRange(in: text.utf8.span)?.isEmpty ?? false
        }
    }

    /// What one step of a search came to.
    struct Step {
        /// The secret, where there is one.
        var secret: Range<Int>?
        /// Where the search goes on; no match begins before.
        var next: Int
    }

    /// Looks for a match that begins at or soon after a position.
    func step(in text: Span<UInt8>, from start: Int, _ captures: inout Captures) -> Step {
        // What begins in the first half of the window can be seen whole.
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
