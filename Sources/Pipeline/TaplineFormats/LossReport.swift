// SPDX-License-Identifier: MIT

/// What a conversion could not preserve, counted by field.
///
/// Fields have the names of the format that they come from: HAR cannot represent `response.interim`
/// of the record schema, and the record schema cannot represent `timings.blocked` of HAR.
package struct LossReport: Sendable, Equatable {
    /// One field and how often it was lost.
    package struct Loss: Sendable, Equatable {
        /// The field's name.
        package let field: String
        /// How many records lost it.
        package var count: Int
    }

    /// The fields, in the order in which they were first lost.
    package private(set) var losses: [Loss] = []

    /// Creates an empty report.
    package init() {}

    /// Whether nothing was lost.
    package var isEmpty: Bool { losses.isEmpty }

    /// Counts a loss.
    ///
    /// - Parameter field: The field's name.
    package mutating func count(_ field: StaticString) {
        add(String(describing: field), 1)
    }

    /// The maximum number of names in a report; further ones are counted under one name.
    static let maxNames = 200

    /// Counts a loss under a name from the recording.
    mutating func count(named field: String) { add(field, 1) }

    /// Adds the losses of another part of the conversion.
    ///
    /// - Parameter other: The losses.
    package mutating func add(_ other: LossReport) {
        for loss in other.losses { add(loss.field, loss.count) }
    }

    private mutating func add(_ field: String, _ count: Int) {
        if let index = losses.firstIndex(where: { $0.field == field }) {
            losses[index].count += count
        } else if losses.count > Self.maxNames {
            losses[Self.maxNames].count += count
        } else if losses.count == Self.maxNames {
            losses.append(Loss(field: "others", count: count))
        } else {
            losses.append(Loss(field: field, count: count))
        }
    }
}
