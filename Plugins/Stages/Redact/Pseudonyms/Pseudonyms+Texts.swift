// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Words, names and other texts, and e-mail addresses.
extension Pseudonyms {
    /// The minimum number of letters and digits of a text that keeps its length.
    ///
    /// A shorter text has a stand-in of this many letters, because few other texts would be as
    /// short, and the length would reveal too much.
    static let minWord = 8

    /// Exchanges the characters at the positions of a text; returns `nil` if there are none.
    ///
    /// A few positions are permuted. Many are derived from the text, which costs less and
    /// practically never gives the same result twice. With a `border`, texts whose number is below
    /// it map to such texts, and others map to others.
    func exchanged(
        _ text: ExchangeableText,
        _ purpose: Purpose,
        border: WideNumber? = nil
    ) -> [UInt8]? {
        guard text.count > 0 else { return nil }
        var text = text
        let first = text.digits
        if text.count > Self.maxPermuted || !permute(&text, purpose, border) {
            let value = text.bytes
            for attempt in 0...UInt8.max {
                var stream = KeyedStream(key, purpose, attempt, value.span)
                text.digits = text.radices.map { stream.next(below: $0) }
                if text.digits != first { break }
            }
        }
        guard text.digits != first else { return nil }
        text.write()
        return text.bytes
    }

    private func permute(
        _ text: inout ExchangeableText,
        _ purpose: Purpose,
        _ border: WideNumber?
    ) -> Bool {
        var number = text.number
        var size = text.size
        var start = WideNumber()
        if let border, border < size {
            if number < border {
                size = border
            } else {
                start = border
                number -= border
                size -= border
            }
        }
        guard var made = permutation.next(number, of: size, purpose, form: text.radices) else {
            return false
        }
        made += start
        text.number = made
        return true
    }

    /// Exchanges letters for letters of the same case and digits for digits; everything else stays.
    func letters(_ value: [UInt8]) -> [UInt8] {
        var text = ExchangeableText(value)
        for (place, byte) in value.enumerated() {
            switch byte {
            case 0x30...0x39: text.add(place, .digits)
            case 0x41...0x5A: text.add(place, .capital)
            case 0x61...0x7A: text.add(place, .small)
            default: break
            }
        }
        return exchanged(text, .letters) ?? word(value)
    }

    /// The same for texts with non-ASCII characters: each of these becomes a lowercase letter.
    func foreign(_ value: [UInt8]) -> [UInt8] {
        var stream = KeyedStream(key, .letters, 0, value.span)
        var output: [UInt8] = []
        for scalar in String(decoding: value, as: UTF8.self).unicodeScalars {
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            switch scalar.value {
            case 0x30...0x39: output.append(stream.next(from: .digits))
            case 0x41...0x5A: output.append(stream.next(from: .capital))
            case 0x80...: output.append(stream.next(from: .small))
            case 0x61...0x7A: output.append(stream.next(from: .small))
            default: output.append(byte)
            }
        }
        return output
    }

    /// Returns a word for a value that is short or has nothing to exchange; it is lowercase,
    /// capitalized or uppercase like the value.
    func word(_ value: [UInt8]) -> [UInt8] {
        let letters = value.filter { 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 }
        let isCapital = letters.first.map { $0 < 0x60 } ?? false
        let isAllCapital = isCapital && letters.count > 1 && letters.allSatisfy { $0 < 0x60 }
        for attempt in 0...UInt8.max {
            var stream = KeyedStream(key, .word, attempt, value.span)
            var output = [stream.next(from: isCapital ? .capital : .small)]
            for _ in 1..<Self.minWord {
                output.append(stream.next(from: isAllCapital ? .capital : .small))
            }
            if output != value { return output }
        }
        return []
    }

    /// Returns an e-mail address (RFC 5321 §4.1.2) below a domain reserved for examples
    /// (RFC 2606 §3).
    ///
    /// Case is ignored, and addresses of the same domain share its stand-in.
    func mail(_ value: [UInt8]) -> [UInt8]? {
        guard let at = value.firstIndex(of: .ascii("@")), 1...64 ~= at,
            4...253 ~= value.count - at - 1, Self.isMailbox(value[..<at]),
            Self.isDomain(value[(at + 1)...])
        else { return nil }
        let folded = value.map(\.asciiLowercased)
        for attempt in 0...UInt8.max {
            var mailbox = KeyedStream(key, .mailbox, attempt, folded.span)
            var output = (0..<12).map { _ in mailbox.next(from: .small) }
            output.append(.ascii("@"))
            output += domain(Array(folded[(at + 1)...]))
            if output != folded { return output }
        }
        return nil
    }

    /// Returns the stand-in of a domain, one that is reserved for examples; case is ignored.
    func domain(_ name: [UInt8]) -> [UInt8] {
        let folded = name.map(\.asciiLowercased)
        var stream = KeyedStream(key, .domain, 0, folded.span)
        return (0..<10).map { _ in stream.next(from: .small) } + ".example.com".utf8
    }

    private static func isMailbox(_ bytes: ArraySlice<UInt8>) -> Bool {
        let marks = Array("!#$%&'*+-/=?^_`{|}~.".utf8)
        return bytes.allSatisfy { isAlphanumeric($0) || $0 >= 0x80 || marks.contains($0) }
    }

    private static func isDomain(_ bytes: ArraySlice<UInt8>) -> Bool {
        let labels = bytes.split(separator: .ascii("."), omittingEmptySubsequences: false)
        return labels.count > 1
            && labels.allSatisfy { label in
                1...63 ~= label.count
                    && label.allSatisfy { isAlphanumeric($0) || $0 == .ascii("-") || $0 >= 0x80 }
            }
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

extension KeyedStream {
    /// Returns the next character of an alphabet.
    mutating func next(from alphabet: Alphabet) -> UInt8 {
        alphabet.symbols[Int(next(below: UInt8(truncatingIfNeeded: alphabet.symbols.count)))]
    }
}
