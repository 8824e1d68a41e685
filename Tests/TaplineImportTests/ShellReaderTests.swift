// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@testable import TaplineImport

@Suite("Command lines of bash")
struct ShellReaderTests {
    private func words(_ text: String) throws -> [[String]] {
        var reader = ShellReader(Array(text.utf8))
        return try reader.pipeline().map { $0.map(\.text) }
    }

    @Test(
        "have words in quotes",
        arguments: [
            ("a b\tc", ["a", "b", "c"]), ("'a b'c", ["a bc"]), ("''", [""]), (#"a\ b"#, ["a b"]),
            (#""a 'b' \"c\" \$d \\ \e""#, [#"a 'b' "c" $d \ \e"#]),
            (#"$'a\n\t\x41\101\u00fc\'\\'"#, ["a\n\tAAü'\\"]), (#"$"a b""#, ["a b"]),
            ("'it'\\''s'", ["it's"]), ("a#b # c", ["a#b"]), ("x$ \"$\" 'a$b'", ["x$", "$", "a$b"]),
            ("a\\\nb \\\n c", ["ab", "c"]), ("a\\\r\n b\r\nc", ["a", "b"]),
            ("'a\nb'", ["a\nb"]), ("\"a\\\nb\"", ["ab"]), (#"$'\u0021\U0001F435'"#, ["!🐵"]),
            ("a >f 2>&1 b 2>/dev/null &>x c", ["a", "b", "c"]), ("x[1]?*~{a}", ["x[1]?*~{a}"]),
        ]
    )
    func quotes(text: String, expected: [String]) throws {
        #expect(try words(text) == [expected])
    }

    @Test("are separated by operators and line ends")
    func operators() throws {
        var reader = ShellReader(Array("a|b|\nc; d && e || f & g\nh".utf8))
        var found: [[[String]]] = []
        while reader.position < reader.bytes.count {
            found.append(try reader.pipeline().map { $0.map(\.text) })
        }
        let expected = [[["a"], ["b"], ["c"]], [["d"]], [["e"]], [["f"]], [["g"]], [["h"]]]
        #expect(found == expected)
    }

    @Test(
        "are refused where only the shell knows the text",
        arguments: [
            ("a $HOME", 2), ("\"a ${b}\"", 3), ("a `id`", 2), ("\"`id`\"", 1), ("a $(id)", 2),
            ("a < f", 2), ("a <<EOF", 2), ("(a)", 0), ("a 'b", 2), ("a \"b", 2), ("$'a", 0),
            (#"$'\0'"#, 2), (#"$'\xzz'"#, 2), (#"$'\ud800'"#, 2), ("curl ^\"a^\"", 5),
        ]
    )
    func refusals(text: String, byte: Int) {
        var reader = ShellReader(Array(text.utf8))
        do throws(RecordError) {
            _ = try reader.pipeline()
            Issue.record("no error")
        } catch {
            #expect(error.byte == byte, "\(error)")
        }
    }

    @Test("print what can be piped into another command")
    func output() {
        func printed(_ words: String...) -> String? {
            let output = ShellOutput(
                words.map { ShellWord(bytes: Array($0.utf8), start: 0) },
                hasInput: false
            )
            return output.bytes.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(printed("printf", #"a%%b\n\101\0"#) == "a%b\nA\0")
        #expect(printed("printf", "%s", "a%b") == "a%b")
        #expect(printed("echo", "a", "b") == "a b\n")
        #expect(printed("echo", "-n", "a") == "a")
        #expect(printed("echo", "-e", "a") == nil)
        #expect(printed("printf", "%d", "1") == nil)
        #expect(printed("cat", "f") == nil)
        let echo = ShellWord(bytes: Array("echo".utf8), start: 0)
        #expect(ShellOutput([echo], hasInput: true).bytes == nil)
    }
}
