// SPDX-License-Identifier: MIT

internal import TaplineCrypto

/// A keyed permutation without fixed points of the numbers below a size.
///
/// Different numbers have different results however few there are, and no number maps to itself.
/// For at least a million numbers, it is FF1 (NIST SP 800-38G) with AES-256, in the smallest radix
/// whose numerals, an even count of them, cover the size; a result outside the size is enciphered
/// again. A number is enciphered, incremented by one, and deciphered: all numbers then form one
/// cycle, in an order that depends only on the key. For fewer numbers, it is a table.
///
/// **Isolation**: any thread.
struct KeyedPermutation: Sendable {
    private let key: AESKey?
    private let tables: SmallPermutations?

    /// How often a number outside the size is enciphered again; the radix is chosen so that at most
    /// one in sixty is outside.
    private static let maxWalk = 64

    /// Creates the permutations of a key, with a derived key for each kind.
    init(_ key: HMACSHA256) {
        self.key = AESKey(key.authenticate("ff1").bytes.span)
        tables = AESKey(key.authenticate("table").bytes.span).map(SmallPermutations.init)
    }

    /// Returns the result for a number below `size`; `nil` if the number is not below it, if there
    /// is only one, or if OpenSSL does not support AES.
    ///
    /// For different purposes or values of `form`, the permutations differ.
    func next(
        _ number: WideNumber,
        of size: WideNumber,
        _ purpose: Purpose,
        form: [UInt8] = []
    ) -> WideNumber? {
        guard number < size else { return nil }
        if let limit = size.small, limit < UInt64(SmallPermutations.limit) {
            return number.small.flatMap { tables?.next(Int($0), of: Int(limit), purpose) }
                .map { WideNumber(UInt64($0)) }
        }
        let (radix, count) = Self.numerals(for: size)
        let tweak = Self.tweak(purpose, form)
        guard let key, let cipher = FF1(key, radix: radix, count: count, tweak: tweak.span),
            var place = Self.walk(number, below: size, radix, count, { cipher.encrypt(&$0) })
        else { return nil }
        place += WideNumber(1)
        if place == size { place = WideNumber() }
        return Self.walk(place, below: size, radix, count) { cipher.decrypt(&$0) }
    }

    /// Returns the purpose and 8 bytes of SHA-256 over the form.
    private static func tweak(_ purpose: Purpose, _ form: [UInt8]) -> [UInt8] {
        [purpose.rawValue] + SHA256.hash(form.span).bytes.prefix(8)
    }

    /// Enciphers or deciphers a number until the result is below the size.
    private static func walk(
        _ number: WideNumber,
        below size: WideNumber,
        _ radix: Int,
        _ count: Int,
        _ step: (inout [UInt16]) -> Bool
    ) -> WideNumber? {
        var rest = number
        var numerals = [UInt16](repeating: 0, count: count)
        for index in numerals.indices.reversed() {
            numerals[index] = UInt16(truncatingIfNeeded: rest.divide(by: UInt32(radix)))
        }
        for _ in 0..<maxWalk {
            guard step(&numerals) else { return nil }
            var made = WideNumber()
            for numeral in numerals { made.multiply(by: UInt32(radix), adding: UInt32(numeral)) }
            if made < size { return made }
        }
        return nil
    }

    /// Returns how many numerals of which radix cover a size: the smallest even count that a radix
    /// of 16 bits allows, and the smallest radix for that count.
    static func numerals(for size: WideNumber) -> (radix: Int, count: Int) {
        let count = max(2, (size.bitWidth + 31) / 32 * 2)
        var low = 2
        var high = 65_536
        while low < high {
            let middle = (low + high) / 2
            var power = WideNumber(1)
            for _ in 0..<count { power.multiply(by: UInt32(middle)) }
            if power < size { low = middle + 1 } else { high = middle }
        }
        return (low, count)
    }
}
