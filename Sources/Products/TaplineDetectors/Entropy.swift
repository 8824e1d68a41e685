// SPDX-License-Identifier: MIT

/// The entropy of bytes, which distinguishes a random key from a word.
enum Entropy {
    /// Returns the Shannon entropy in bits per byte, from 0 for one repeated byte to 8.
    ///
    /// **Limits.** Only the first 1,024 bytes count.
    static func bitsPerByte(of bytes: Span<UInt8>) -> Double {
        let length = min(bytes.count, 1_024)
        guard length > 1 else { return 0 }
        var counts = InlineArray<256, UInt16>(repeating: 0)
        for index in 0..<length { counts[Int(bytes[index])] += 1 }
        var sum = 0.0
        for index in counts.indices where counts[index] > 1 {
            sum += Double(counts[index]) * logarithms[Int(counts[index])]
        }
        return logarithms[length] - sum / Double(length)
    }

    /// The base-2 logarithms of 0 (with the value for 1) to 1,024.
    private static let logarithms = (0...1_024).map { logarithm(of: Double(max($0, 1))) }

    /// Computes by repeated squaring: each time the value reaches 2, another bit of the result is
    /// set.
    private static func logarithm(of value: Double) -> Double {
        var result = Double(value.exponent)
        var rest = value.significand
        var bit = 0.5
        for _ in 0..<30 {
            rest *= rest
            if rest >= 2 {
                rest /= 2
                result += bit
            }
            bit /= 2
        }
        return result
    }
}
