// SPDX-License-Identifier: MIT

package import TaplineModel

/// What an erasure has found in a store.
///
/// It names places by table, column and kind of file, and contains no value.
package struct ErasureReport: Sendable {
    /// How many ids of removed exchanges are kept.
    package static let sampleSize = 1000

    private var counts: [String: Int] = [:]
    private var joinedCounts: [String: Int] = [:]
    /// How many exchanges were removed.
    package private(set) var exchanges = 0
    /// The ids of some of the removed exchanges.
    package private(set) var sample: [ExchangeID] = []
    /// How many parts could not be read, and therefore not searched.
    package private(set) var problems = 0
    /// How many lines and columns were removed as a whole, since values are part of their structure.
    package private(set) var removedParts = 0
    /// How many pages were free before the erasure; they may have parts of values that no search
    /// recognises, such as the second half of a compressed body.
    package private(set) var freePages = 0
    /// Full-text indexes that were removed, since they have their own copy of the text.
    package private(set) var droppedIndexes: [String] = []

    /// The places, and how many occurrences each had, sorted by name.
    package var places: [(place: String, count: Int)] {
        counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The places where names became equal, and how many, sorted by place.
    ///
    /// Of equal names of tags and of saved filters in tables, the first one is kept; in a JSON object
    /// both stay, and programs read one of them.
    package var joinedNames: [(place: String, count: Int)] {
        joinedCounts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Whether nothing was found.
    package var isEmpty: Bool { counts.isEmpty && exchanges == 0 }

    /// Adds what was found in another part of the store.
    mutating func add(_ other: ErasureReport) {
        counts.merge(other.counts, uniquingKeysWith: +)
        joinedCounts.merge(other.joinedCounts, uniquingKeysWith: +)
        problems += other.problems
        removedParts += other.removedParts
    }

    /// The same without parts that could not be read, which are counted later.
    var withoutProblems: ErasureReport {
        var report = self
        report.problems = 0
        return report
    }

    mutating func add(_ place: String, _ count: Int) { counts[place, default: 0] += count }

    mutating func addJoinedNames(_ place: String, _ count: Int) {
        if count > 0 { joinedCounts[place, default: 0] += count }
    }

    /// Counts a removed exchange; the sample is spread over all of them.
    mutating func removed(_ id: ExchangeID) {
        exchanges += 1
        if sample.count < Self.sampleSize {
            sample.append(id)
        } else if exchanges % 64 == 0 {
            sample[exchanges / 64 % Self.sampleSize] = id
        }
    }

    mutating func addRemovedPart() { removedParts += 1 }

    mutating func addProblems(_ count: Int) { problems += count }

    mutating func setFreePages(_ count: Int64) { freePages = Int(clamping: count) }

    mutating func dropped(index name: String) { droppedIndexes.append(name) }
}
