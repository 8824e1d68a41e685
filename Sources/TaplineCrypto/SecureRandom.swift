// SPDX-License-Identifier: MIT

internal import CCrypto

/// Random bytes that cannot be guessed.
///
/// Bytes are taken from libcrypto in blocks and handed out once each. Should libcrypto be unable
/// to deliver, the system's own generator takes its place.
///
/// **Isolation.** One thread at a time; each lane makes its own.
public final class SecureRandom: RandomNumberGenerator {
    private var block: InlineArray<256, UInt64> = InlineArray(repeating: 0)
    private var position = 256

    /// Makes a generator; the first block is taken when the first number is asked for.
    public init() {}

    deinit {
        unsafe withUnsafeMutableBytes(of: &block) { bytes in
            unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        }
    }

    /// The next 64 random bits.
    public func next() -> UInt64 {
        if position >= block.count {
            block = Self.generate()
            position = 0
        }
        let value = block[position]
        block[position] = 0
        position += 1
        return value
    }

    /// Overwrites all bytes of a span with random ones.
    public func fill(_ bytes: inout MutableSpan<UInt8>) {
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

    /// Makes an array of random bytes.
    ///
    /// - Parameter count: How many; none where it is negative.
    /// - Returns: The bytes.
    public func bytes(count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: max(0, count))
        var span = result.mutableSpan
        fill(&span)
        return result
    }

    private static func generate() -> InlineArray<256, UInt64> {
        var block = InlineArray<256, UInt64>(repeating: 0)
        let isFilled = unsafe withUnsafeMutableBytes(of: &block) { bytes in
            unsafe RAND_bytes(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                Int32(clamping: bytes.count)
            ) == 1
        }
        if !isFilled {
            ERR_clear_error()
            var system = SystemRandomNumberGenerator()
            for index in block.indices { block[index] = system.next() }
        }
        return block
    }
}
