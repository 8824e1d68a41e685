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

    @Test(
        "the first cookie of a name with a value is found; Set-Cookie has one in each field",
        arguments: [
            (["a=1; b=2"], false, "b", "2"), (["a; a=1", "a=2"], false, "a", "1"),
            (["b=1", "a=2; a=3"], false, "a", "2"), (["a"], false, "a", nil),
            (["A=1"], false, "a", nil), (["b=1; a=2", "a=3"], true, "a", "3"),
            (["b=1; a=2"], true, "a", nil), ([], false, "a", nil),
        ] as [([String], Bool, String, String?)]
    )
    func firstCookie(values: [String], isSet: Bool, name: String, expected: String?) {
        var fields = FieldSection()
        for value in values {
            fields.append(name: isSet ? "Set-Cookie" : "Cookie", value: value)
            fields.append(name: isSet ? "Cookie" : "Set-Cookie", value: "a=other")
        }
        let found = fields.firstCookie(name.utf8.span, isSet: isSet)
        let value = found.map { found in
            Array(copying: fields.value(at: found.position).extracting(found.value))
        }
        #expect(value.map { String(decoding: $0, as: UTF8.self) } == expected)
    }
}
