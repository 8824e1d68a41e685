// SPDX-License-Identifier: MIT

internal import CSimdjsonShims

/// Numbers, as exactly as the requested type can represent them.
extension JSONValue {
    /// The number, if it is written as an integer (`12`, not `12.0`) and fits.
    @inlinable package var asInt64: Int64? {
        guard kind == .number, !token.isReal else { return nil }
        return parseFixedPoint(bytes, scale: 0)
    }

    /// The number, if it is written as an integer without a minus sign and fits.
    @inlinable package var asUInt64: UInt64? {
        guard kind == .number, !token.isReal else { return nil }
        let bytes = bytes
        guard bytes.count <= 20, bytes[0] != 0x2D else { return nil }
        var value: UInt64 = 0
        for index in bytes.indices {
            let (tenfold, over) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(UInt64(bytes[index] &- 0x30))
            if over || carry { return nil }
            value = sum
        }
        return value
    }

    /// The nearest double, if this is a number in the range of doubles.
    package var asDouble: Double? {
        guard kind == .number else { return nil }
        var value = 0.0
        let fits = unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            return unsafe tapline_json_to_double(base, buffer.count, &value)
        }
        return fits ? value : nil
    }

    /// The number in thousandths, as an integer: 12.345 gives 12,345.
    ///
    /// Converts milliseconds to microseconds without the rounding errors of a double. The result is
    /// rounded half up at the third decimal. A number with an exponent is converted via a double.
    ///
    /// Returns `nil` if this is not a number or does not fit.
    @inlinable package var asThousandths: Int64? {
        guard kind == .number else { return nil }
        return parseFixedPoint(bytes, scale: 3) ?? thousandthsOfDouble
    }

    @usableFromInline var thousandthsOfDouble: Int64? {
        guard let value = asDouble, value > -9e15, value < 9e15 else { return nil }
        return Int64(value * 1000 + (value < 0 ? -0.5 : 0.5))
    }
}

/// Parses `-?digits[.digits]` as an integer of `10^-scale`.
///
/// Returns `nil` if there is an exponent or the number is too large.
@inlinable
func parseFixedPoint(_ bytes: Span<UInt8>, scale: Int) -> Int64? {
    var index = 0
    let negative = bytes[0] == 0x2D
    if negative { index = 1 }
    var value: Int64 = 0
    var missing = scale
    var inFraction = false
    while index < bytes.count {
        let byte = bytes[index]
        index &+= 1
        let digit = Int64(byte) &- 0x30
        if digit < 0 || digit > 9 {
            guard byte == 0x2E, !inFraction else { return nil }
            inFraction = true
            continue
        }
        if inFraction {
            if missing == 0 {
                if digit >= 5 {
                    let (rounded, over) =
                        negative
                        ? value.subtractingReportingOverflow(1)
                        : value.addingReportingOverflow(1)
                    if over { return nil }
                    value = rounded
                }
                // Only more digits may follow.
                while index < bytes.count {
                    guard bytes[index] >= 0x30, bytes[index] <= 0x39 else { return nil }
                    index &+= 1
                }
                break
            }
            missing &-= 1
        }
        let (tenfold, over) = value.multipliedReportingOverflow(by: 10)
        let (sum, carry) =
            negative
            ? tenfold.subtractingReportingOverflow(digit)
            : tenfold.addingReportingOverflow(digit)
        if over || carry { return nil }
        value = sum
    }
    while missing > 0 {
        let (tenfold, over) = value.multipliedReportingOverflow(by: 10)
        if over { return nil }
        value = tenfold
        missing &-= 1
    }
    return value
}
