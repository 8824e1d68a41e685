// SPDX-License-Identifier: MIT

/// Converts libyaml's positions, counted in Unicode scalars, to byte offsets.
struct ScalarPositions {
    private static let stride = 256

    /// The length of the byte order mark, which is hidden from the parser.
    let skipped: Int
    private let bytes: [UInt8]
    /// The byte offset of each 256th scalar; empty if all scalars are one byte long.
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

    /// Returns the byte at which a scalar begins, or the end of the text beyond the last one.
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
