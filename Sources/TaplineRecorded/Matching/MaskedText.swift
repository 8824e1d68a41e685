// SPDX-License-Identifier: MIT

/// Recorded texts in which masks stand for what nobody knows any more.
///
/// What the app has from a recording it sends as that has it. But a secret of its own is known for
/// one only once it was sent under a name that tells so; until then it is sent as it is.
struct MaskedText: Sendable {
    let masks: Set<String>

    /// Whether a text may be the recorded one, with others in the places of masks.
    func covers(_ recorded: String, _ found: String) -> Bool {
        masks.contains { mask in
            var parts = recorded.split(separator: mask, omittingEmptySubsequences: false)[...]
            guard !mask.isEmpty, let first = parts.popFirst(), let last = parts.popLast(),
                found.hasPrefix(first)
            else { return false }
            var rest = found.dropFirst(first.count)
            for part in parts where !part.isEmpty {
                guard let next = rest.firstRange(of: part) else { return false }
                rest = rest[next.upperBound...]
            }
            return rest.hasSuffix(last)
        }
    }

    /// The same for paths, whose segments masks do not reach beyond.
    func coversPath(_ recorded: String, _ found: String) -> Bool {
        let recorded = recorded.split(separator: "/", omittingEmptySubsequences: false)
        let found = found.split(separator: "/", omittingEmptySubsequences: false)
        return recorded.count == found.count
            && zip(recorded, found).allSatisfy { $0 == $1 || covers(String($0), String($1)) }
    }
}
