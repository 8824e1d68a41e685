// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The characters that are allowed at one position of a text, in order.
struct Alphabet: Sendable {
    let symbols: [UInt8]

    private init(_ symbols: String) { self.symbols = Array(symbols.utf8) }
    init(_ symbols: [UInt8]) { self.symbols = symbols }

    static let digits = Alphabet("0123456789")
    /// The first digit of a number with several digits.
    static let nonzero = Alphabet("123456789")
    static let small = Alphabet("abcdefghijklmnopqrstuvwxyz")
    static let capital = Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    static let smallHex = Alphabet("0123456789abcdef")
    static let capitalHex = Alphabet("0123456789ABCDEF")
    private static let alphanumeric =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    /// The letters and digits of base64 (RFC 4648 §4), by value.
    static let base62 = Alphabet(alphanumeric)
    static let base64 = Alphabet(alphanumeric + "+/")
    static let base64URL = Alphabet(alphanumeric + "-_")

    /// Returns the characters whose lower bits equal those of a symbol: the last character of
    /// base64 often has unused bits.
    func sharing(_ bits: Int, of symbol: UInt8) -> Alphabet {
        guard let value = symbols.firstIndex(of: symbol) else { return self }
        let mask = 1 << bits - 1
        let alike = symbols.indices.filter { $0 & mask == value & mask }
        return Alphabet(alike.map { symbols[$0] })
    }
}

/// A text in which the characters at some positions can be exchanged for others of their kind.
struct ExchangeableText {
    private(set) var bytes: [UInt8]
    private var places: [Int] = []
    private var alphabets: [Alphabet] = []
    /// The characters at the positions, as numbers.
    var digits: [UInt8] = []
    /// The number of characters that each position allows.
    private(set) var radices: [UInt8] = []

    /// The number of texts that differ only in the characters at these positions.
    var size: WideNumber {
        var size = WideNumber(1)
        for radix in radices { size.multiply(by: UInt32(radix)) }
        return size
    }

    /// The index of this text among these; the first position is the most significant.
    var number: WideNumber {
        get {
            var number = WideNumber()
            for (digit, radix) in zip(digits, radices) {
                number.multiply(by: UInt32(radix), adding: UInt32(digit))
            }
            return number
        }
        set {
            var rest = newValue
            for index in digits.indices.reversed() {
                digits[index] = UInt8(truncatingIfNeeded: rest.divide(by: UInt32(radices[index])))
            }
        }
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of positions.
    var count: Int { places.count }

    /// Adds a position, unless its character is not in the alphabet or is the only one in it.
    mutating func add(_ place: Int, _ alphabet: Alphabet) {
        guard alphabet.symbols.count > 1,
            let digit = alphabet.symbols.firstIndex(of: bytes[place])
        else { return }
        places.append(place)
        alphabets.append(alphabet)
        digits.append(UInt8(truncatingIfNeeded: digit))
        radices.append(UInt8(truncatingIfNeeded: alphabet.symbols.count))
    }

    /// Writes the digits to their positions.
    mutating func write() {
        for index in places.indices {
            bytes[places[index]] = alphabets[index].symbols[Int(digits[index])]
        }
    }
}
