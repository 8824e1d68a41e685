// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A number in a filter, in the unit of the field that it is compared with.
enum Quantity: Sendable, Equatable {
    case whole(Int64)
    case real(Double)

    static let sizeUnits: [(name: String, factor: Double)] = [
        ("B", 1), ("kB", 1e3), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12),
        ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("TiB", 1_099_511_627_776),
    ]

    /// In microseconds.
    static let durationUnits: [(name: String, factor: Double)] = [
        ("us", 1), ("µs", 1), ("ms", 1e3), ("s", 1e6), ("m", 6e7), ("h", 3.6e9), ("d", 8.64e10),
    ]

    /// Parses a number and multiplies it by a factor; `nil` if the result is too large.
    init?(_ text: String, factor: Double = 1) {
        if factor == 1, let whole = Int64(text) {
            self = .whole(whole)
            return
        }
        guard let value = Double(text), (value * factor).isFinite else { return nil }
        let product = value * factor
        // Rounding errors of decimal fractions are removed.
        let nearest = product < 0 ? product - 0.5 : product + 0.5
        if nearest.magnitude < 9_007_199_254_740_992,
            (Double(Int64(nearest)) - product).magnitude <= product.magnitude * 1e-12
        {
            self = .whole(Int64(nearest))
        } else {
            self = .real(product)
        }
    }
}
