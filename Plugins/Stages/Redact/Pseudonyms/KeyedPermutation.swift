// SPDX-License-Identifier: MIT

internal import TaplineCrypto

/// A permutation under a key, without fixed points, of numbers whose digits each have a radix of
/// their own.
///
/// Different numbers become different ones, so that none fall together however few there are, and
/// no number becomes itself: it is encrypted, stepped one on, and decrypted. All numbers of some
/// radices are one cycle that way, in an order that only the key tells.
///
/// The cipher is a Feistel network of ten rounds over the two halves of the digits, as in FF1 (NIST
/// SP 800-38G), with HMAC-SHA-256 as its round function and digits that are added each for itself,
/// since their radices may differ.
///
/// **Units**: digits and radices are bytes, radices from 2 on, at most `maxDigits` of them.
struct KeyedPermutation: Sendable {
    private let key: HMACSHA256

    /// How many digits a number may have.
    static let maxDigits = 64
    private static let rounds: UInt8 = 10
    /// How many steps are tried for one that is allowed.
    private static let maxSteps = 4096

    /// The permutation of a key.
    init(_ key: HMACSHA256) { self.key = key }

    /// Replaces a number by the next one in the key's order that is allowed.
    ///
    /// Allowed ones become allowed ones, and stay different from each other, as long as they are
    /// not so few that 4096 steps find none; then this returns false.
    func permute(
        _ digits: inout [UInt8],
        _ radices: [UInt8],
        _ purpose: Purpose,
        where isAllowed: ([UInt8]) -> Bool = { _ in true }
    ) -> Bool {
        guard !digits.isEmpty, digits.count == radices.count, digits.count <= Self.maxDigits else {
            return false
        }
        let first = digits
        var place = digits
        encrypt(&place, radices, purpose)
        for _ in 0..<Self.maxSteps {
            Self.step(&place, radices)
            digits = place
            decrypt(&digits, radices, purpose)
            if digits == first { return false }
            if isAllowed(digits) { return true }
        }
        return false
    }

    /// Adds one, with carry; behind the last number comes the first.
    private static func step(_ digits: inout [UInt8], _ radices: [UInt8]) {
        for index in digits.indices {
            digits[index] += 1
            if digits[index] < radices[index] { return }
            digits[index] = 0
        }
    }
}

// MARK: - The cipher

extension KeyedPermutation {
    private func encrypt(_ digits: inout [UInt8], _ radices: [UInt8], _ purpose: Purpose) {
        guard digits.count > 1 else {
            let table = shuffled(radices[0], purpose)
            digits[0] = table[Int(digits[0])]
            return
        }
        for round in 0..<Self.rounds { run(round, &digits, radices, purpose, isBack: false) }
    }

    private func decrypt(_ digits: inout [UInt8], _ radices: [UInt8], _ purpose: Purpose) {
        guard digits.count > 1 else {
            let table = shuffled(radices[0], purpose)
            digits[0] = UInt8(truncatingIfNeeded: table.firstIndex(of: digits[0]) ?? 0)
            return
        }
        for round in (0..<Self.rounds).reversed() {
            run(round, &digits, radices, purpose, isBack: true)
        }
    }

    /// Adds to one half what the key makes of the other; or takes it off again.
    private func run(
        _ round: UInt8,
        _ digits: inout [UInt8],
        _ radices: [UInt8],
        _ purpose: Purpose,
        isBack: Bool
    ) {
        let middle = digits.count / 2
        let target = round % 2 == 0 ? 0..<middle : middle..<digits.count
        let source = round % 2 == 0 ? middle..<digits.count : 0..<middle
        var message: [UInt8] = [purpose.rawValue, round, UInt8(digits.count)]
        message += radices
        message += digits[source]
        var stream = KeyedStream(key, message.span)
        for index in target {
            let radix = radices[index]
            let amount = stream.next(below: radix)
            digits[index] = (digits[index] + (isBack ? radix - amount : amount)) % radix
        }
    }

    /// The cipher of a single digit: a table, shuffled under the key (Fisher and Yates).
    private func shuffled(_ radix: UInt8, _ purpose: Purpose) -> [UInt8] {
        var table = Array(0..<radix)
        var stream = KeyedStream(key, [purpose.rawValue, Self.rounds, 1, radix].span)
        var count = radix
        while count > 1 {
            table.swapAt(Int(count) - 1, Int(stream.next(below: count)))
            count -= 1
        }
        return table
    }
}
