// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct CSVReaderTests {
    private func records(_ text: String) -> [[String]] {
        let bytes = Array(text.utf8)
        var reader = CSVReader(bytes.span, 0..<bytes.count)
        var records: [[String]] = []
        while reader.readRecord(bytes.span) {
            records.append(reader.fields.map { String(decoding: bytes[$0], as: UTF8.self) })
        }
        return records
    }

    @Test(arguments: [
        ("a,b\n1,2", [["a", "b"], ["1", "2"]]), ("a;b,c;d\r\n", [["a", "b,c", "d"]]),
        ("\"a\nb\"|c\rd|e", [["a\nb", "c"], ["d", "e"]]), ("sep=x\naxb", [["a", "b"]]),
        ("sep=\\t\na\tb;", [["a", "b;"]]), ("\"sep=;\"\r\na;b,c,d", [["a", "b,c,d"]]),
        ("\u{FEFF}a,\"b\"\"c\"", [["a", "b\"\"c"]]), ("", []), ("\n", [[""]]), ("a,", [["a", ""]]),
        ("\"a", [["a"]]), ("sep=\na,b", [["sep="], ["a", "b"]]),
    ])
    func recordsAreRead(text: String, expected: [[String]]) {
        #expect(records(text) == expected)
    }

    @Test(arguments: [
        ("name,b", true), ("sep=;", true), ("\"x\"", true), ("two words", false), ("", false),
        ("name: x", false), ("name", true), ("{", false),
    ])
    func theBeginningOfATableIsAName(text: String, expected: Bool) {
        #expect(CSVReader.beginsWithName(text.utf8.span, 0..<text.utf8.count) == expected)
    }
}
