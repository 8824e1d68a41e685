// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplineJSON

/// The types of `google.protobuf` that have a form of their own in JSON.
extension ProtobufView {
    /// Writes a message of such a type; returns false for other types and for values out of range.
    mutating func wellKnown(
        _ bytes: Span<UInt8>,
        _ type: ProtobufMessageType,
        _ depth: Int,
        to writer: inout JSONWriter
    ) -> Bool {
        let prefix = "google.protobuf."
        guard type.name.hasPrefix(prefix) else { return false }
        var left = fieldsLeft
        let fields = ProtobufFieldList(bytes, depth, &left)
        guard fields.problem == nil, fields.numbers.allSatisfy({ type.fields[$0] != nil }) else {
            return false
        }
        switch type.name.dropFirst(prefix.count) {
        case "Timestamp":
            guard let text = Self.timestamp(fields) else { return false }
            writer.string(text)
        case "Duration":
            guard let text = Self.duration(fields) else { return false }
            writer.string(text)
        case "DoubleValue", "FloatValue", "Int64Value", "UInt64Value", "Int32Value", "UInt32Value",
            "BoolValue", "StringValue", "BytesValue":
            guard let field = type.fields[1], !fields[1].isEmpty,
                fields[1].allSatisfy({ $0.wireType == field.type.wireType })
            else { return false }
            named(bytes, fields[1], field, depth, to: &writer)
        case "Struct", "ListValue":
            guard let field = type.fields[1],
                fields[1].allSatisfy({ $0.wireType == .lengthDelimited })
            else { return false }
            named(bytes, fields[1], field, depth, to: &writer)
        case "Value":
            guard let number = fields.numbers.last, let field = type.fields[number],
                fields[number].allSatisfy({ $0.wireType == field.type.wireType })
            else { return false }
            if number == 1 {
                writer.null()
            } else {
                named(bytes, fields[number], field, depth, to: &writer)
            }
        default: return false
        }
        return true
    }

    private static func numbers(_ fields: ProtobufFieldList) -> (seconds: Int64, nanos: Int32)? {
        guard (fields[1] + fields[2]).allSatisfy({ $0.wireType == .varint }) else { return nil }
        return (
            Int64(bitPattern: fields[1].last?.bits ?? 0),
            Int32(truncatingIfNeeded: fields[2].last?.bits ?? 0)
        )
    }

    /// The fraction of a second in three, six or nine digits; empty for zero.
    private static func fraction(_ nanos: UInt32) -> String {
        guard nanos > 0 else { return "" }
        var digits = "\(nanos)"
        digits = String(repeating: "0", count: max(0, 9 - digits.count)) + digits
        while digits.hasSuffix("000") { digits.removeLast(3) }
        return ".\(digits)"
    }

    /// RFC 3339, between the years 1 and 9999.
    private static func timestamp(_ fields: ProtobufFieldList) -> String? {
        guard let (seconds, nanos) = numbers(fields), (0...999_999_999).contains(nanos),
            (-62_135_596_800...253_402_300_799).contains(seconds)
        else { return nil }
        let (days, second) = (
            seconds.flooredDivision(by: 86_400), seconds.flooredRemainder(by: 86_400)
        )
        let (year, month, day) = date(days)
        let time = [second / 3_600, second / 60 % 60, second % 60].map { padded($0, 2) }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
            + "T\(time.joined(separator: ":"))\(fraction(UInt32(nanos)))Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// The date of a day that is counted from 1970-01-01, from the year 1 on.
    ///
    /// **Source**: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // Days since 0000-03-01, so that leap days are at the end of years.
        let shifted = days + 719_468
        let era = shifted.flooredDivision(by: 146_097)
        let ofEra = shifted.flooredRemainder(by: 146_097)
        let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let month = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * month + 2) / 5 + 1
        let isNextYear = month >= 10
        return (year + era * 400 + (isNextYear ? 1 : 0), month + (isNextYear ? -9 : 3), day)
    }

    /// Seconds with a fraction: `1.500s`.
    private static func duration(_ fields: ProtobufFieldList) -> String? {
        guard let (seconds, nanos) = numbers(fields), nanos.magnitude <= 999_999_999,
            seconds.magnitude <= 315_576_000_000
        else { return nil }
        let sign = seconds < 0 || nanos < 0 ? "-" : ""
        return "\(sign)\(seconds.magnitude)\(fraction(nanos.magnitude))s"
    }
}

extension Int64 {
    /// The quotient, rounded down.
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The remainder, which is never negative.
    fileprivate func flooredRemainder(by divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
