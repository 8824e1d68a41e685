// SPDX-License-Identifier: MIT

import Testing

@Suite("Card numbers")
struct CardNumberTests {
    /// Test numbers that payment services publish.
    static let numbers = [
        "4111111111111111", "4242424242424242", "4222222222222", "5555555555554444",
        "2223003122003222", "378282246310005", "371449635398431", "30569309025904",
        "38520000023237", "6011111111111117", "3566002020360505", "6200000000000005",
        "6759649826438453",
    ]

    private static func grouped(_ number: String, _ separator: String) -> String {
        let digits = Array(number)
        var groups: [String] = []
        var position = 0
        for size in digits.count == 16 ? [4, 4, 4, 4] : [4, 6, digits.count - 10] {
            groups.append(String(digits[position..<position + size]))
            position += size
        }
        return groups.joined(separator: separator)
    }

    @Test("are found in one piece and in groups", arguments: numbers)
    func found(number: String) throws {
        let scan = try Scan(["card_number"])
        var texts = [number]
        if number.count > 13 {
            texts += [" ", "-", "+", ".", "\u{A0}", "\u{202F}", "\u{2009}", "\u{2011}"]
                .map { Self.grouped(number, $0) }
        }
        for text in texts {
            for (before, behind) in [
                ("", ""), ("\"", "\""), (":", ","), ("card ", "."), ("\\n", "\\n"), ("=", "&x"),
                ("No-", ""), ("", " 12/28"), ("1. ", " "),
            ] {
                #expect(scan.texts(before + text + behind) == [text], "\(before)…\(behind)")
            }
        }
    }

    @Test("need the right check digit (Luhn)", arguments: numbers)
    func check(number: String) throws {
        let scan = try Scan(["card_number"])
        let last = Int(String(number.suffix(1))) ?? 0
        for digit in 0...9 where digit != last {
            #expect(scan.texts(number.dropLast() + "\(digit)").isEmpty)
        }
        // Two digits that changed places.
        #expect(scan.texts("4" + "242424242424224").isEmpty)
    }

    @Test(
        "are no other numbers",
        arguments: [
            "0000000000000000", "4444444444444444448", "1111111111111117", "14111111111111111",
            "41111111111111110", "0.4111111111111111", "4111111111111111.5", "x4111111111111111",
            "4111111111111111a", "4111-1111 1111-1111", "41-1111111111111-1", "4111 11111111 1111",
            "4111-1111-1111-1111-1111", "9-4111111111111111", "1700000000000", "411111111111111",
            "9111111111111111", "1.4111.1111.1111.1111", "4111.1111.1111.1111.5",
            "4111.1111\u{A0}1111.1111", "4111\u{A0}1111\u{2009}1111\u{A0}1111",
        ]
    )
    func notFound(text: String) throws {
        #expect(try Scan(["card_number"]).texts(text).isEmpty)
    }
}

@Suite("Bank account numbers")
struct IBANTests {
    /// Examples of the registry of ISO 13616.
    static let numbers = [
        "DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606",
        "NL91ABNA0417164300", "NO9386011117947", "MT84MALT011000012345MTLCAST001S",
        "CH9300762011623852957", "ES9121000418450200051332", "LC55HEMM000100010012001200023015",
    ]

    private static func grouped(_ number: String, by separator: String = " ") -> String {
        let characters = Array(number)
        return stride(from: 0, to: characters.count, by: 4)
            .map { String(characters[$0..<min($0 + 4, characters.count)]) }
            .joined(separator: separator)
    }

    @Test("are found between blanks and dashes", arguments: ["\u{A0}", "\u{202F}", "-", "."])
    func separators(separator: String) throws {
        let text = Self.grouped(Self.numbers[0], by: separator)
        #expect(try Scan(["iban"]).texts("IBAN \(text), BIC") == [text])
    }

    @Test("are found in one piece and in groups of four", arguments: numbers)
    func found(number: String) throws {
        let scan = try Scan(["iban"])
        for text in [number, Self.grouped(number)] {
            for (before, behind) in [("", ""), ("\"", "\""), ("IBAN ", " BIC"), ("\\n", "\\n")] {
                #expect(scan.texts(before + text + behind) == [text])
            }
        }
    }

    @Test("need the right check digits and length", arguments: numbers)
    func check(number: String) throws {
        let scan = try Scan(["iban"])
        let digits = number.dropFirst(2).prefix(2)
        for wrong in 2...98 where wrong != Int(digits) {
            let text = (wrong < 10 ? "0" : "") + "\(wrong)"
            #expect(scan.texts(number.prefix(2) + text + number.dropFirst(4)).isEmpty)
        }
        #expect(scan.texts(number + "0").isEmpty)
        #expect(scan.texts(String(number.dropLast())).isEmpty)
        #expect(scan.texts("X" + number).isEmpty)
        #expect(scan.texts("XX" + number.dropFirst(2)).isEmpty)
    }
}
