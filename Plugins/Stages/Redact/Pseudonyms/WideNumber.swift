// SPDX-License-Identifier: MIT

/// A nonnegative integer of any size: the index of a value among all values of its form.
struct WideNumber: Equatable, Sendable {
    /// The digits in radix 2^32, the least significant first; the last one is not zero.
    private var words: [UInt32] = []

    init(_ number: UInt64 = 0) {
        words = [UInt32(truncatingIfNeeded: number), UInt32(truncatingIfNeeded: number >> 32)]
        trim()
    }

    /// The number of bits in the number.
    var bitWidth: Int {
        guard let last = words.last else { return 0 }
        return words.count * 32 - last.leadingZeroBitCount
    }

    /// The number, or `nil` if it does not fit in 64 bits.
    var small: UInt64? {
        switch words.count {
        case 0: 0
        case 1: UInt64(words[0])
        case 2: UInt64(words[1]) << 32 | UInt64(words[0])
        default: nil
        }
    }

    private mutating func trim() {
        while words.last == 0 { words.removeLast() }
    }

    /// Multiplies by a factor, then adds a number.
    mutating func multiply(by factor: UInt32, adding addend: UInt32 = 0) {
        var carry = UInt64(addend)
        for index in words.indices {
            let product = UInt64(words[index]) * UInt64(factor) + carry
            words[index] = UInt32(truncatingIfNeeded: product)
            carry = product >> 32
        }
        if carry > 0 { words.append(UInt32(truncatingIfNeeded: carry)) }
        trim()
    }

    /// Divides by a nonzero divisor and returns the remainder.
    mutating func divide(by divisor: UInt32) -> UInt32 {
        var remainder: UInt64 = 0
        for index in words.indices.reversed() {
            let dividend = remainder << 32 | UInt64(words[index])
            words[index] = UInt32(truncatingIfNeeded: dividend / UInt64(divisor))
            remainder = dividend % UInt64(divisor)
        }
        trim()
        return UInt32(truncatingIfNeeded: remainder)
    }

    static func += (left: inout WideNumber, right: WideNumber) {
        var carry: UInt64 = 0
        for index in 0..<max(left.words.count, right.words.count) {
            if index == left.words.count { left.words.append(0) }
            let addend = index < right.words.count ? UInt64(right.words[index]) : 0
            let sum = UInt64(left.words[index]) + addend + carry
            left.words[index] = UInt32(truncatingIfNeeded: sum)
            carry = sum >> 32
        }
        if carry > 0 { left.words.append(UInt32(truncatingIfNeeded: carry)) }
    }

    /// Subtracts a number that is not larger.
    static func -= (left: inout WideNumber, right: WideNumber) {
        var borrow: UInt32 = 0
        for index in left.words.indices {
            let amount = index < right.words.count ? right.words[index] : 0
            let (first, isBelow) = left.words[index].subtractingReportingOverflow(amount)
            let (second, isLower) = first.subtractingReportingOverflow(borrow)
            left.words[index] = second
            borrow = isBelow || isLower ? 1 : 0
        }
        left.trim()
    }

    static func < (left: WideNumber, right: WideNumber) -> Bool {
        guard left.words.count == right.words.count else {
            return left.words.count < right.words.count
        }
        for index in left.words.indices.reversed() where left.words[index] != right.words[index] {
            return left.words[index] < right.words[index]
        }
        return false
    }
}
