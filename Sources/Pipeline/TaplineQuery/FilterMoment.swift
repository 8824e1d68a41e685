// SPDX-License-Identifier: MIT

/// The moments in the life of an exchange at which more of it becomes known, in order.
@frozen
package enum FilterMoment: UInt8, Sendable, Comparable {
    /// The request head is complete.
    case request
    /// The response head is complete.
    case response
    /// The exchange has ended.
    case end
    /// The exchange is in a store, where people add notes.
    case store

    /// Returns whether a moment comes before another.
    @inlinable
    package static func < (left: FilterMoment, right: FilterMoment) -> Bool {
        left.rawValue < right.rawValue
    }
}
