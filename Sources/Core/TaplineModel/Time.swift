// SPDX-License-Identifier: MIT

/// A duration in whole microseconds.
@frozen
public struct Microseconds: Sendable, Hashable, Comparable {
    /// The number of microseconds.
    public var count: Int64

    /// Creates a duration.
    @inlinable
    public init(_ count: Int64) { self.count = count }

    /// The nearest number of microseconds; `nil` if the value is not a number or does not fit.
    public init?(milliseconds: Double) {
        // Above 2^53 a Double cannot represent every microsecond; the bound also keeps the cast
        // safe.
        guard milliseconds > -9e12, milliseconds < 9e12 else { return nil }
        count = Int64(milliseconds * 1000 + (milliseconds < 0 ? -0.5 : 0.5))
    }

    /// The microseconds of a duration, clamped to the range.
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        count = overflow ? (seconds < 0 ? .min : .max) : whole &+ attoseconds / 1_000_000_000_000
    }

    /// The duration in milliseconds.
    public var milliseconds: Double { Double(count) / 1000 }

    /// Whether one is shorter than the other.
    @inlinable
    public static func < (left: Microseconds, right: Microseconds) -> Bool {
        left.count < right.count
    }
}

/// A wall-clock time in microseconds since 1970-01-01 UTC, not counting leap seconds.
@frozen
public struct Timestamp: Sendable, Hashable, Comparable {
    /// The number of microseconds since 1970; negative before.
    public var microseconds: Int64

    /// Creates the time that many microseconds after the start of 1970.
    @inlinable
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Whether one is earlier than the other.
    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}

/// The durations of an exchange's phases; unknown ones are `nil`.
@frozen
public struct Timing: Sendable, Equatable {
    /// Resolving the name.
    public var dns: Microseconds?
    /// Opening the connection, without TLS.
    public var connect: Microseconds?
    /// The TLS handshake.
    public var tls: Microseconds?
    /// Sending the request.
    public var send: Microseconds?
    /// Waiting for the first byte of the response.
    public var wait: Microseconds?
    /// From the start of the exchange to the end of its first server-sent event.
    public var firstEvent: Microseconds?
    /// Receiving the response.
    public var receive: Microseconds?
    /// The whole exchange.
    public var total: Microseconds?

    /// Creates a timing without known durations.
    @inlinable
    public init() {}

    /// Takes over how long a connection took: the lookup of the name, TCP and TLS.
    package mutating func take(connection other: Timing) {
        dns = other.dns
        connect = other.connect
        tls = other.tls
    }
}

// MARK: - RFC 3339

extension Timestamp {
    /// The days since 1970 and the microseconds of that day.
    var split: (days: Int64, rest: Int64) {
        let perDay: Int64 = 86_400_000_000
        var days = microseconds / perDay
        var rest = microseconds % perDay
        if rest < 0 {
            days -= 1
            rest += perDay
        }
        return (days, rest)
    }

