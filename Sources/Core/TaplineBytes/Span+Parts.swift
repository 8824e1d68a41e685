// SPDX-License-Identifier: MIT

extension Span where Element == UInt8 {
    /// The range without leading and trailing spaces and tabs (RFC 9110 §5.6.3).
    @inlinable
    package func trimmed(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, self[lower].isBlank { lower += 1 }
        while upper > lower, self[upper - 1].isBlank { upper -= 1 }
        return lower..<upper
    }

    /// The eight bytes at an index, with the first byte in the lowest bits.
    @inlinable
    @inline(__always)
    package func word(at start: Int) -> UInt64 {
        precondition(start >= 0 && start <= count - 8, "not eight bytes")
        return unsafe withUnsafeBytes { bytes in
            unsafe UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            )
        }
    }

    /// The value of the bytes as decimal ASCII digits.
    ///
    /// `nil` if there is no digit, if there is another byte, or if the number does not fit.
    @inlinable
    package var decimal: Int? {
        guard !isEmpty else { return nil }
        var result = 0
        for index in indices {
            let digit = Int(self[index]) - 0x30
            guard 0...9 ~= digit else { return nil }
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(digit)
            guard !overflow, !carry else { return nil }
            result = sum
        }
        return result
    }
}
