// SPDX-License-Identifier: MIT

internal import CCrypto

/// Random bytes that cannot be guessed.
///
/// Bytes are taken from libcrypto in blocks and handed out once each. Should libcrypto be unable
/// to deliver, the system's own generator takes its place.
///
/// **Isolation.** One thread at a time; each lane makes its own.
public final class SecureRandom: RandomNumberGenerator {
    private static let blockSize = 512

    private var block = [UInt8](repeating: 0, count: blockSize)
    private var position = blockSize

    /// Makes a generator; the first block is taken when the first number is asked for.
    public init() {}

    deinit {
        Self.clean(&block)
    }

    /// The next 64 random bits.
    public func next() -> UInt64 {
        if position > Self.blockSize - 8 {
            Self.generate(&block)
            position = 0
        }
        var value: UInt64 = 0
        for index in position..<position + 8 {
            value = value << 8 | UInt64(block[index])
            block[index] = 0
        }
        position += 8
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

    private static func generate(_ block: inout [UInt8]) {
        let isFilled = unsafe block.withUnsafeMutableBufferPointer { buffer in
            unsafe RAND_bytes(buffer.baseAddress, Int32(clamping: buffer.count)) == 1
        }
        guard !isFilled else {
            return
        }
        ERR_clear_error()
        var system = SystemRandomNumberGenerator()
        for index in block.indices {
            block[index] = system.next()
        }
    }

    private static func clean(_ block: inout [UInt8]) {
        unsafe block.withUnsafeMutableBytes { raw in
            unsafe OPENSSL_cleanse(raw.baseAddress, raw.count)
        }
    }
}
