// SPDX-License-Identifier: MIT

internal import CCrypto

/// A generator of unpredictable random bytes.
///
/// It takes bytes from libcrypto in blocks and hands out each of them once. If libcrypto fails, the
/// system's generator is used instead.
///
/// **Isolation.** Used by one thread at a time; each lane makes its own.
@safe
package final class SecureRandom: RandomNumberGenerator {
    // One call to libcrypto costs as much as a few hundred numbers. The block has memory of its own
    // because Swift checks exclusive access each time a stored array is lent to C.
    private let block = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: SecureRandom.count)
    private var position = SecureRandom.count
    private static let count = 1024

    /// Makes a generator; the first call of `next()` fills the first block.
    package init() {
        unsafe block.initialize(repeating: 0)
    }

    deinit {
        unsafe OPENSSL_cleanse(block.baseAddress, Self.count * MemoryLayout<UInt64>.stride)
        unsafe block.deallocate()
    }

    /// Returns the next 64 random bits.
    package func next() -> UInt64 {
        if position >= Self.count {
            generate()
            position = 0
        }
        let value = unsafe block[position]
        unsafe block[position] = 0
        position += 1
        return value
    }

    /// Overwrites a span with random bytes.
    package func fill(_ bytes: inout MutableSpan<UInt8>) {
        var index = 0
        while index < bytes.count {
            var word = next()
            for _ in 0..<min(8, bytes.count - index) {
                bytes[index] = UInt8(truncatingIfNeeded: word)
                word >>= 8
                index += 1
            }
        }
    }

    /// Returns an array of random bytes.
    ///
    /// - Parameter count: The number of bytes; a negative number counts as zero.
    /// - Returns: The bytes.
    package func bytes(count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: max(0, count))
        var span = result.mutableSpan
        fill(&span)
        return result
    }

    private func generate() {
        let bytes = unsafe UnsafeMutableRawBufferPointer(block)
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        if unsafe RAND_bytes(start, Int32(clamping: bytes.count)) != 1 {
            ERR_clear_error()
            var system = SystemRandomNumberGenerator()
            for index in unsafe block.indices { unsafe block[index] = system.next() }
        }
    }
}
