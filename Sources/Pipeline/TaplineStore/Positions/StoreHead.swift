// SPDX-License-Identifier: MIT

package import TaplineModel

/// What stores had at a moment: the exchanges up to some positions.
package struct StoreHead: Sendable, Hashable {
    /// What one store had.
    package struct Part: Sendable, Hashable {
        /// The number of the first exchange.
        package internal(set) var first: Int64 = 0
        /// The number of the last exchange; less than `first` if there is none.
        package internal(set) var last: Int64 = -1
        /// What is added to `last` to get a number that is 0 without exchanges: the numbers of
        /// databases begin with 1, those of recordings with 0.
        var base: Int64 = 0
        /// The number of exchanges; counted again only now and then while others are removed.
        package internal(set) var count = 0
        /// When the first and the last exchange began; `nil` if there is none.
        package internal(set) var times: (first: Timestamp, last: Timestamp)?

        /// Whether every number from the first to the last one is an exchange.
        package var isGapless: Bool {
            let (difference, overflow) = last.subtractingReportingOverflow(first)
            return !overflow && Int64(count) == difference &+ 1
        }

        /// A number that grows with the store; 0 if there is no exchange.
        var end: Int64 {
            let (end, overflow) = last.addingReportingOverflow(base)
            return overflow ? .max : max(end, 0)
        }

        package static func == (left: Part, right: Part) -> Bool {
            left.first == right.first && left.last == right.last && left.count == right.count
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(first)
            hasher.combine(last)
            hasher.combine(count)
        }
    }

    /// One part for each store.
    package internal(set) var parts: [Part]

    /// The number of exchanges in all stores.
    package var count: Int { parts.reduce(0) { $0.addingClamped($1.count) } }

    /// When the first exchange of any store began; `nil` if there is none.
    package var first: Timestamp? { parts.compactMap(\.times?.first).min() }

    /// When the last exchange of any store began, of those that were written last; `nil` if there
    /// is none.
    package var last: Timestamp? { parts.compactMap(\.times?.last).max() }
}

extension StoreHead {
    /// A number that grows with each store: that of the last exchange of a database, counted from
    /// 1, or the number of records of a recording.
    package var number: Int64 {
        parts.reduce(0) { sum, part in
            let (next, overflow) = sum.addingReportingOverflow(part.end)
            return overflow ? .max : next
        }
    }

    /// Returns what a single store had up to a number, except for `count` and `times`.
    package func limited(to number: Int64) -> StoreHead {
        var head = self
        guard parts.count == 1, number < parts[0].end else { return head }
        head.parts[0].last = max(number, 0) - parts[0].base
        return head
    }
}
