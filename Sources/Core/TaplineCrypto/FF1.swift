// SPDX-License-Identifier: MIT

/// Encrypts numerals of a radix to as many numerals of it: FF1, a mode of format-preserving
/// encryption.
///
/// **Shape.** A value belongs to one key, radix, tweak and number of numerals. It maps the texts
/// one-to-one to the cipher texts.
///
/// **Limits.** There are at least a million texts. A text has 2 to 1024 numerals, each less than
/// the radix, most significant first.
///
/// **Source.** NIST SP 800-38G, algorithms 7 and 8; revision 1 for the lower bound of a million.
package struct FF1: Sendable {
    private let key: AESKey
    private let radix: UInt32
    private let count: Int
    private let tweak: [UInt8]
    /// The first block of the message of each round (step 5).
    private let head: [UInt8]
    /// The number of bytes that hold half of a text (step 3).
    private let halfBytes: Int
    /// The number of bytes that each round adds to half of a text (step 4).
    private let sumBytes: Int

    /// The smallest allowed number of texts.
    package static let minimumTexts = 1_000_000

    private static let rounds: UInt8 = 10
    private static let maximumCount = 1024
    private static let maximumTweak = 1 << 16

    /// Makes FF1 with these parameters; `nil` if there are fewer than a million texts, or if a
    /// parameter is out of range.
    package init?(_ key: AESKey, radix: Int, count: Int, tweak: Span<UInt8>) {
        guard 2...65_536 ~= radix, 2...Self.maximumCount ~= count,
            tweak.count <= Self.maximumTweak, Self.isLarge(radix, count)
        else { return nil }
        self.key = key
        self.radix = UInt32(radix)
        self.count = count
        self.tweak = tweak.indices.map { tweak[$0] }
        let half = count / 2
        halfBytes = Self.byteCount(radix, count - half)
        sumBytes = (halfBytes + 3) / 4 * 4 + 4
        var head: [UInt8] = [1, 2, 1]
        Self.append(radix, byteCount: 3, to: &head)
        head.append(Self.rounds)
        head.append(UInt8(truncatingIfNeeded: half))
        Self.append(count, byteCount: 4, to: &head)
        Self.append(tweak.count, byteCount: 4, to: &head)
        self.head = head
    }

    /// Encrypts numerals in place.
    ///
    /// Returns `false` and leaves them unchanged if their number is not the declared one, or if one
    /// of them is not less than the radix.
    package func encrypt(_ numerals: inout [UInt16]) -> Bool {
        run(&numerals, isBack: false)
    }

    /// Decrypts numerals in place.
    ///
    /// Returns `false` and leaves them unchanged if their number is not the declared one, or if one
    /// of them is not less than the radix.
    package func decrypt(_ numerals: inout [UInt16]) -> Bool {
        run(&numerals, isBack: true)
    }

    private static func isLarge(_ radix: Int, _ count: Int) -> Bool {
        var texts = 1
        for _ in 0..<count where texts < minimumTexts { texts *= radix }
        return texts >= minimumTexts
    }

    /// Returns the number of bytes that hold any number of `count` numerals.
    private static func byteCount(_ radix: Int, _ count: Int) -> Int {
        var largest = Words()
        for _ in 0..<count { largest.multiply(by: UInt32(radix), adding: UInt32(radix - 1)) }
        return (largest.bitWidth + 7) / 8
    }

    private static func append(_ number: Int, byteCount: Int, to output: inout [UInt8]) {
        for index in (0..<byteCount).reversed() {
            output.append(UInt8(truncatingIfNeeded: number >> (8 * index)))
        }
    }
}

// MARK: - Rounds

extension FF1 {
    /// The buffers of one encryption or decryption.
    private struct Buffers {
        /// The message of the round (step 6.i) without its first block.
        var message: [UInt8]
        var first: [UInt8]
        var block = [UInt8](repeating: 0, count: AESKey.blockSize)
        var chain = [UInt8](repeating: 0, count: AESKey.blockSize)
        var sum: [UInt8] = []
        var words = Words()
    }

    private func run(_ numerals: inout [UInt16], isBack: Bool) -> Bool {
        guard numerals.count == count, numerals.allSatisfy({ $0 < radix }) else { return false }
        let padding = (-tweak.count - halfBytes - 1) & (AESKey.blockSize - 1)
        var buffers = Buffers(
            message: tweak + [UInt8](repeating: 0, count: padding + 1 + halfBytes),
            first: head
        )
        let half = count / 2
        var left = Array(numerals[..<half])
        var right = Array(numerals[half...])
        let isDone = key.withContext { context in
            guard Self.encrypt(&buffers.first, context) else { return false }
            for step in 0..<Self.rounds {
                let round = isBack ? Self.rounds - 1 - step : step
                let other = isBack ? left : right
                guard addends(round, other, &buffers, context) else { return false }
                if isBack {
                    subtract(buffers.sum, from: &right, &buffers.words)
                } else {
                    add(buffers.sum, to: &left, &buffers.words)
                }
                swap(&left, &right)
            }
            return true
        }
        guard isDone else { return false }
        numerals = left + right
        return true
    }