    /// Year, month and day in UTC.
    ///
    /// **Source**: the proleptic Gregorian calendar, in eras of 400 years.
    public var date: (year: Int64, month: Int, day: Int) {
        let shifted = split.days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Hour, minute, second and microsecond in UTC.
    public var time: (hour: Int, minute: Int, second: Int, microsecond: Int) {
        let rest = Int(split.rest)
        return (
            rest / 3_600_000_000, rest / 60_000_000 % 60, rest / 1_000_000 % 60, rest % 1_000_000
        )
    }

    /// Appends `2026-11-20T14:03:00.123456Z`.
    ///
    /// Always in UTC with six digits, so that the texts sort as the times do.
    public func appendRFC3339(to output: inout [UInt8]) {
        let date = self.date
        let time = self.time
        let year = Int(clamping: Swift.min(Swift.max(date.year, 0), 9999))
        var text = InlineArray<27, UInt8>(repeating: .ascii("-"))
        text.write(year / 100, at: 0)
        text.write(year % 100, at: 2)
        text.write(date.month, at: 5)
        text.write(date.day, at: 8)
        text[10] = .ascii("T")
        text.write(time.hour, at: 11)
        text[13] = .ascii(":")
        text.write(time.minute, at: 14)
        text[16] = .ascii(":")
        text.write(time.second, at: 17)
        text[19] = .ascii(".")
        text.write(time.microsecond / 10_000, at: 20)
        text.write(time.microsecond / 100 % 100, at: 22)
        text.write(time.microsecond % 100, at: 24)
        text[26] = .ascii("Z")
        output.append(copying: text.span)
    }

    /// The time as RFC 3339 text in UTC, with six fraction digits.
    public var rfc3339: String {
        var output: [UInt8] = []
        appendRFC3339(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Parses RFC 3339 text (§5.6).
    ///
    /// Accepts any fraction (digits after the sixth are dropped), `Z` or an offset, and `T` of
    /// either case or a space. `nil` if the text is not a valid time.
    public init?(rfc3339 text: Span<UInt8>) {
        guard text.count >= 19,
            let year = text.extracting(0..<4).decimal,
            let month = text.extracting(5..<7).decimal, 1...12 ~= month,
            let day = text.extracting(8..<10).decimal, 1...31 ~= day,
            let hour = text.extracting(11..<13).decimal, hour < 24,
            let minute = text.extracting(14..<16).decimal, minute < 60,
            let second = text.extracting(17..<19).decimal, second <= 60,
            let days = Timestamp.days(year: year, month: month, day: day),
            text[4] == .ascii("-"), text[7] == .ascii("-"), text[13] == .ascii(":"),
            text[16] == .ascii(":"),
            text[10].asciiLowercased == .ascii("t") || text[10] == .ascii(" ")
        else { return nil }
        var position = 19
        guard let fraction = Timestamp.fraction(text, &position),
            let offset = Timestamp.offset(text, position)
        else { return nil }
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset * 60)
        self.init(microseconds: seconds * 1_000_000 + fraction)
    }

    /// Parses RFC 3339 text.
    public init?(rfc3339 text: String) {
        self.init(rfc3339: text.utf8.span)
    }

    /// Days from 1970-01-01 to a date; `nil` if the date does not exist.
    static func days(year: Int, month: Int, day: Int) -> Int64? {
        let shifted = Int64(month <= 2 ? year - 1 : year)
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return Timestamp(microseconds: days * 86_400_000_000).date.day == day ? days : nil
    }

    /// Parses the fraction of a second at a position, in microseconds, and advances the position.
    ///
    /// `nil` if a point is not followed by a digit.
    private static func fraction(_ text: Span<UInt8>, _ position: inout Int) -> Int64? {
        guard position < text.count, text[position] == .ascii(".") else { return 0 }
        position += 1
        var result: Int64 = 0
        var digits = 0
        while position < text.count, 0x30...0x39 ~= text[position] {
            if digits < 6 { result = result * 10 + Int64(text[position] - 0x30) }
            digits += 1
            position += 1
        }
        guard digits > 0 else { return nil }
        while digits < 6 {
            result *= 10
            digits += 1
        }
        return result
    }

    /// The offset from UTC at the end of the text, in minutes.
    private static func offset(_ text: Span<UInt8>, _ position: Int) -> Int? {
        let rest = text.count - position
        if rest == 1, text[position].asciiLowercased == .ascii("z") { return 0 }
        guard rest == 6, text[position + 3] == .ascii(":"),
            let hours = text.extracting(position + 1..<position + 3).decimal, hours < 24,
            let minutes = text.extracting(position + 4..<position + 6).decimal, minutes < 60
        else { return nil }
        switch text[position] {
        case .ascii("+"): return hours * 60 + minutes
        case .ascii("-"): return -(hours * 60 + minutes)
        default: return nil
        }
    }
}

extension [UInt8] {
    /// Appends a year as four digits, clamped to what four digits can represent.
    mutating func appendYear(_ year: Int64) {
        appendDigits(Int(clamping: Swift.min(Swift.max(year, 0), 9999)), 4)
    }

    /// Appends a number with a fixed count of digits, including leading zeros.
    mutating func appendDigits(_ number: Int, _ digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(truncatingIfNeeded: 0x30 + number / divisor % 10))
            divisor /= 10
        }
    }
}

extension InlineArray<27, UInt8> {
    /// Writes a two-digit number.
    @inline(__always)
    fileprivate mutating func write(_ number: Int, at start: Int) {
        self[start] = UInt8(truncatingIfNeeded: 0x30 + number / 10)
        self[start + 1] = UInt8(truncatingIfNeeded: 0x30 + number % 10)
    }
}
