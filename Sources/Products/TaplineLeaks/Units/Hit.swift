// SPDX-License-Identifier: MIT

/// A value or a secret in a range of bytes.
struct Hit: Sendable, Equatable {
    /// The range; for a hit in decoded bytes, that of the encoded part.
    var range: Range<Int>
    /// The kind: first the values, then the kinds of the detectors.
    var kind: Int
    /// The codings to decode to see it, outermost first.
    var codings: [String] = []
}

extension [Hit] {
    /// Adds the hits in the decoded form of a part of the bytes.
    ///
    /// A plain value is found in both forms. So for each kind, only as many hits are added as
    /// exceed those already found in the part.
    mutating func add(decoded hits: [Hit], of part: Range<Int>, _ coding: String) {
        guard !hits.isEmpty else { return }
        var known: [Int: Int] = [:]
        for hit in self where hit.range.overlaps(part) { known[hit.kind, default: 0] += 1 }
        for hit in hits {
            if let count = known[hit.kind], count > 0 {
                known[hit.kind] = count - 1
                continue
            }
            append(Hit(range: part, kind: hit.kind, codings: [coding] + hit.codings))
        }
    }

    /// The hits sorted by position, without duplicates.
    var inOrder: [Hit] {
        var sorted: [Hit] = []
        for hit in self.sorted(by: {
            ($0.range.lowerBound, $0.kind) < ($1.range.lowerBound, $1.kind)
        })
        where sorted.last != hit {
            sorted.append(hit)
        }
        return sorted
    }
}
