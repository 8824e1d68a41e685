// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplineJSON

extension JSONWriter {
    /// The largest integer whose neighbours a `double` can represent.
    private static var maxExact: UInt64 { 1 << 53 }

    /// Writes an integer; as a string if readers of JSON may not represent it exactly.
    mutating func exact(_ value: UInt64) {
        if value <= Self.maxExact { integer(value) } else { string("\(value)") }
    }

    /// Writes an integer; as a string if readers of JSON may not represent it exactly.
    mutating func exact(_ value: Int64) {
        if value.magnitude <= Self.maxExact { integer(value) } else { string("\(value)") }
    }

    /// Writes a number, or `"NaN"`, `"Infinity"` or `"-Infinity"`.
    mutating func number<Value: BinaryFloatingPoint & CustomStringConvertible>(_ value: Value) {
        if value.isNaN {
            string("NaN" as StaticString)
        } else if value.isInfinite {
            string(value < 0 ? "-Infinity" : "Infinity" as StaticString)
        } else {
            let text = value.description
            raw((text.hasSuffix(".0") ? String(text.dropLast(2)) : text).utf8.span)
        }
    }
}

extension Span where Element == UInt8 {
    /// The unsigned integer that up to eight bytes represent, the lowest byte first.
    func littleEndian(_ range: Range<Int>) -> UInt64 {
        var value: UInt64 = 0
        for index in range.prefix(8) {
            value |= UInt64(self[index]) << UInt64(8 * (index - range.lowerBound))
        }
        return value
    }
}
