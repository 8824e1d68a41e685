// SPDX-License-Identifier: MIT

// The date of HTTP fields (IMF-fixdate, RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.

extension Timestamp {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Appends the moment as an HTTP date, without the fraction of a second.
    ///
    /// Years that do not have four digits are replaced by the nearest one that does.
    public func appendHTTPDate(to output: inout [UInt8]) {
        let date = self.date
        let time = self.time
        // 1970-01-01 was a Thursday.
        let weekday = ((split.days + 4) % 7 + 7) % 7
        output.append(copying: Self.weekdays[Int(weekday)].utf8.span)
        output.append(copying: ", ".utf8.span)
        output.appendDigits(date.day, 2)
        output.append(.ascii(" "))
        output.append(copying: Self.months[date.month - 1].utf8.span)
        output.append(.ascii(" "))
        output.appendYear(date.year)
        output.append(.ascii(" "))
        output.appendDigits(time.hour, 2)
        output.append(.ascii(":"))
        output.appendDigits(time.minute, 2)
        output.append(.ascii(":"))
        output.appendDigits(time.second, 2)
        output.append(copying: " GMT".utf8.span)
    }

    /// Parses an HTTP date, also with dashes around the month, as in cookies.
    ///
    /// `nil` if the text is not an HTTP date. The day of the week is not checked.
    public init?(httpDate text: Span<UInt8>) {
        guard text.count == 29, text.extracting(25...).equals(" GMT"),
            Self.index(of: text.extracting(0..<3), in: Self.weekdays) != nil,
            let day = text.extracting(5..<7).decimal, 1...31 ~= day,
            let month = Self.index(of: text.extracting(8..<11), in: Self.months),
            let year = text.extracting(12..<16).decimal,
            let hour = text.extracting(17..<19).decimal, hour < 24,
            let minute = text.extracting(20..<22).decimal, minute < 60,
            let second = text.extracting(23..<25).decimal, second <= 60,
            let days = Timestamp.days(year: year, month: month + 1, day: day),
            text.extracting(3..<5).equals(", "), text[16] == .ascii(" "),
            text[7] == .ascii(" ") || text[7] == .ascii("-"), text[11] == text[7],
            text[19] == .ascii(":"), text[22] == .ascii(":")
        else { return nil }
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        self.init(microseconds: seconds * 1_000_000)
    }

    private static func index(of name: Span<UInt8>, in names: [String]) -> Int? {
        names.firstIndex { name.equals($0) }
    }
}
