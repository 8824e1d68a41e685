// SPDX-License-Identifier: MIT

/// One value or secret in a stretch of bytes.
struct Hit: Sendable, Equatable {
    /// Where it stands; what was decoded stands where its encoded form does.
    var range: Range<Int>
    /// The values come first, the detectors' kinds after them.
    var kind: Int
    /// What has to be decoded to see it, outermost first.
    var codings: [String] = []
}

extension [Hit] {
    /// Adds what was found in the decoded form of a part of the bytes.
    ///
    /// What stands there plainly is found in both forms: of each kind, only as many count as are
    /// more than were found in the part before.
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

    /// Sorted by place, and without those that repeat another.
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
