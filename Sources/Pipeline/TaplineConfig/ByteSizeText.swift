// SPDX-License-Identifier: MIT

/// Byte counts in the notation of the file.
package enum ByteSizeText {
    /// The units and their sizes in bytes; a count is written with the first unit that divides it.
    static let units: [(name: String, bytes: Int)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
        ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000),
        ("KB", 1000), ("B", 1),
    ]

    /// Parses a text such as `64KiB`; `nil` if it is not a size.
    package static func bytes(_ text: String) -> Int? {
        Quantity.value(text, units.map { ($0.name, $0.bytes) })
    }

    /// Returns `64KiB` for 65536, and `1500B` if no larger unit divides the count.
    static func text(_ bytes: Int) -> String {
        guard bytes != 0 else { return "0B" }
        for unit in units where bytes % unit.bytes == 0 {
            return "\(bytes / unit.bytes)\(unit.name)"
        }
        return "\(bytes)B"
    }
}