    private static func encrypt(_ block: inout [UInt8], _ context: AESContext) -> Bool {
        var span = block.mutableSpan
        return context.encrypt(&span)
    }

    /// Derives the number to add to the other half from one half and the round (steps 6.i to 6.iv).
    private func addends(
        _ round: UInt8,
        _ half: [UInt16],
        _ buffers: inout Buffers,
        _ context: AESContext
    ) -> Bool {
        let start = buffers.message.count - halfBytes
        buffers.message[start - 1] = round
        buffers.words.removeAll()
        for numeral in half { buffers.words.multiply(by: radix, adding: UInt32(numeral)) }
        buffers.words.write(to: &buffers.message, from: start)
        // PRF, algorithm 6: a chain of blocks, whose first is already encrypted.
        buffers.chain = buffers.first
        var position = 0
        while position < buffers.message.count {
            for index in 0..<AESKey.blockSize {
                buffers.chain[index] ^= buffers.message[position + index]
            }
            guard Self.encrypt(&buffers.chain, context) else { return false }
            position += AESKey.blockSize
        }
        buffers.sum.removeAll(keepingCapacity: true)
        buffers.sum.append(contentsOf: buffers.chain)
        var counter: UInt8 = 0
        while buffers.sum.count < sumBytes {
            counter += 1
            buffers.block = buffers.chain
            buffers.block[AESKey.blockSize - 1] ^= counter
            guard Self.encrypt(&buffers.block, context) else { return false }
            buffers.sum.append(contentsOf: buffers.block)
        }
        buffers.sum.removeSubrange(sumBytes...)
        return true
    }

    /// Adds a number to numerals, and drops the carry out of the first numeral (step 6.vi).
    private func add(_ sum: [UInt8], to numerals: inout [UInt16], _ words: inout Words) {
        words.read(sum)
        var carry: UInt32 = 0
        for index in numerals.indices.reversed() {
            let total = UInt32(numerals[index]) + words.divide(by: radix) + carry
            carry = total >= radix ? 1 : 0
            numerals[index] = UInt16(truncatingIfNeeded: total - carry * radix)
        }
    }

    /// Subtracts a number from numerals, and drops the borrow out of the first numeral.
    private func subtract(_ sum: [UInt8], from numerals: inout [UInt16], _ words: inout Words) {
        words.read(sum)
        var borrow: UInt32 = 0
        for index in numerals.indices.reversed() {
            let amount = words.divide(by: radix) + borrow
            let numeral = UInt32(numerals[index])
            borrow = numeral < amount ? 1 : 0
            numerals[index] = UInt16(truncatingIfNeeded: numeral + borrow * radix - amount)
        }
    }
}

/// An unsigned number of any size, in words of 32 bits, least significant first.
private struct Words {
    private var words: [UInt32] = []

    mutating func removeAll() { words.removeAll(keepingCapacity: true) }

    var bitWidth: Int {
        guard let top = words.lastIndex(where: { $0 != 0 }) else { return 0 }
        return top * 32 + 32 - words[top].leadingZeroBitCount
    }

    mutating func multiply(by factor: UInt32, adding addend: UInt32) {
        var carry = UInt64(addend)
        for index in words.indices {
            let product = UInt64(words[index]) * UInt64(factor) + carry
            words[index] = UInt32(truncatingIfNeeded: product)
            carry = product >> 32
        }
        if carry > 0 { words.append(UInt32(truncatingIfNeeded: carry)) }
    }

    /// Divides the number in place and returns the remainder.
    mutating func divide(by divisor: UInt32) -> UInt32 {
        var remainder: UInt64 = 0
        for index in words.indices.reversed() {
            let dividend = remainder << 32 | UInt64(words[index])
            words[index] = UInt32(truncatingIfNeeded: dividend / UInt64(divisor))
            remainder = dividend % UInt64(divisor)
        }
        while words.last == 0 { words.removeLast() }
        return UInt32(truncatingIfNeeded: remainder)
    }

    /// Reads a big-endian number whose byte count is a multiple of four.
    mutating func read(_ bytes: [UInt8]) {
        words.removeAll(keepingCapacity: true)
        for end in stride(from: bytes.count, to: 0, by: -4) {
            var word: UInt32 = 0
            for index in end - 4..<end { word = word << 8 | UInt32(bytes[index]) }
            words.append(word)
        }
    }

    /// Writes the number in big-endian order to the bytes from `start` to the end.
    func write(to bytes: inout [UInt8], from start: Int) {
        for index in start..<bytes.count {
            let place = bytes.count - 1 - index
            let word = place / 4 < words.count ? words[place / 4] : 0
            bytes[index] = UInt8(truncatingIfNeeded: word >> UInt32(place % 4 * 8))
        }
    }
}
