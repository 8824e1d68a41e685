// SPDX-License-Identifier: MIT

/// Finds lines and columns of byte offsets, however long lines are.
///
/// **Limits** A look-up reads at most ``stride`` bytes at either end; a line of 8 MiB costs no more
/// than a short one.
struct LineTable: Sendable {
    private static let stride = 1024

    /// The offset at which each line begins; LF, CRLF and CR end one.
    private var starts: [Int32] = [0]
    /// Unicode scalars before each ``stride``th byte.
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

    /// The line of an offset, from 0.
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

    /// The column of an offset, from 0, within the bytes that the table was made of.
    func column(of offset: Int, in bytes: [UInt8]) -> Int {
        let start = Int(starts[line(of: offset)])
        return scalars(before: offset, in: bytes) - scalars(before: start, in: bytes)
    }

    /// The bytes of a line, from 0, with its end; empty past the last one.
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
