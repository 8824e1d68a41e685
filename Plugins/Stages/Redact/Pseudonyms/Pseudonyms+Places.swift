// SPDX-License-Identifier: MIT

internal import TaplineModel

/// IP addresses and dates.
extension Pseudonyms {
    /// Returns the stand-in of an IP address: for version 4, one in 240.0.0.0/4, which is reserved
    /// (RFC 1112 §4); for version 6, one in 2001:db8::/32, which is for documentation (RFC 3849).
    ///
    /// The documentation blocks of version 4 have too few addresses to distinguish values. The
    /// notation of a version 6 address does not matter.
    func address(_ value: [UInt8]) -> [UInt8]? {
        guard value.count >= 2, value.count <= 45 else { return nil }
        if Self.isVersion4(value[...]) {
            for attempt in 0...UInt8.max {
                var stream = KeyedStream(key, .address, attempt, value.span)
                let word = stream.nextWord() | 0xF000_0000
                let parts = stride(from: 24, through: 0, by: -8).map { word >> UInt32($0) & 0xFF }
                let text = Array(parts.map(String.init).joined(separator: ".").utf8)
                if text != value, word != .max { return text }
            }
            return nil
        }
        guard let groups = Self.version6(value) else { return nil }
        let message = groups.flatMap {
            [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
        }
        for attempt in 0...UInt8.max {
            var stream = KeyedStream(key, .address, attempt, message.span)
            let made: [UInt16] =
                [0x2001, 0x0DB8] + (0..<6).map { _ in UInt16(stream.nextWord() >> 16) }
            guard made != groups else { continue }
            return Array(made.map { String($0, radix: 16) }.joined(separator: ":").utf8)
        }
        return nil
    }

    private static func isVersion4(_ value: ArraySlice<UInt8>) -> Bool {
        let parts = value.split(separator: .ascii("."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                guard 1...3 ~= part.count, part.allSatisfy({ 0x30...0x39 ~= $0 }),
                    part.count == 1 || part.first != .ascii("0")
                else { return false }
                return part.reduce(0) { $0 * 10 + Int($1) - 0x30 } < 256
            }
    }

    /// Returns the eight groups of a version 6 address (RFC 4291 §2.2).
    private static func version6(_ value: [UInt8]) -> [UInt16]? {
        guard value.count(where: { $0 == .ascii(":") }) >= 2 else { return nil }
        var front: [UInt16] = []
        var back: [UInt16] = []
        var isShort = false
        var position = 0
        while position < value.count {
            if value[position] == .ascii(":") {
                guard position + 1 < value.count, value[position + 1] == .ascii(":"), !isShort
                else { return nil }
                isShort = true
                position += 2
                continue
            }
            let end = value[position...].firstIndex(of: .ascii(":")) ?? value.count
            let part = value[position..<end]
            if end == value.count, isVersion4(part) {
                let parts = part.split(separator: .ascii(".")).map { part in
                    part.reduce(UInt16(0)) { $0 * 10 + UInt16($1 - 0x30) }
                }
                let groups = [parts[0] << 8 | parts[1], parts[2] << 8 | parts[3]]
                if isShort { back += groups } else { front += groups }
                break
            }
            guard 1...4 ~= part.count, part.allSatisfy({ $0.hexDigit != nil }) else { return nil }
            let group = part.reduce(UInt16(0)) { $0 << 4 | UInt16($1.hexDigit ?? 0) }
            if isShort { back.append(group) } else { front.append(group) }
            // Skips a single colon; two colons are read next, and one at the end of the text fails.
            position = end
            if end + 1 < value.count, value[end + 1] != .ascii(":") { position = end + 1 }
        }
        let count = front.count + back.count
        guard isShort ? count < 8 : count == 8 else { return nil }
        return front + [UInt16](repeating: 0, count: 8 - count) + back
    }
}

// MARK: - Dates

extension Pseudonyms {
    /// The number of days that stand-ins of dates can have: those from 1900 to 2099.
    private static let days: Int64 = 73_049
    /// 1900-01-01, in days before 1970.
    private static let firstDay: Int64 = 25_567

    /// Returns the stand-in of a date or a timestamp (RFC 3339 §5.6): another one between 1900 and
    /// 2099, in the same format and with the same offset from UTC.
    func date(_ value: [UInt8]) -> [UInt8]? {
        guard let moment = Self.moment(value) else { return nil }
        var text = ExchangeableText(value)
        for place in moment.fraction { text.add(place, .digits) }
        // A number whose digits are the day, the hour, the minute, the second, and the fraction.
        let radices: [UInt32] = value.count > 10 ? [24, 60, 60] : []
        var number = WideNumber(UInt64(moment.day))
        var size = WideNumber(UInt64(Self.days))
        for (index, radix) in radices.enumerated() {
            let digit = UInt32(Self.pair(value, 11 + index * 3))
            number.multiply(by: radix, adding: digit)
            size.multiply(by: radix)
        }
        for digit in text.digits {
            number.multiply(by: 10, adding: UInt32(digit))
            size.multiply(by: 10)
        }
        guard var made = permutation.next(number, of: size, .date) else { return nil }
        for index in text.digits.indices.reversed() {
            text.digits[index] = UInt8(truncatingIfNeeded: made.divide(by: 10))
        }
        text.write()
        var output = text.bytes
        for (index, radix) in radices.enumerated().reversed() {
            let digit = UInt8(truncatingIfNeeded: made.divide(by: radix))
            output[11 + index * 3] = 0x30 + digit / 10
            output[12 + index * 3] = 0x30 + digit % 10
        }
        Self.write(Int64(made.small ?? 0), to: &output)
        return output
    }

    /// Returns the day of a text in days since 1900-01-01, and the range of its fraction digits.
    private static func moment(_ value: [UInt8]) -> (day: Int64, fraction: Range<Int>)? {
        guard value.count >= 10, value[4] == .ascii("-"), value[7] == .ascii("-") else {
            return nil
        }
        var whole = value
        if value.count == 10 {
            whole += "T00:00:00Z".utf8
        } else {
            guard value.count >= 19 else { return nil }
            // Databases write a blank instead of the T and omit the offset.
            if whole[10] == .ascii(" ") { whole[10] = .ascii("T") }
            let rest = whole[19...].drop { $0 == .ascii(".") || 0x30...0x39 ~= $0 }
            if rest.isEmpty { whole.append(.ascii("Z")) }
        }
        let midnight = Array(whole[..<10] + "T00:00:00Z".utf8)
        guard let start = Timestamp(rfc3339: midnight.span),
            Timestamp(rfc3339: whole.span) != nil
        else { return nil }
        let day = start.microseconds / 86_400_000_000 + firstDay
        guard 0..<days ~= day else { return nil }
        var end = min(20, value.count)
        while end < value.count, 0x30...0x39 ~= value[end] { end += 1 }
        let hasFraction = value.count > 20 && value[19] == .ascii(".")
        return (day, hasFraction ? 20..<min(end, 20 + 48) : 0..<0)
    }

    private static func pair(_ value: [UInt8], _ start: Int) -> UInt8 {
        // A leap second becomes a second that every minute has.
        min((value[start] - 0x30) * 10 + value[start + 1] - 0x30, 59)
    }

    private static func write(_ day: Int64, to output: inout [UInt8]) {
        var text: [UInt8] = []
        Timestamp(microseconds: (day - firstDay) * 86_400_000_000).appendRFC3339(to: &text)
        for index in 0..<10 { output[index] = text[index] }
    }
}
