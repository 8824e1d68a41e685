// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineModel

@Suite struct QueryItemsTests {
    private func items(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        var items = QueryItems(0..<bytes.count)
        var result: [String] = []
        while let item = items.next(in: bytes.span) {
            result.append(
                String(decoding: bytes[item.name], as: UTF8.self) + "|"
                    + String(decoding: bytes[item.value], as: UTF8.self)
            )
        }
        return result
    }

    @Test(arguments: [
        ("", []), ("a=1", ["a|1"]), ("a=1&b=2", ["a|1", "b|2"]), ("a", ["a|"]), ("a=", ["a|"]),
        ("=1", ["|1"]), ("a=b=c", ["a|b=c"]), ("a=1&&b", ["a|1", "|", "b|"]), ("&", ["|"]),
        ("a=1&", ["a|1"]),
    ])
    func returnsEveryItem(text: String, expected: [String]) {
        #expect(items(text) == expected)
    }

    @Test(arguments: [
        ("", ""), ("a%20b", "a b"), ("%41%4a%4A", "AJJ"), ("%", "%"), ("%4", "%4"), ("%4g", "%4g"),
        ("%%41", "%A"), ("a+b", "a+b"), ("%2B", "+"),
    ])
    func decodesPercentEncoding(text: String, expected: String) {
        let decoded = PercentEncoding.decode(Array(text.utf8).span, plusIsSpace: false)
        #expect(decoded == Array(expected.utf8))
    }

    @Test func decodesPlusAsSpaceIfRequested() {
        let decoded = PercentEncoding.decode(Array("a+b%2B".utf8).span, plusIsSpace: true)
        #expect(decoded == Array("a b+".utf8))
    }

    @Test(arguments: [
        ("a=1&b=2&a=3", "a", "x y", "a=x%20y&b=2"), ("a=1", "c", "2", "a=1&c=2"),
        ("", "a", "1", "a=1"), ("%61=1&b", "a", "2", "a=2&b"), ("a+b=1", "a b", "2", "a%20b=2"),
        ("a=1&b=2&a=3", "a", nil, "b=2"), ("a=1", "b", nil, "a=1"), ("x&&y", "z", nil, "x&&y"),
    ])
    func setsAnItem(query: String, name: String, value: String?, expected: String) {
        let edited = QueryItems.setting(
            name.utf8.span,
            to: value.map { Array($0.utf8) },
            appends: false,
            in: query.utf8.span
        )
        #expect(String(decoding: edited, as: UTF8.self) == expected)
    }

    @Test func appendsAnItem() {
        let query = "a=1&b"
        let edited = QueryItems.setting(
            "a".utf8.span,
            to: [0x26],
            appends: true,
            in: query.utf8.span
        )
        #expect(String(decoding: edited, as: UTF8.self) == "a=1&b&a=%26")
    }

    @Test func reportsWhetherDecodingChangesText() {
        func decodes(_ bytes: [UInt8], _ decoded: [UInt8]) -> Bool {
            PercentEncoding.decodes(bytes.span, to: decoded.span, plusIsSpace: true)
        }
        var random = Random(seed: 5)
        for _ in 0..<2000 {
            let text = (0..<random.below(6)).map { _ in
                random.pick(["%", "41", "4", "+", "a", " "])
            }
            .joined()
            let bytes = Array(text.utf8)
            let decoded = PercentEncoding.decode(bytes.span, plusIsSpace: true)
            #expect(decodes(bytes, decoded))
            #expect(!decodes(bytes, decoded + [0x41]))
            guard let last = decoded.last else { continue }
            #expect(!decodes(bytes, decoded.dropLast() + [last ^ 1]))
        }
    }

    @Test func encodingRoundTrips() {
        var random = Random(seed: 4)
        for _ in 0..<500 {
            let bytes = random.bytes(upTo: 40)
            let encoded = PercentEncoding.encode(bytes.span)
            #expect(PercentEncoding.decode(encoded.span, plusIsSpace: true) == bytes)
            #expect(encoded.allSatisfy { $0 < 0x80 && $0 > 0x20 })
        }
        #expect(
            PercentEncoding.encode(Array("aZ09-._~ /".utf8).span) == Array("aZ09-._~%20%2F".utf8)
        )
    }
}
