// SPDX-License-Identifier: MIT

import TaplineCrypto
import TaplineModel
import TestSupport
import Testing

@testable import RedactStage

@Suite struct PseudonymsTests {
    private static let pseudonyms = Pseudonyms(HMACSHA256(key: "one key".utf8.span))
    private static let others = Pseudonyms(HMACSHA256(key: "another".utf8.span))

    private static func standIn(_ value: String, _ pseudonyms: Pseudonyms = pseudonyms) -> String {
        var output: [UInt8] = []
        pseudonyms.append(for: value.utf8.span, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the classes of a text's characters, which most stand-ins keep.
    private static func classes(_ text: String) -> String {
        String(
            text.map { character in
                switch character {
                case "0"..."9": "0"
                case "A"..."Z": "A"
                case "a"..."z": "a"
                default: character
                }
            }
        )
    }

    // MARK: Properties

    /// A form: how its values are made, and what must be true for a value and its stand-in.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (inout Random) -> String
        let isKept: @Sendable (_ value: String, _ standIn: String) -> Bool
        /// Whether no two values share a stand-in.
        var isPermuted = true
    }

    private static func text(_ alphabet: String, _ count: Int, _ random: inout Random) -> String {
        let characters = Array(alphabet)
        return String((0..<count).map { _ in random.pick(characters) })
    }

    private static let digits = "0123456789"
    private static let hex = "0123456789abcdef"
    private static let letters = "abcdefghijklmnopqrstuvwxyz"
    private static let capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

    static let forms: [Form] = [
        Form(testDescription: "numbers") { random in
            "\(1 + random.below(9))" + text(digits, 3 + random.below(25), &random)
        } isKept: { value, standIn in
            value.count == standIn.count && classes(value) == classes(standIn)
                && standIn.first != "0"
        },
        Form(testDescription: "numbers that begin with zero") { random in
            "0" + text(digits, 4 + random.below(10), &random)
        } isKept: {
            classes($0) == classes($1) && $1.first == "0"
        },
        Form(testDescription: "numbers of 64 bits") { random in
            String(Int64.max - Int64(random.below(1 << 62)))
        } isKept: {
            $0.count < 19 || (Int64($1) != nil && $1.count == 19)
        },
        Form(testDescription: "numbers of 32 bits") { random in
            String(1_000_000_000 + random.below(1_147_483_647))
        } isKept: {
            Int32($1) != nil && $0.count == $1.count
        },
        Form(testDescription: "decimal fractions") { random in
            "-\(random.below(1000)).\(1_000_000 + random.below(9_000_000))"
        } isKept: {
            classes($0) == classes($1) && Double($1) != nil
        },
        Form(testDescription: "telephone numbers") { random in
            "+49 \(170 + random.below(9)) \(1_000_000 + random.below(9_000_000))"
        } isKept: {
            classes($0) == classes($1)
        },
        Form(testDescription: "words") { random in
            capitalized(text(letters, 7 + random.below(20), &random)) + "-"
                + text(digits, 2, &random)
        } isKept: {
            classes($0) == classes($1)
        },
        Form(testDescription: "lowercase hexadecimal digits") { random in
            "a1" + text(hex, 14 + random.below(50), &random)
        } isKept: {
            $0.count == $1.count && $1.allSatisfy { hex.contains($0) }
        },
        Form(testDescription: "uppercase hexadecimal digits") { random in
            "A1" + text(hex, 30, &random).uppercased()
        } isKept: {
            $0.count == $1.count && $1.allSatisfy { hex.uppercased().contains($0) }
        },
        Form(testDescription: "hardware addresses") { random in
            "0a:" + (0..<5).map { _ in text(hex, 2, &random) }.joined(separator: ":")
        } isKept: { _, standIn in
            let groups = standIn.split(separator: ":")
            return groups.count == 6
                && groups.allSatisfy { $0.count == 2 && $0.allSatisfy { hex.contains($0) } }
        },
        Form(testDescription: "UUIDs") { random in
            uuid(&random, version: random.pick(["1", "4", "7"]))
        } isKept: { value, standIn in
            let from = Array(value)
            let to = Array(standIn)
            return from.count == to.count && to[14] == from[14] && "89ab".contains(to[19])
                && to.indices.allSatisfy {
                    from[$0] == "-" ? to[$0] == "-" : hex.contains(to[$0])
                }
        },
        Form(testDescription: "base64") { random in
            base64((0..<(14 + random.below(30))).map { _ in UInt8(random.below(256)) }) ?? ""
        } isKept: { value, standIn in
            value.isEmpty
                || value.count == standIn.count
                    && standIn.filter { $0 == "=" } == value.filter { $0 == "=" }
                    && Base64Digits.decode(standIn.utf8.span).map { base64($0, isAny: true) }
                        == standIn
        },
        Form(testDescription: "IBANs") { random in
            iban("DE", text(digits, 18, &random))
        } isKept: { value, standIn in
            value.count == standIn.count && standIn.hasPrefix("DE")
                && iban("DE", String(standIn.dropFirst(4))) == standIn
        },
        Form(testDescription: "IBANs with letters, in groups") { random in
            let account = text(capitals, 4, &random) + text(digits, 14, &random)
            return grouped(iban("GB", account))
        } isKept: { value, standIn in
            classes(value) == classes(standIn) && standIn.hasPrefix("GB")
                && grouped(iban("GB", String(standIn.filter { $0 != " " }.dropFirst(4)))) == standIn
        },
        Form(testDescription: "dates") { random in
            date(&random)
        } isKept: { _, standIn in
            Timestamp(rfc3339: standIn + "T00:00:00Z") != nil
        },
        Form(testDescription: "timestamps") { random in
            date(&random) + "T0\(random.below(9)):1\(random.below(9)):2\(random.below(9))"
                + random.pick(["Z", ".5Z", ".123456+02:00", ""])
        } isKept: { value, standIn in
            let whole = standIn + (value.count == 19 ? "Z" : "")
            return value.count == standIn.count && Timestamp(rfc3339: whole) != nil
                && value.dropFirst(19).map { $0.isNumber ? "0" : $0 }
                    == standIn.dropFirst(19).map { $0.isNumber ? "0" : $0 }
                && value.dropFirst(26) == standIn.dropFirst(26)
        },
        Form(
            testDescription: "e-mail addresses",
            make: { random in
                text(letters, 1 + random.below(10), &random) + ".x+\(random.below(99))@"
                    + text(letters, 3, &random) + random.pick([".com", ".co.uk"])
            },
            isKept: { _, standIn in
                let parts = standIn.split(separator: "@")
                return parts.count == 2 && parts[0].count == 12
                    && parts[0].allSatisfy { letters.contains($0) }
                    && parts[1].hasSuffix(".example.com") && parts[1].count == 22
            },
            isPermuted: false
        ),
        Form(
            testDescription: "card numbers",
            make: { random in
                let body = "4" + text(digits, 14, &random)
                let number = body + checkDigit(body)
                return random.pick([number, grouped(number), grouped(number, "-")])
            },
            isKept: { value, standIn in
                let number = standIn.filter(\.isNumber)
                return classes(value) == classes(standIn) && number.hasPrefix("9000")
                    && checkDigit(String(number.dropLast())) == String(number.suffix(1))
            },
            isPermuted: false
        ),
        Form(
            testDescription: "addresses of version 4",
            make: { random in (0..<4).map { _ in "\(random.below(256))" }.joined(separator: ".") },
            isKept: { _, standIn in
                let parts = standIn.split(separator: ".").compactMap { UInt8($0) }
                return parts.count == 4 && parts[0] >= 240
                    && parts.map(String.init).joined(separator: ".") == standIn
            },
            isPermuted: false
        ),
        Form(
            testDescription: "addresses of version 6",
            make: { random in
                (0..<8).map { _ in String(random.below(65_536), radix: 16) }.joined(separator: ":")
            },
            isKept: { _, standIn in
                let groups = standIn.split(separator: ":")
                return standIn.hasPrefix("2001:db8:") && groups.count == 8
                    && groups.allSatisfy { UInt16($0, radix: 16) != nil }
            },
            isPermuted: false
        ),
        Form(
            testDescription: "tokens",
            make: { random in
                "eyJhbGciOiJIUzI1NiJ9." + text(letters, 30, &random) + "."
                    + text(capitals, 43, &random)
            },
            isKept: { _, standIn in
                let parts = standIn.split(separator: ".").map(String.init)
                let decoded = parts.compactMap { Base64Digits.decode($0.utf8.span) }
                return parts.count == 3 && decoded.count == 3
                    && decoded[0] == Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)
                    && decoded[1].starts(with: #"{"sub":""#.utf8) && decoded[2].count == 32
            },
            isPermuted: false
        ),
        Form(
            testDescription: "short words",
            make: { random in
                random.pick(["", "Ö", "ß"]) + text(letters, 1 + random.below(5), &random)
            },
            isKept: { _, standIn in
                standIn.count == 8 && standIn.allSatisfy { letters.contains($0) }
            },
            isPermuted: false
        ),
        Form(
            testDescription: "non-ASCII texts",
            make: { random in "Jürgen \(text(letters, 6, &random)) \(random.below(10))ß" },
            isKept: { value, standIn in
                value.count == standIn.count && classes(standIn).hasPrefix("Aaaaaa aaaaaa 0")
            },
            isPermuted: false
        ),
        Form(
            testDescription: "long texts",
            make: { random in (0..<30).map { _ in text(letters, 5, &random) }.joined(separator: " ")
            },
            isKept: { classes($0) == classes($1) },
            isPermuted: false
        ),
    ]

    @Test(arguments: forms) func formsAreKept(form: Form) {
        var random = Random(seed: 7)
        var values: [String: String] = [:]
        for _ in 0..<Rounds.count(130, long: 4000) {
            let value = form.make(&random)
            guard values[value] == nil else { continue }
            let made = Self.standIn(value)
            values[value] = made
            guard form.isKept(value, made), made != value, made == Self.standIn(value),
                made != Self.standIn(value, Self.others)
            else {
                Issue.record("'\(value)' became '\(made)'")
                return
            }
        }
        #expect(values.count > 100)
        if form.isPermuted { #expect(Set(values.values).count == values.count) }
    }
}

// MARK: - Values

extension PseudonymsTests {
    private static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }

    private static func uuid(_ random: inout Random, version: String) -> String {
        let parts = [8, 4].map { text(hex, $0, &random) }
        return parts.joined(separator: "-") + "-\(version)" + text(hex, 3, &random) + "-"
            + text("89ab", 1, &random) + text(hex, 3, &random) + "-" + text(hex, 12, &random)
    }

    /// Returns bytes in base64; `nil` if they would be read in another form.
    private static func base64(_ bytes: [UInt8], isAny: Bool = false) -> String? {
        var output: [UInt8] = []
        Base64Digits.append(bytes, to: &output)
        let counts = ByteKindCounts(output)
        guard isAny || (counts.capitals > 0 && counts.smalls > 0 && counts.digits > 0) else {
            return nil
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns an IBAN with check digits according to ISO 7064, by long division.
    private static func iban(_ country: String, _ account: String) -> String {
        var remainder = 0
        for character in account + country + "00" {
            let value = Int(String(character), radix: 36) ?? 0
            for digit in String(value) {
                remainder = (remainder * 10 + (Int(String(digit)) ?? 0)) % 97
            }
        }
        let check = String(98 - remainder)
        return country + (check.count == 1 ? "0" : "") + check + account
    }

    private static func grouped(_ text: String, _ separator: String = " ") -> String {
        var rest = Substring(text)
        var groups: [Substring] = []
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        return groups.joined(separator: separator)
    }

    /// Returns the digit that makes the Luhn sum a multiple of ten.
    private static func checkDigit(_ body: String) -> String {
        var sum = 0
        for (position, character) in body.reversed().enumerated() {
            let digit = Int(String(character)) ?? 0
            sum += position % 2 == 1 ? digit : digit < 5 ? digit * 2 : digit * 2 - 9
        }
        return String((10 - sum % 10) % 10)
    }

    private static func date(_ random: inout Random) -> String {
        let month = 1 + random.below(12)
        let day = 1 + random.below(28)
        return "\(1900 + random.below(200))-\(month < 10 ? "0" : "")\(month)-"
            + "\(day < 10 ? "0" : "")\(day)"
    }
}
