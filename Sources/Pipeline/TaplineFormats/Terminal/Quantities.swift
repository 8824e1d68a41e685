// SPDX-License-Identifier: MIT

package import TaplineModel

/// Human-readable sizes and times of at most eight characters.
package enum Quantities {
    /// `311 B`, `12.3 KiB`, `1023 KiB`, `1.0 MiB`; `-` if unknown.
    package static func size(_ bytes: Int?) -> String {
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
    package static func duration(_ duration: Microseconds?) -> String {
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
