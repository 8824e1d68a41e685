// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineModel

@Suite struct CookiePairTests {
    @Test(arguments: [
        ("", []), ("a=1", ["a=1"]), ("a=1; b=2", ["a=1", "b=2"]),
        (" a = 1 ;\tb=\t", ["a=1", "b="]),
        ("a", ["a"]), ("=1", ["=1"]), ("a=b=c", ["a=b=c"]), (";;a=1;", ["", "", "a=1"]),
        ("id=1; Path=/; Secure", ["id=1", "Path=/", "Secure"]),
    ])
    func pairsAreReadInOrder(field: String, expected: [String]) {
        let bytes = Array(field.utf8)
        var found: [String] = []
        var position = 0
        while let pair = CookiePair(bytes.span, from: position) {
            let name = String(decoding: bytes[pair.name], as: UTF8.self)
            let value = pair.value.map { "=" + String(decoding: bytes[$0], as: UTF8.self) } ?? ""
            found.append(name + value)
            position = pair.next
        }
        #expect(found == expected)
        #expect(position == bytes.count)
    }
}
