// SPDX-License-Identifier: MIT

/// How the elements of an array are paired.
package enum ArrayOrder: Sendable, Hashable {
    /// In any order: equal elements, then those with the most members in common.
    case unordered
    /// By the value of a member, such as `id`.
    case key(String)
}

/// The arrays whose elements are not paired by position, by general path.
struct ArrayRules {
    private var orders: [[UInt8]: ArrayOrder] = [:]

    var isEmpty: Bool { orders.isEmpty }

    subscript(path: [UInt8]) -> ArrayOrder? {
        get { orders[path] }
        set { orders[path] = newValue }
    }
}
