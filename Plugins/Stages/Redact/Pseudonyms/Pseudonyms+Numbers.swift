// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Numbers, card numbers and IBANs.
extension Pseudonyms {
    /// Returns the stand-in of a text with digits and no letters, with the same length, signs and
    /// groups.
    ///
    /// Digits after an `e` stay, to keep the magnitude of a number. The stand-in of a number with
    /// several digits begins with zero if and only if the number does. Numbers of 10, 19 and 20
    /// digits that fit in 32 or 64 bits have stand-ins that also fit.
    func digits(_ value: [UInt8]) -> [UInt8]? {
        var text = ExchangeableText(value)
        let end = value.firstIndex { $0 | 0x20 == .ascii("e") } ?? value.count
        var isFirst = true
        for (place, byte) in value[..<end].enumerated() where 0x30...0x39 ~= byte {
            let isLeading = isFirst && place + 1 < end && 0x30...0x39 ~= value[place + 1]
            isFirst = false
            if !isLeading {
                text.add(place, .digits)
            } else if byte != .ascii("0") {
                text.add(place, .nonzero)
            }
        }
        let sign = value.first == .ascii("-") ? 1 : 0
        guard text.count == value.count - sign, text.radices.first == 9 else {
            return exchanged(text, .digits)
        }
        // The index of a text is its number minus the smallest number of the same length.
        let limit: UInt64
        let first: UInt64
        switch text.count {
        case 10: (limit, first) = (UInt64(Int32.max), 1_000_000_000)
        case 19: (limit, first) = (UInt64(Int64.max), 1_000_000_000_000_000_000)
        case 20: (limit, first) = (.max, 10_000_000_000_000_000_000)
        default: return exchanged(text, .digits)
        }
        return exchanged(text, .digits, border: WideNumber(limit - first + 1))
    }
}

// MARK: - Cards

extension Pseudonyms {
    /// Returns the stand-in of a card number (ISO/IEC 7812), with the same length and groups and a
    /// valid check digit.
    ///
    /// It belongs to no issuer, since 9000 is for national use in a country 000. It is derived from
    /// the digits, so groups do not matter.
    func card(_ value: [UInt8]) -> [UInt8]? {
        guard value.count >= 13, value.count <= 40 else { return nil }
        let digits = value.filter { 0x30...0x39 ~= $0 }
        guard 13...19 ~= digits.count, Self.isIssued(digits),
            Self.checkDigit(digits.dropLast())
                == digits.last, Self.isGrouped(value)
        else { return nil }
        for attempt in 0...UInt8.max {
            var stream = KeyedStream(key, .card, attempt, digits.span)
            var made: [UInt8] = Array("9000".utf8)
            while made.count < digits.count - 1 { made.append(stream.next(from: .digits)) }
            made.append(Self.checkDigit(made[...]))
            guard made != digits else { continue }
            var next = made.makeIterator()
            return value.map { 0x30...0x39 ~= $0 ? next.next() ?? $0 : $0 }
        }
        return nil
    }

    /// Whether digits begin like those of bank cards: 22 to 27, and 3 to 6.
    private static func isIssued(_ digits: [UInt8]) -> Bool {
        switch digits[0] {
        case .ascii("2"): .ascii("2")...(.ascii("7")) ~= digits[1]
        case .ascii("3")...(.ascii("6")): true
        default: false
        }
    }

    /// Whether only single blanks and hyphens are between the digits.
    private static func isGrouped(_ value: [UInt8]) -> Bool {
        var isSeparated = true
        for byte in value {
            let isDigit = 0x30...0x39 ~= byte
            guard isDigit || (!isSeparated && (byte == .ascii(" ") || byte == .ascii("-"))) else {
                return false
            }
            isSeparated = !isDigit
        }
        return !isSeparated
    }

    /// Returns the check digit for digits (ISO/IEC 7812-1, annex B).
    static func checkDigit(_ digits: ArraySlice<UInt8>) -> UInt8 {
        var sum = 0
        for (position, byte) in digits.reversed().enumerated() {
            let digit = Int(byte) - 0x30
            let weighted = position % 2 == 0 ? digit * 2 : digit
            sum += weighted > 9 ? weighted - 9 : weighted
        }
        return 0x30 + UInt8((10 - sum % 10) % 10)
    }
}

// MARK: - IBAN

extension Pseudonyms {
    /// Returns the stand-in of an IBAN (ISO 13616), with the same country and length and valid
    /// check digits.
    ///
    /// National checks within the account number are not satisfied.
    func iban(_ value: [UInt8]) -> [UInt8]? {
        guard value.count >= 15, value.count <= 50, value[0] | 0x20 >= .ascii("a") else {
            return nil
        }
        let places = value.indices.filter { value[$0] != .ascii(" ") }
        let compact = places.map { value[$0] }
        guard 15...34 ~= compact.count, compact.allSatisfy(Self.isAlphanumeric),
            compact[0] > 0x40, compact[1] > 0x40, compact[2] < 0x40, compact[3] < 0x40,
            Self.remainder(compact[4...] + compact[..<4]) == 1
        else { return nil }
        var text = ExchangeableText(value)
        for place in places[4...] {
            switch value[place] {
            case 0x30...0x39: text.add(place, .digits)
            case 0x41...0x5A: text.add(place, .capital)
            default: text.add(place, .small)
            }
        }
        guard var made = exchanged(text, .iban) else { return nil }
        let account = places[4...].map { made[$0] }
        let check = 98 - Self.remainder(account + compact[..<2] + [0x30, 0x30])
        made[places[2]] = 0x30 + UInt8(check / 10)
        made[places[3]] = 0x30 + UInt8(check % 10)
        return made
    }

    /// Returns the remainder of division by 97; letters count from 10 on.
    private static func remainder(_ bytes: some Sequence<UInt8>) -> Int {
        var result = 0
        for byte in bytes {
            if byte < 0x40 {
                result = (result * 10 + Int(byte) - 0x30) % 97
            } else {
                result = (result * 100 + Int(byte | 0x20) - 0x57) % 97
            }
        }
        return result
    }
}
