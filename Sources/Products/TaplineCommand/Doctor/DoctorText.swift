// SPDX-License-Identifier: MIT

/// Figures as text in findings.
enum DoctorText {
    /// A number of bytes in the largest unit of which there is at least one, rounded down.
    static func size(_ bytes: Int) -> String {
        let units = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        guard let unit = units.first(where: { bytes >= $0.1 }) else { return "\(max(bytes, 0)) B" }
        return "\(bytes / unit.1) \(unit.0)"
    }

    /// Permission bits as chmod(1) writes them: `640`.
    static func mode(_ permissions: UInt32) -> String {
        let digits = String(permissions & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }
}
