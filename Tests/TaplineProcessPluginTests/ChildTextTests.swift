// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineProcessPlugin
import Testing

@Suite("What a plugin's process writes")
struct ChildTextTests {
    private func read(_ line: String, _ role: ProcessRole = .stage) throws -> ChildLine {
        var reader = ChildLineReader(role)
        return try reader.read(Array(line.utf8).span)
    }

    @Test("an answer is paired by its number")
    func answers() throws {
        guard case .answer(17, .keep) = try read(#"{"n":17,"keep":true}"#),
            case .answer(1, .drop("x\\x1b")) = try read(#"{"n":1,"drop":"x\u001b"}"#),
            case .answer(2, .done(duplicates: 3)) = try read(#"{"n":2,"ok":true,"duplicates":3}"#),
            case .answer(3, .failed(let error)) = try read(#"{"n":3,"error":"no","retry":false}"#),
            case .answer(4, .abort) = try read(#"{"n":4,"verdict":"abort"}"#, .wire)
        else {
            Issue.record("an answer is read differently")
            return
        }
        #expect(error.isFinal && error.description == "no")
    }

    @Test("a hello carries name, kinds and capabilities; another protocol is refused")
    func hello() throws {
        let line =
            #"{"tapline":"hello","protocol":1,"name":"x","kinds":["sink"],"capabilities":["flush"]}"#
        guard case .hello(let hello) = try read(line) else {
            Issue.record("it is no hello")
            return
        }
        #expect(hello.name == "x" && hello.kinds == ["sink"] && hello.capabilities == ["flush"])
        #expect(throws: ProcessPluginError.self) { try read(#"{"tapline":"hello","protocol":2}"#) }
    }

    @Test(
        "a line of no use is refused, and its text is not repeated",
        arguments: [
            "", "secret-value", "[1]", "{}", #"{"n":-1,"keep":true}"#, #"{"n":1.5,"keep":true}"#,
            #"{"n":99999999999999999999,"keep":true}"#, #"{"n":1,"keep":"secret-value"}"#,
            #"{"n":1,"record":{"secret-value":1}}"#, #"{"n":1,"verdict":"secret-value"}"#,
            #"{"n":1,"verdict":"respond"}"#, #"{"tapline":"secret-value"}"#, "{\"n\":1,",
        ]
    )
    func refused(line: String) {
        let error = #expect(throws: ProcessPluginError.self) { try read(line) }
        #expect(error?.description.contains("secret-value") == false)
    }

    @Test("lines are the same however they are cut")
    func chunks() {
        let text = Array("one\n\n  \ntwo\r\ntoo long a line\nlast".utf8)
        for cut in 0...text.count {
            var assembler = LineAssembler(maxBytes: 8)
            var lines: [String] = []
            let take = { (number: Int, line: Span<UInt8>?) in
                if let line {
                    lines.append(
                        "\(number):" + String(decoding: Array(copying: line), as: UTF8.self)
                    )
                } else {
                    lines.append("\(number):-")
                }
            }
            assembler.append(text.span.extracting(0..<cut), take)
            assembler.append(text.span.extracting(cut..<text.count), isEnd: true, take)
            #expect(lines == ["1:one", "4:two\r", "5:-", "6:last"], "cut at \(cut)")
        }
    }

    @Test("standard error is cleaned, cut and limited by second")
    func errors() {
        var errors = ErrorLines(maxBytes: 10, maxLines: 2)
        let text = Array("a\u{1b}[1m\nb\nc\nd\n".utf8)
        #expect(errors.append(text.span, now: 0) == ["a\\x1b[1m", "b"])
        let long = Array("far too long a line\n".utf8)
        #expect(
            errors.append(long.span, now: 1_000_000) == [
                "(2 more lines)", "(a line that is too long)",
            ]
        )
    }
}
