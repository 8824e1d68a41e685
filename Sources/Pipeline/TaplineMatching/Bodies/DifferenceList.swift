// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The differences of one pair of messages, without noise.
///
/// Noise is only counted, so that it cannot take the place of other differences. When the list has
/// 500 differences, it still takes one of each part that it does not have.
///
/// **Limits**: 1,000 differences, and work of 256 MiB on their paths; `isCut` is `true` if a part may
/// have been lost.
struct DifferenceList {
    /// The number of differences after which only those of other parts are kept.
    static let limit = 500
    private static let maxCount = 1000
    private static let maxWork = 256 << 20

    /// What was found at some time, to return to it.
    struct Mark {
        fileprivate let count: Int
        fileprivate let noise: Int
        fileprivate let isCut: Bool
        /// How many differences there were, with those that are not kept.
        let total: Int
    }

    /// Identifies a part.
    private struct Part: Hashable {
        let path: [UInt8]
        let kind: FoundDifference.Kind
    }

    private let rules: RouteNoise?
    private(set) var all: [FoundDifference] = []
    /// How many differences the rules cover.
    private(set) var noise = 0
    /// Whether there may be parts that differ and are not in the list.
    private(set) var isCut = false
    /// How many differences there are, with those that are not kept.
    private(set) var total = 0
    /// The parts of the list; empty until it has `limit` differences.
    private var parts: Set<Part> = []
    private var work = 0

    /// Creates an empty list.
    ///
    /// - Parameter rules: What is noise.
    init(noise rules: RouteNoise? = nil) { self.rules = rules }

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }
    var mark: Mark { Mark(count: all.count, noise: noise, isCut: isCut, total: total) }

    /// Adds a difference, unless it is noise or the list has enough ones of its part.
    mutating func append(_ difference: FoundDifference) {
        let steps = difference.place.count { $0 == .ascii(".") || $0 == .ascii("[") }
        if begins(difference.place.count, steps), wants(difference.path, difference.kind) {
            all.append(difference)
        }
    }

    /// Counts a difference, and returns its part if the difference is to be kept, too.
    ///
    /// Values take time to copy: the caller copies them only for `keep(_:)`.
    mutating func part(at path: DifferencePath, _ kind: FoundDifference.Kind) -> [UInt8]? {
        guard begins(path.place.count, path.depth) else { return nil }
        let part = path.general
        return wants(part, kind) ? part : nil
    }

    /// Adds a difference whose part was returned by `part(at:_:)`.
    mutating func keep(_ difference: FoundDifference) { all.append(difference) }

    /// Removes the differences that were found after a mark.
    mutating func truncate(to mark: Mark) {
        all.removeLast(all.count - mark.count)
        (noise, isCut, total) = (mark.noise, mark.isCut, mark.total)
        parts.removeAll()
    }

    /// Counts a difference; returns `false` if the work on paths is at its limit.
    private mutating func begins(_ count: Int, _ steps: Int) -> Bool {
        total += 1
        // Each part that contains the difference is looked up in the rules.
        if work <= Self.maxWork { work += count * (steps + 1) }
        guard work > Self.maxWork else { return true }
        isCut = true
        return false
    }

    private mutating func wants(_ path: [UInt8], _ kind: FoundDifference.Kind) -> Bool {
        if let rules, rules.covers(path, kind) {
            noise += 1
            return false
        }
        guard all.count >= Self.limit else { return true }
        if parts.isEmpty { parts = Set(all.map { Part(path: $0.path, kind: $0.kind) }) }
        let part = Part(path: path, kind: kind)
        guard !parts.contains(part) else { return false }
        guard all.count < Self.maxCount else {
            isCut = true
            return false
        }
        parts.insert(part)
        return true
    }
}
