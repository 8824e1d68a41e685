// SPDX-License-Identifier: MIT

import TaplineModel

/// Human-readable sizes and times of at most eight characters.
enum Quantities {
    /// `311 B`, `12.3 KiB`, `1023 KiB`, `1.0 MiB`; `-` if unknown.
    static func size(_ bytes: Int?) -> String {
        guard let bytes, bytes >= 0 else { return "-" }
        guard bytes >= 1024 else { return "\(bytes) B" }
        var unit = 1024
        for name in ["KiB", "MiB", "GiB", "TiB"] {
            let whole = bytes / unit
            guard whole >= 1024 else {
                return whole >= 100
                    ? "\(whole) \(name)" : "\(whole).\(bytes % unit * 10 / unit) \(name)"
            }
            unit *= 1024
        }
        // Units of 2^50: at most 8,192 of them fit into an Int.
        return "\(bytes / unit) PiB"
    }

    /// `0.4 ms`, `15.5 ms`, `123 ms`, `1.20 s`, `2m03s`, `1h02m`; `-` if unknown.
    static func duration(_ duration: Microseconds?) -> String {
        guard let count = duration?.count, count >= 0 else { return "-" }
        switch count {
        case ..<100_000: return "\(count / 1000).\(count % 1000 / 100) ms"
        case ..<1_000_000: return "\(count / 1000) ms"
        case ..<60_000_000: return "\(count / 1_000_000).\(two(count / 10_000 % 100)) s"
        case ..<3_600_000_000:
            let seconds = count / 1_000_000
            return "\(seconds / 60)m\(two(seconds % 60))s"
        default:
            let minutes = count / 60_000_000
            return "\(minutes / 60)h\(two(minutes % 60))m"
        }
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

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
