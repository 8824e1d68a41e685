// SPDX-License-Identifier: MIT

internal import CRE2Shims

/// The groups of one match, as byte ranges of the searched text.
///
/// **Shape.** Index 0 is the whole match; a group that did not take part in the match is `nil`. A
/// value can be reused for any number of searches and allocates only once.
package struct CaptureGroups: Sendable {
    var ranges: [tapline_re2_range] = []

    /// Makes an empty value for `Pattern.firstMatch(in:from:captures:)` to fill.
    package init() {}

    /// The number of groups, including the whole match; zero if nothing matched.
    package var count: Int {
        ranges.count
    }

    /// The range of a group, or `nil` if it did not take part in the match or does not exist.
    package subscript(index: Int) -> Range<Int>? {
        guard ranges.indices.contains(index) else {
            return nil
        }
        let range = ranges[index]
        return range.start < 0 ? nil : range.start..<range.end
    }

    mutating func prepare(count: Int) {
        guard ranges.count != count else {
            return
        }
        ranges.removeAll(keepingCapacity: true)
        ranges.append(
            contentsOf: repeatElement(tapline_re2_range(start: -1, end: -1), count: count)
        )
    }
}
