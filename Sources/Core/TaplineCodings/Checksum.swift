// SPDX-License-Identifier: MIT

internal import CZlib

/// Checksums that detect damage, not tampering.
package enum Checksum {
    /// Returns the CRC-32 of bytes, as gzip uses it (RFC 1952 section 8).
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - former: The checksum of the bytes before them; 0 if there are none.
    /// - Returns: The checksum of all bytes so far.
    package static func crc32(_ bytes: Span<UInt8>, after former: UInt32 = 0) -> UInt32 {
        let sum = unsafe bytes.withUnsafeBufferPointer { buffer in
            // A null pointer would begin a new checksum.
            guard let start = buffer.baseAddress else { return UInt(former) }
            return unsafe crc32_z(UInt(former), start, buffer.count)
        }
        return UInt32(truncatingIfNeeded: sum)
    }
}
