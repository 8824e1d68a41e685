// SPDX-License-Identifier: MIT

// Sums, differences and products of numbers that come from outside, such as those of recordings.
extension FixedWidthInteger {
    /// Returns the sum, limited to the range of the type.
    @inlinable
    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (self < 0 ? .min : .max) : sum
    }

    /// Returns the difference, limited to the range of the type.
    @inlinable
    package func subtractingClamped(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < other ? .min : .max) : difference
    }

    /// Returns the product, limited to the range of the type.
    @inlinable
    package func multipliedClamped(by other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
