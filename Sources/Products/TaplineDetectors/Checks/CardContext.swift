// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Finds names before a long number that identify it as a payment card's.
///
/// The search covers at most 64 bytes before the number. It stops at a comma, a semicolon, `&`,
/// `|`, `}`, a line end or a NUL, because another value begins there. The number counts if that
/// text contains one of ``words``, or if the name next to the number is `number`.
///
/// Words end at changes of case and at all bytes that are not letters: `cardNumber`, `card_number`
/// and `card[number]` are two words each. A word may also span a change of case (`UnionPay`).
enum CardContext {
    private static let reach = 64
    private static let longest = 20

    /// Words for cards in common shop languages, and the names of issuers of long numbers.
    private static let words: Set<[UInt8]> = {
        let words =
            "card cards pan cc ccn ccno ccnum ccnumber cardno cardnum cardnumber cardpan bankcard "
            + "creditcard creditcardnumber debitcard debitcardnumber paymentcard "
            + "primaryaccountnumber karte kreditkarte kartennummer kreditkartennummer carte tarjeta "
            + "cartao amex diners discover jcb maestro mastercard rupay unionpay visa"
        return Set(words.split(separator: " ").map { Array($0.utf8) })
    }()
    private static let number = Array("number".utf8)

    /// Returns whether the text before a number names a card.
    static func isCard(_ text: Span<UInt8>, before number: Int) -> Bool {
        let start = text.start(of: .sameValue, before: number, limit: reach)
        var position = number
        var isNext = true
        while let word = lastWord(in: text, start..<position) {
            // A truncated word does not count.
            guard word.lowerBound > start || !text.byte(start - 1).isLetter else { break }
            let name = lowercased(text, word)
            let run = text.start(of: .letters, before: word.upperBound, limit: longest + 1)
            if words.contains(name) || words.contains(lowercased(text, run..<word.upperBound)) {
                return true
            }
            if isNext, name == Self.number, isWhole(text, word) { return true }
            isNext = false
            position = word.lowerBound
        }
        return false
    }

    /// Returns the last word in a range of the text.
    private static func lastWord(in text: Span<UInt8>, _ part: Range<Int>) -> Range<Int>? {
        var end = part.upperBound
        while end > part.lowerBound, !text[end - 1].isLetter { end -= 1 }
        guard end > part.lowerBound else { return nil }
        var start = end - 1
        while start > part.lowerBound, text[start - 1].isLetter, !isHump(text, start) {
            start -= 1
        }
        return start..<end
    }

    /// Returns whether a word is a whole name.
    private static func isWhole(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        !ByteSet.dotted.contains(text.byte(word.lowerBound - 1))
            && !ByteSet.dotted.contains(text.byte(word.upperBound))
    }

    /// Returns whether a change of case begins a word at a position: `panNumber`, `PANNumber`.
    private static func isHump(_ text: Span<UInt8>, _ position: Int) -> Bool {
        let next = text.byte(position + 1)
        return isCapital(text[position])
            && (!isCapital(text[position - 1]) || next.isLetter && !isCapital(next))
    }

    private static func isCapital(_ byte: UInt8) -> Bool { 0x41...0x5A ~= byte }

    /// Returns a word in lower case; empty if it is longer than any word on the list.
    private static func lowercased(_ text: Span<UInt8>, _ word: Range<Int>) -> [UInt8] {
        guard word.count <= longest else { return [] }
        var name: [UInt8] = []
        for index in word { name.append(text[index] | 0x20) }
        return name
    }
}

extension ByteSet {
    /// The bytes that may occur between a name and its value.
    fileprivate static let sameValue = ByteSet("…") { byte in
        byte >= 0x20 && byte != 0x2C && byte != 0x3B && byte != 0x26 && byte != 0x7C && byte != 0x7D
            || byte == 0x09
    }
}
