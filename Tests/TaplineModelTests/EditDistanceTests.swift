// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineModel

@Suite struct EditDistanceTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "ab", 2), ("abc", "abc", 0), ("abc", "acb", 1),
        ("abc", "ab", 1), ("abc", "abcd", 1), ("abc", "xbc", 1), ("kitten", "sitting", 3),
        ("ABC", "abc", 3), ("ca", "abc", 3),
    ])
    func countsEdits(_ left: String, _ right: String, _ expected: Int) {
        #expect(EditDistance.between(Array(left.utf8), Array(right.utf8)) == expected)
        #expect(EditDistance.between(Array(right.utf8), Array(left.utf8)) == expected)
    }
}
