// SPDX-License-Identifier: MIT

internal import CByteScan
internal import CZlib

/// Checksums that detect damage, not tampering.
package enum Checksum {
    /// The number of bytes from which the processor's own multiplication is faster than zlib.
    private static let foldedBytes = 64
    private static let canFold = tapline_can_fold()

    /// Returns the CRC-32 of bytes, as gzip uses it (RFC 1952 section 8).
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - former: The checksum of the bytes before them; 0 if there are none.
    /// - Returns: The checksum of all bytes so far.
    package static func crc32(_ bytes: Span<UInt8>, after former: UInt32 = 0) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            // A null pointer would begin a new checksum.
            guard let start = buffer.baseAddress else { return former }
            var sum = former
            var folded = 0
            if buffer.count >= foldedBytes, canFold {
                folded = buffer.count & ~15
                unsafe sum = tapline_crc32(sum, start, folded)
            }
            let rest = unsafe crc32_z(UInt(sum), start + folded, buffer.count - folded)
            return UInt32(truncatingIfNeeded: rest)
        }
    }
}
