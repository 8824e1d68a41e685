// SPDX-License-Identifier: MIT

import Testing

@Suite("Card numbers")
struct CardNumberTests {
    /// Test numbers that payment services publish.
    static let numbers = [
        "4111111111111111", "4242424242424242", "5555555555554444",
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
            for (before, after) in [
                ("", ""), ("\"", "\""), (":", ","), ("card ", "."), ("\\n", "\\n"), ("=", "&x"),
                ("No-", ""), ("", " 12/28"), ("1. ", " "),
            ] {
                #expect(scan.texts(before + text + after) == [text], "\(before)…\(after)")
            }
        }
    }

    @Test("need a valid check digit (Luhn)", arguments: numbers)
    func check(number: String) throws {
        let scan = try Scan(["card_number"])
        let last = Int(String(number.suffix(1))) ?? 0
        for digit in 0...9 where digit != last {
            #expect(scan.texts(number.dropLast() + "\(digit)").isEmpty)
        }
        // Two swapped digits.
        #expect(scan.texts("4" + "242424242424224").isEmpty)
    }

    @Test(
        "are not reported for other numbers",
        arguments: [
            "0000000000000000", "4444444444444444448", "1111111111111117", "14111111111111111",
            "41111111111111110", "0.4111111111111111", "4111111111111111.5", "x4111111111111111",
            "4111111111111111a", "4111-1111 1111-1111", "41-1111111111111-1", "4111 11111111 1111",
            "4111-1111-1111-1111-1111", "9-4111111111111111", "1700000000000", "411111111111111",
            "9111111111111111", "1.4111.1111.1111.1111", "4111.1111.1111.1111.5",
            "4111.1111\u{A0}1111.1111", "4111\u{A0}1111\u{2009}1111\u{A0}1111",
            // Fractions without a digit before the point, and identifiers of ad publishers.
            "[4,.4111111111111111,2]", "x*.4111111111111111", "{a:.4111111111111111}",
            ".4111111111111111", "e-=.4242424242424242", "ca-pub-4111111111111111",
            "client=pub-4242424242424242",
        ]
    )
    func notFound(text: String) throws {
        #expect(try Scan(["card_number"]).texts(text).isEmpty)
    }

    @Test("may follow a point that ends a word", arguments: ["No.", "card.", "nr_1x."])
    func pointBefore(before: String) throws {
        let scan = try Scan(["card_number"])
        #expect(scan.texts(before + Self.numbers[0]) == [Self.numbers[0]])
        #expect(scan.texts("card-" + Self.numbers[0]) == [Self.numbers[0]])
    }
}

@Suite("Card numbers of 13 digits, and of 17 to 19")
struct LongCardNumberTests {
    /// Digits of an issuer, followed by the check digit (Luhn).
    private static func number(_ head: String, _ length: Int) -> String {
        var make = Samples()
        let digits = head + make.digits(length - head.count - 1)
        var sum = 0
        for (index, digit) in digits.reversed().enumerated() {
            let value = digit.wholeNumberValue ?? 0
            sum += index.isMultiple(of: 2) ? (value < 5 ? value * 2 : value * 2 - 9) : value
        }
        return digits + "\((10 - sum % 10) % 10)"
    }

    private static let numbers = [
        "4222222222222", number("62", 17), number("6011", 18), number("6011", 19), number("36", 19),
        number("4", 19),
        number("6304", 19),
    ]

    @Test("are found after names of cards", arguments: numbers)
    func named(number: String) throws {
        let scan = try Scan(["card_number"])
        for (before, after) in [
            ("?pan=", "&x=1"), ("{\"card\":{\"number\":\"", "\"}}"), ("{\"cardNumber\":", "}"),
            ("{\"number\":", "}"), ("card_number=", ""), ("PANNumber: ", ""), ("ccNumber=", ";"),
            ("card[number]=", "&card[cvc]=1"), ("<pan>", "</pan>"), ("<CardNumber x=\"1\">", "<"),
            ("paid with card ", "."), ("Card no. ", ""), ("kreditkarte: ", ""), ("cc=", ""),
            ("payment.card.number=", ""), ("\\\"pan\\\":\\\"", "\\\""), ("UnionPay ", ""),
            ("a,\n  'number' => '", "'"), ("id=1&creditcard=", ""),
        ] {
            #expect(scan.texts(before + number + after) == [number], "\(before)…\(after)")
        }
    }

    @Test("are found in groups of four, as on cards")
    func grouped() throws {
        let number = Self.number("6200", 19)
        let digits = Array(number)
        let groups = stride(from: 0, to: 19, by: 4).map { String(digits[$0..<min($0 + 4, 19)]) }
        let text = groups.joined(separator: " ")
        #expect(try Scan(["card_number"]).texts("x=\(text)") == [text])
    }

    @Test("are not reported after other names or alone", arguments: numbers)
    func identifiers(number: String) throws {
        let scan = try Scan(["card_number"])
        for (before, after) in [
            ("", ""), ("?cb=", ""), ("uid=", "; Domain=.shop.test"), ("{\"id\":", "}"),
            ("{\"order_number\":\"", "\"}"), ("\"card\",\"id\":", ""), ("pan=1&uid=", ""),
            ("card: none\nid: ", ""), ("[1,", ",2]"), ("https://shop.test/posts/", "/x"),
            ("scorecard=", ""), ("japan: ", ""), ("discard ", ""), ("number of visitors ", ""),
            ("status/", ""), ("numbers: ", ""), ("{\"card\":{\"n\":1},\"id\":", "}"),
        ] {
            #expect(scan.texts(before + number + after).isEmpty, "\(before)…\(after)")
        }
    }

    @Test("need a valid check digit even after a name", arguments: numbers)
    func check(number: String) throws {
        let scan = try Scan(["card_number"])
        let last = number.last?.wholeNumberValue ?? 0
        #expect(scan.texts("pan=\(number.dropLast())\((last + 1) % 10)").isEmpty)
    }

    @Test("are checked in bounded time, whatever comes before them")
    func far() throws {
        let scan = try Scan(["card_number"])
        let number = Self.numbers[0]
        #expect(scan.texts("card" + String(repeating: " ", count: 60) + number) == [number])
        #expect(scan.texts("card" + String(repeating: " ", count: 61) + number).isEmpty)
    }
}

@Suite("Bank account numbers")
struct IBANTests {
    /// Examples from the registry of ISO 13616.
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
            for (before, after) in [("", ""), ("\"", "\""), ("IBAN ", " BIC"), ("\\n", "\\n")] {
                #expect(scan.texts(before + text + after) == [text])
            }
        }
    }

    @Test("need valid check digits and length", arguments: numbers)
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
