// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineLeaks

@Suite("The search for values")
struct ValueIndexTests {
    @Test("Each of many values is found in its place, and nothing else")
    func many() throws {
        var random = Random(seed: 11)
        let letters = Array(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/+=-_".utf8
        )
        let texts = (0..<700).map { number in
            Array("\(number):".utf8)
                + (0..<12).map { _ in letters.randomElement(using: &random) ?? 0 }
        }
        let list = texts.enumerated().compactMap { LeakValue($1, name: "\($0)") }
        let index = ValueIndex(list)
        var bytes = Array("nothing here ".utf8)
        var places: [Int] = []
        for text in texts {
            places.append(bytes.count)
            bytes += text + Array(" 12345 and 0:abcd ".utf8)
        }
        var found: [Int: [Int]] = [:]
        index.search(bytes.span) { range, value, _ in
            found[value, default: []].append(range.lowerBound)
        }
        #expect(found.count == texts.count)
        for (number, place) in places.enumerated() { #expect(found[number] == [place]) }
    }

    @Test("Case is ignored in plain text")
    func ignoresCase() throws {
        let index = ValueIndex(try values("Shop-Token"))
        var found = 0
        index.search(Array("shop-token SHOP-TOKEN Shop-Token shop_token [hop-token".utf8).span) {
            _,
            _,
            _ in found += 1
        }
        #expect(found == 3)
    }

    @Test("Values at both ends and of equal bytes are found, and truncated ones are not")
    func edges() throws {
        let index = ValueIndex(try values("aaaa", "    x"))
        func places(_ text: String) -> [Range<Int>] {
            var found: [Range<Int>] = []
            index.search(Array(text.utf8).span) { range, _, _ in found.append(range) }
            return found
        }
        #expect(places("aaaa") == [0..<4])
        #expect(places("aaaaa") == [0..<4, 1..<5])
        #expect(places("aaa") == [])
        #expect(places("") == [])
        #expect(places("\0\0\0\0x") == [])
        #expect(places("    x") == [0..<5])
        #expect(places("    ") == [])
    }

    @Test("Values of any length are found at any position", arguments: [4, 5, 9, 63, 64, 65, 300])
    func positions(length: Int) throws {
        var random = Random(seed: UInt64(length))
        // Few letters, so that many parts of a value are alike.
        let texts = (0..<4).map { _ in
            (0..<length).map { _ in UInt8(0x61 + random.below(4)) }
        }
        let index = ValueIndex(texts.enumerated().compactMap { LeakValue($1, name: "\($0)") })
        for _ in 0..<40 {
            var bytes = (0..<random.below(80)).map { _ in UInt8(0x61 + random.below(4)) }
            bytes.insert(contentsOf: texts[random.below(4)], at: random.below(bytes.count + 1))
            var found: Set<[Int]> = []
            index.search(bytes.span) { range, value, coding in
                if coding == .plain { found.insert([range.lowerBound, value]) }
            }
            var expected: Set<[Int]> = []
            for start in 0...bytes.count - length {
                for (value, text) in texts.enumerated()
                where bytes[start..<start + length].elementsEqual(text) {
                    expected.insert([start, value])
                }
            }
            #expect(found == expected)
        }
    }

    @Test("Only values that consist of digits, signs and exponents may be numbers")
    func numbers() throws {
        for text in ["1234", "-1.5e+20", "-Inf", "aaaa"] {
            #expect(ValueIndex(try values(text)).mayBeNumber, "\(text)")
        }
        for text in ["12:34", "token", "Tq7-vZ2"] {
            #expect(!ValueIndex(try values(text)).mayBeNumber, "\(text)")
        }
    }

    @Test("Values that are too short or too long are rejected")
    func lengths() {
        #expect(LeakValue(Array("abc".utf8), name: "v") == nil)
        #expect(LeakValue(Array("abcd".utf8), name: "v") != nil)
        #expect(LeakValue([UInt8](repeating: 65, count: LeakValue.maxBytes + 1), name: "v") == nil)
    }

    @Test("Without values, nothing is found")
    func none() {
        let index = ValueIndex([])
        #expect(index.isEmpty)
        index.search([1, 2, 3, 4, 5].span) { _, _, _ in Issue.record("found something") }
    }
}
