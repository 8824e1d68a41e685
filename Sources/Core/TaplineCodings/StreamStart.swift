// SPDX-License-Identifier: MIT

/// A position where compressed data may begin in other data, according to its magic number.
package struct StreamStart: Equatable, Sendable {
    /// The number of bytes that compressed data has at least.
    private static let minBytes = 8

    /// The position of the first byte.
    package let position: Int
    /// The coding: gzip, zlib or zstd.
    package let coding: ContentCoding

    /// Returns the first start at or after a position; `nil` if there is none.
    ///
    /// zlib with another window than the usual one of 32 KiB is only found at the position 0: its
    /// headers are too frequent in other data.
    package static func next(in bytes: Span<UInt8>, from start: Int) -> StreamStart? {
        if start == 0, isZlib(bytes, at: 0) { return StreamStart(position: 0, coding: .deflate) }
        var position = start
        while true {
            position = ByteBlocks.nextStreamStart(bytes, from: position)
            guard position + minBytes <= bytes.count else { return nil }
            if let coding = coding(at: position, of: bytes) {
                return StreamStart(position: position, coding: coding)
            }
            position += 1
        }
    }

    /// Returns whether at a position there is a header of zlib with any window, without a preset
    /// dictionary (RFC 1950 §2.2), and the start of a block (RFC 1951 §3.2.3).
    package static func isZlib(_ bytes: Span<UInt8>, at position: Int) -> Bool {
        guard position >= 0, position <= bytes.count - minBytes else { return false }
        let (first, second) = (bytes[position], bytes[position + 1])
        guard first & 0x8F == 8, second & 0x20 == 0 else { return false }
        return (Int(first) << 8 | Int(second)) % 31 == 0 && bytes[position + 2] & 7 <= 5
    }

    /// Recognises gzip (RFC 1952 §2.3), zstd (RFC 8878 §3.1.1) and zlib with its usual window (RFC
    /// 1950 §2.2).
    private static func coding(at position: Int, of bytes: Span<UInt8>) -> ContentCoding? {
        switch bytes[position] {
        case 0x1F: bytes[position + 2] == 8 ? .gzip : nil
        case 0x28: bytes[position + 2] == 0x2F && bytes[position + 3] == 0xFD ? .zstd : nil
        default: bytes[position + 2] & 7 <= 5 ? .deflate : nil
        }
    }

    /// Makes a decoder of the data.
    ///
    /// - Parameter limit: The maximum number of decoded bytes.
    /// - Returns: The decoder; `nil` if memory runs out.
    package func makeDecoder(limit: Int) -> ContentDecoder? {
        let limits = DecodingLimits(
            maxOutputBytes: max(limit, 0),
            maxRatio: 0,
            maxZstdWindowLog: 27
        )
        return try? ContentDecoder(coding, limits: limits)
    }
}
