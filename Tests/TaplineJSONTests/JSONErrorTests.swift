// SPDX-License-Identifier: MIT

import TaplineJSON
import Testing

@Suite struct JSONErrorTests {
    @Test(arguments: [
        ("", JSONError.Code.empty, 0), ("  ", .empty, 2),
        ("{", .truncated, 1), ("[1,", .truncated, 3), (#"{"a""#, .truncated, 4),
        (#"{"a":"#, .truncated, 5), (#""abc"#, .truncated, 4), ("tru", .truncated, 3),
        ("-", .truncated, 1), ("1.", .truncated, 2), ("1e", .truncated, 2),
        ("[1 2]", .expectedComma, 3), ("[1,]", .expectedValue, 3), ("[,1]", .expectedValue, 1),
        ("{1:2}", .expectedKey, 1), (#"{"a" 1}"#, .expectedColon, 5),
        (#"{"a":}"#, .expectedValue, 5),
        (#"{"a":1,}"#, .expectedKey, 7), (#"{"a":1 "b":2}"#, .expectedComma, 7),
        ("[1}", .expectedComma, 2), ("]", .expectedValue, 0), (":", .expectedValue, 0),
        ("1 2", .trailingContent, 2), ("{}x", .trailingContent, 2), ("[]]", .trailingContent, 2),
        ("01", .badNumber, 1), ("+1", .expectedValue, 0), ("1.e3", .badNumber, 2),
        (".5", .expectedValue, 0), ("-x", .badNumber, 1), ("0x10", .badNumber, 1),
        ("1a ", .badNumber, 1), (#"1"a""#, .badNumber, 1),
        ("nul ", .badLiteral, 0), ("nulll", .badLiteral, 0), ("True", .expectedValue, 0),
        ("NaN", .expectedValue, 0), ("truefalse", .badLiteral, 0),
        (#""a" "b""#, .trailingContent, 4), (#""a""b""#, .trailingContent, 3),
        (#""a"1"#, .trailingContent, 3), (#"["a"1]"#, .expectedComma, 4),
        (#""\x""#, .badEscape, 1), (#""\u12""#, .badEscape, 1), (#""ab\u12G4""#, .badEscape, 3),
        ("\"a\tb\"", .controlCharacter, 2), ("\"a\nb\"", .controlCharacter, 2),
        ("[1\u{0C}]", .expectedComma, 2), ("\u{FEFF}1", .expectedValue, 0),
        ("'a'", .expectedValue, 0), (#"[1]//"#, .trailingContent, 3), (#"\"#, .expectedValue, 0),
    ])
    func reportsWhereTheTextStopsBeingValid(_ text: String, _ code: JSONError.Code, _ offset: Int) {
        let error = failure(Array(text.utf8))
        #expect(error?.code == code, "\(text)")
        #expect(error?.offset == offset, "\(text)")
    }
}
