// SPDX-License-Identifier: MIT

/// Turns libyaml's positions, counted in Unicode scalars, into byte offsets.
struct ScalarPositions {
    private static let stride = 256

    /// Bytes of the byte order mark that the parser does not get to see.
    let skipped: Int
    private let bytes: [UInt8]
    /// The byte offset of each 256th scalar; empty when all of them are one byte long.
    private var checkpoints: [Int] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        skipped = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard bytes.contains(where: { $0 >= 0x80 }) else { return }
        var scalars = 0
        for index in skipped..<bytes.count where bytes[index] & 0xC0 != 0x80 {
            if scalars % Self.stride == 0 {
                checkpoints.append(index)
            }
            scalars += 1
        }
    }

    /// The text without its byte order mark.
    func text(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes[min(skipped, bytes.count)...]
    }

    /// The byte at which a scalar begins; the end of the text for one after the last.
    func byteOffset(ofScalar index: Int) -> Int {
        guard index > 0 else { return skipped }
        guard !checkpoints.isEmpty else { return min(index, bytes.count) }
        let checkpoint = min(index / Self.stride, checkpoints.count - 1)
        var remaining = index - checkpoint * Self.stride
        var offset = checkpoints[checkpoint]
        while remaining > 0, offset < bytes.count {
            offset += 1
            while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 {
                offset += 1
            }
            remaining -= 1
        }
        return offset
    }
}
