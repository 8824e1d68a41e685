// SPDX-License-Identifier: MIT

import TaplineFormats
import Testing

@Suite("CSV")
struct CSVTextTests {
    private func line(_ values: [String]) -> String {
        var csv = CSVText()
        for value in values { csv.text(value) }
        csv.endLine()
        return String(decoding: csv.bytes, as: UTF8.self)
    }

    @Test(
        "quotes what would be read otherwise",
        arguments: [
            (["a", "b c", ""], "a,b c,\r\n"), (["a,b"], "\"a,b\"\r\n"),
            (["a\"b"], "\"a\"\"b\"\r\n"), (["a\nb\r"], "\"a\nb\r\"\r\n"), ([], "\r\n"),
        ]
    )
    func quotes(values: [String], text: String) { #expect(line(values) == text) }

    @Test("makes no formulas", arguments: ["=", "+", "-", "@", "\t", "\r"])
    func formulas(start: String) {
        #expect(line(["\(start)cmd|'/C calc'!A0"]) == "\"'\(start)cmd|'/C calc'!A0\"\r\n")
        #expect(line(["x\(start == "\r" ? "" : start)1"]) == "x\(start == "\r" ? "" : start)1\r\n")
    }

    @Test(
        "makes no formulas after white space, of full-width signs, or by combined quotation marks",
        arguments: [
            (" =1", "\"' =1\""), ("\n=1", "\"'\n=1\""), ("＝1", "\"'＝1\""), ("a=1", "a=1"),
            ("\u{0}=1", "\"'\u{0}=1\""), ("/\"\u{301},=1", "\"/\"\"\u{301},=1\""), ("é=1", "é=1"),
        ]
    )
    func hiddenFormulas(text: String, cell: String) { #expect(line([text]) == cell + "\r\n") }

    @Test("writes numbers as they are")
    func numbers() {
        var csv = CSVText()
        csv.number("-1.5")
        csv.number(nil)
        csv.text("x")
        csv.endLine()
        csv.number("2")
        #expect(String(decoding: csv.bytes, as: UTF8.self) == "-1.5,,x\r\n2")
    }
}
