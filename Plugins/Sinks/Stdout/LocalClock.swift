// SPDX-License-Identifier: MIT

import TaplineModel

/// The local time of day.
struct LocalClock {
    /// Returns how many seconds local time is ahead of UTC.
    let offset: @Sendable (_ seconds: Int64) -> Int
    private var known: (quarter: Int64, offset: Int)?

    init(offset: @escaping @Sendable (Int64) -> Int) { self.offset = offset }

    /// `14:03:00.123`, or without the fraction.
    mutating func time(_ moment: Timestamp, fraction: Bool) -> String {
        let seconds = moment.microseconds / 1_000_000
        // Offsets change on quarters of an hour. Looking one up per line would cost more than the
        // line.
        let quarter = seconds / 900
        let ahead = known?.quarter == quarter ? known?.offset ?? 0 : offset(seconds)
        known = (quarter, ahead)
        let (local, overflow) = moment.microseconds.addingReportingOverflow(
            Int64(ahead) * 1_000_000
        )
        let time = (overflow ? moment : Timestamp(microseconds: local)).time
        var text: [UInt8] = []
        append(time.hour, 2, to: &text)
        text.append(.ascii(":"))
        append(time.minute, 2, to: &text)
        text.append(.ascii(":"))
        append(time.second, 2, to: &text)
        if fraction {
            text.append(.ascii("."))
            append(time.microsecond / 1000, 3, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func append(_ number: Int, _ digits: Int, to text: inout [UInt8]) {
        if digits > 2 { text.append(UInt8(truncatingIfNeeded: 0x30 + number / 100 % 10)) }
        text.append(UInt8(truncatingIfNeeded: 0x30 + number / 10 % 10))
        text.append(UInt8(truncatingIfNeeded: 0x30 + number % 10))
    }
}
