// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Recorded texts whose masks replace unknown values.
///
/// Values that the client received from a recording match it literally. But a secret of the client is
/// recognized only after it was sent under a name that identifies it; until then, it is sent
/// unmasked.
package struct MaskedText: Sendable {
    package let masks: Set<String>

    package init(masks: Set<String>) { self.masks = masks }

    /// Returns whether a text matches the recorded one, with any text in place of a mask.
    package func covers(_ recorded: String, _ found: String) -> Bool {
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

    /// Returns the same for paths; a mask does not extend beyond its segment.
    package func coversPath(_ recorded: String, _ found: String) -> Bool {
        let recorded = recorded.split(separator: "/", omittingEmptySubsequences: false)
        let found = found.split(separator: "/", omittingEmptySubsequences: false)
        return recorded.count == found.count
            && zip(recorded, found).allSatisfy { $0 == $1 || covers(String($0), String($1)) }
    }

    /// Returns a URL that is safe to show: it has a mask wherever the recorded one has a mask,
    /// because the value there may be the secret.
    package func shown(_ url: String, beside recorded: RequestParts) -> String {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first else { return url }
        // The scheme, an empty segment and the authority precede the path, which begins with an
        // empty one.
        var segments = first.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = recorded.path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in wanted.enumerated().dropFirst() where index + 2 < segments.count {
            if let mask = mask(in: segment) { segments[index + 2] = mask[...] }
        }
        let path = segments.joined(separator: "/")
        guard parts.count == 2 else { return path }
        let items = parts[1].split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != "=" }
            let decoded = PercentEncoding.decode(name.utf8.span, plusIsSpace: true)
            let values = recorded.query[String(decoding: decoded, as: UTF8.self)] ?? []
            return values.lazy.compactMap(mask(in:)).first.map { "\(name)=\($0)" } ?? String(item)
        }
        return path + "?" + items.joined(separator: "&")
    }

    private func mask(in text: some StringProtocol) -> String? {
        masks.first { !$0.isEmpty && text.contains($0) }
    }
}
