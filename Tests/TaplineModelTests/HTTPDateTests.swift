// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct HTTPDateTests {
    private func text(_ microseconds: Int64) -> String {
        var output: [UInt8] = []
        Timestamp(microseconds: microseconds).appendHTTPDate(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// RFC 9110 §5.6.7, and times formatted with Python's `email.utils.format_datetime`.
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Int64, String)]
    )
    func knownTimesRoundTrip(seconds: Int64, date: String) {
        #expect(text(seconds * 1_000_000) == date)
        #expect(Timestamp(httpDate: date.utf8.span)?.microseconds == seconds * 1_000_000)
    }

    @Test func aFractionIsLeftOut() {
        #expect(text(1_999_999) == "Thu, 01 Jan 1970 00:00:01 GMT")
        #expect(text(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
    }

    @Test func yearsAlwaysHaveFourDigits() {
        #expect(text(.max).contains(" 9999 "))
        #expect(text(.min).contains(" 0000 "))
    }

    @Test func everyDayOfFourCenturiesRoundTrips() {
        for day in 0..<Int64(146_097) {
            let moment = day * 86_400_000_000 - 11_644_473_600_000_000
            guard Timestamp(httpDate: text(moment).utf8.span)?.microseconds == moment else {
                Issue.record("\(text(moment)) is read as another moment")
                return
            }
        }
    }

    @Test(
        arguments: [
            ("Sun, 06-Nov-1994 08:49:37 GMT", 784_111_777),
            ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ] as [(String, Int64)]
    )
    func otherNotationsAreAccepted(date: String, seconds: Int64) {
        #expect(Timestamp(httpDate: date.utf8.span)?.microseconds == seconds * 1_000_000)
    }

    @Test(arguments: [
        "", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GM",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun; 06 Nov 1994 08:49:37 GMT", "Sun,x06 Nov 1994 08:49:37 GMT",
        "Sun, 6  Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 32 Jan 1994 08:49:37 GMT",
        "Wed, 29 Feb 1995 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06-Nov 1994 08:49:37 GMT", "Sun, 06/Nov/1994 08:49:37 GMT",
        "Sun, 06 Nov 1994x08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08.49:37 GMT", "Sun, 06 Nov 1994 08:49.37 GMT",
        "Sun, 06 Nov -994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ])
    func otherTextsAreRejected(text: String) {
        #expect(Timestamp(httpDate: text.utf8.span) == nil)
    }
}
