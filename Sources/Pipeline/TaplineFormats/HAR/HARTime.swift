// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// The start time of an entry, in the formats that tools use.
enum HARTime {
    /// Parses the time; returns the epoch if it is invalid.
    static func read(_ value: JSONValue, _ notes: inout HARNotes) -> Timestamp {
        if value.kind == .string, let time = Timestamp(rfc3339: value.bytes) { return time }
        guard let time = time(value) else {
            notes.findings.count("startedDateTime (not a time, read as 1970)")
            return Timestamp(microseconds: 0)
        }
        if value.kind == .string, withZone(value.bytes)?.isAdded == true {
            notes.findings.count("startedDateTime (without a zone, read as UTC)")
        } else {
            notes.findings.count("startedDateTime (not as in RFC 3339)")
        }
        return time
    }

    /// Parses the time; returns `nil` if it is invalid.
    static func time(_ value: JSONValue) -> Timestamp? {
        if value.kind == .number { return value.asDouble.flatMap(sinceEpoch) }
        guard value.kind == .string else { return nil }
        if let time = Timestamp(rfc3339: value.bytes) { return time }
        if let (text, _) = withZone(value.bytes) { return Timestamp(rfc3339: text.span) }
        return isNumber(value.bytes)
            ? value.asString.flatMap { Double($0) }.flatMap(sinceEpoch) : nil
    }

    /// Seconds, milliseconds or microseconds since 1970, distinguished by magnitude: from 1973 to
    /// 5138.
    private static func sinceEpoch(_ number: Double) -> Timestamp? {
        switch number {
        case 1e8..<1e11: Timestamp(microseconds: Int64((number * 1e6).rounded()))
        case 1e11..<1e14: Timestamp(microseconds: Int64((number * 1e3).rounded()))
        case 1e14..<1e17: Timestamp(microseconds: Int64(number.rounded()))
        default: nil
        }
    }

    private static func isNumber(_ text: Span<UInt8>) -> Bool {
        guard 9...24 ~= text.count, 0x30...0x39 ~= text[text.count - 1] else { return false }
        for index in text.indices {
            guard 0x30...0x39 ~= text[index] || text[index] == .ascii(".") else { return false }
        }
        return true
    }

    /// Converts a date and time to RFC 3339.
    ///
    /// Accepts the zones `+0200`, `+02`, `UTC` or none, and a point before the fraction; returns
    /// `nil` for other texts.
    private static func withZone(_ text: Span<UInt8>) -> (text: [UInt8], isAdded: Bool)? {
        guard 19...64 ~= text.count else { return nil }
        var end = 19
        if end < text.count, text[end] == .ascii(".") || text[end] == .ascii(",") {
            end += 1
            while end < text.count, 0x30...0x39 ~= text[end] { end += 1 }
        }
        var output = Array(copying: text.extracting(0..<end))
        if end > 19 { output[19] = .ascii(".") }
        while end < text.count, text[end] == 0x20 { end += 1 }
        let zone = text.extracting(end..<text.count)
        switch zone.count {
        case 0:
            output.append(.ascii("Z"))
            return (output, true)
        case 1, 6:
            output.append(copying: zone)
        case 3 where zone.equalsIgnoringCase("UTC") || zone.equalsIgnoringCase("GMT"):
            output.append(.ascii("Z"))
        case 3:
            output.append(copying: zone)
            output += ":00".utf8
        case 5:
            output.append(copying: zone.extracting(0..<3))
            output.append(.ascii(":"))
            output.append(copying: zone.extracting(3..<5))
        default:
            return nil
        }
        return (output, false)
    }
}
