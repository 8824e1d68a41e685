// SPDX-License-Identifier: MIT

/// Finds the lines and columns of byte offsets in lines of any length.
///
/// **Limits** A look-up reads at most ``stride`` bytes at either end, so a line of 8 MiB costs no
/// more than a short one.
struct LineTable: Sendable {
    private static let stride = 1024

    /// The offset at which each line begins; lines end with LF, CRLF or CR.
    private var starts: [Int32] = [0]
    /// The number of Unicode scalars before each ``stride``th byte.
    private var scalars: [Int32] = []

    init(_ bytes: [UInt8]) {
        var count: Int32 = 0
        for index in bytes.indices {
            if index % Self.stride == 0 {
                scalars.append(count)
            }
            let byte = bytes[index]
            if byte & 0xC0 != 0x80 {
                count &+= 1
            }
            guard byte == 0x0A || byte == 0x0D else { continue }
            if byte == 0x0A || index + 1 == bytes.count || bytes[index + 1] != 0x0A {
                starts.append(Int32(clamping: index + 1))
            }
        }
    }

    /// Returns the line of an offset, from 0.
    func line(of offset: Int) -> Int {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(starts[middle]) <= offset {
                low = middle
            } else {
                high = middle
            }
        }
        return low
    }

    /// Returns the column of an offset, from 0; `bytes` are those that the table was created from.
    func column(of offset: Int, in bytes: [UInt8]) -> Int {
        let start = Int(starts[line(of: offset)])
        return scalars(before: offset, in: bytes) - scalars(before: start, in: bytes)
    }

    /// Returns the bytes of a line, from 0, with its line break; empty beyond the last line.
    func range(of line: Int, in bytes: [UInt8]) -> Range<Int> {
        guard starts.indices.contains(line) else { return bytes.count..<bytes.count }
        let start = Int(starts[line])
        let end = line + 1 < starts.count ? Int(starts[line + 1]) : bytes.count
        return start..<max(start, end)
    }

    private func scalars(before offset: Int, in bytes: [UInt8]) -> Int {
        guard !scalars.isEmpty else { return 0 }
        let checkpoint = min(offset / Self.stride, scalars.count - 1)
        let rest = bytes[(checkpoint * Self.stride)..<min(offset, bytes.count)]
        return Int(scalars[checkpoint]) + rest.count { $0 & 0xC0 != 0x80 }
    }
}
