// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import TaplineExport

@Suite("Words for shells")
struct ShellQuotingTests {
    /// A word, and how each shell has to be given it.
    struct Row: Sendable, CustomTestStringConvertible {
        let word: String
        let bash: String
        let fish: String
        let powershell: String

        var testDescription: String { word }
    }

    static let table = [
        Row(word: "plain-word", bash: "plain-word", fish: "plain-word", powershell: "plain-word"),
        Row(word: "", bash: "''", fish: "''", powershell: "''"),
        Row(word: "it's", bash: "'it'\\''s'", fish: "'it\\'s'", powershell: "'it''s'"),
        Row(word: "a\\b", bash: "'a\\b'", fish: "'a\\\\b'", powershell: "'a\\b'"),
        Row(word: "!! $HOME", bash: "'!! $HOME'", fish: "'!! $HOME'", powershell: "'!! $HOME'"),
        Row(word: "`id`$(x)", bash: "'`id`$(x)'", fish: "'`id`$(x)'", powershell: "'`id`$(x)'"),
        Row(word: "a\nb", bash: "'a\nb'", fish: "'a\nb'", powershell: "'a\nb'"),
        Row(
            word: "a\r!'",
            bash: "$'a\\r\\041\\047'",
            fish: "'a'\\X0d'!\\''",
            powershell: "\"a`u{d}!'\""
        ),
        Row(
            word: "\u{1B}1",
            bash: "$'\\0331'",
            fish: "\\X1b'1'",
            powershell: "\"`u{1b}1\""
        ),
        Row(
            word: "‘ü’ “$”\r",
            bash: "$'\\342\\200\\230\\303\\274\\342\\200\\231 "
                + "\\342\\200\\234$\\342\\200\\235\\r'",
            fish: "'‘ü’ “$”'\\X0d",
            powershell: "\"‘ü’ `“`$`”`u{d}\""
        ),
        Row(word: "‘x’", bash: "'‘x’'", fish: "'‘x’'", powershell: "'‘‘x’’'"),
        Row(word: "--%", bash: "'--%'", fish: "'--%'", powershell: "'--%'"),
        Row(word: "@args", bash: "'@args'", fish: "'@args'", powershell: "'@args'"),
        // A quotation mark and a combining mark are one `Character`.
        Row(
            word: "'\u{301};x",
            bash: "''\\''\u{301};x'",
            fish: "'\\'\u{301};x'",
            powershell: "'''\u{301};x'"
        ),
        Row(word: "’\u{301}", bash: "'’\u{301}'", fish: "'’\u{301}'", powershell: "'’’\u{301}'"),
        Row(word: "~", bash: "'~'", fish: "'~'", powershell: "'~'"),
    ]

    @Test("are quoted as each shell requires", arguments: table)
    func golden(row: Row) {
        #expect(ShellDialect.bash.quoted(row.word) == row.bash)
        #expect(ShellDialect.fish.quoted(row.word) == row.fish)
        #expect(ShellDialect.powershell.quoted(row.word) == row.powershell)
    }

    @Test("that are not UTF-8 are bytes in bash and fish, and impossible in PowerShell")
    func bytes() {
        let word: [UInt8] = [0x41, 0xFF, 0x31]
        #expect(ShellDialect.bash.quoted(word) == "$'A\\3771'")
        #expect(ShellDialect.fish.quoted(word) == "'A'\\Xff'1'")
        #expect(ShellDialect.powershell.quoted(word) == nil)
        for shell in ShellDialect.allCases { #expect(shell.quoted([0x41, 0]) == nil) }
    }

    private func printed(by shell: [String], _ dialect: ShellDialect) throws {
        var random = Random(seed: 7)
        var words = ExportCases.bodies.filter { !$0.contains(0) && $0.count < 1000 }
        words += ["'\u{301}; exit 1; '", "\"\u{301}`exit`", "\\\u{301}'"].map { Array($0.utf8) }
        for _ in 0..<300 {
            words.append(random.bytes(upTo: 30).filter { $0 != 0 })
        }
        let folder = try TemporaryFolder()
        let quoted = words.map { dialect.quoted($0) ?? "" }
        // A dot ends each word, so that line ends at its end are seen.
        let lines = quoted.map { "printf '%s.\\0' \($0)\n" }.joined()
        let script = try folder.write(lines, to: "script")
        let output = "'\(folder("output"))'"
        try Tool.run(
            ["sh", "-c", "\(shell.joined(separator: " ")) '\(script)' > \(output)"],
            home: folder.path
        )
        let found = try folder.bytes("output").split(separator: 0).map { Array($0.dropLast()) }
        #expect(found == words)
    }

    @Test(
        "reach a program unchanged",
        .enabled(if: Tool.isInstalled("bash"), "bash is not installed")
    )
    func bash() throws { try printed(by: ["bash"], .bash) }

    @Test(
        "reach a program unchanged from fish",
        .enabled(if: Tool.isInstalled("fish"), "fish is not installed")
    )
    func fish() throws { try printed(by: ["fish", "--no-config"], .fish) }
}

@Suite("Content in shells")
struct ShellBodyTests {
    private func text(_ bytes: [UInt8], _ shell: ShellDialect = .bash) -> String {
        switch ShellBody(bytes, for: shell) {
        case .argument(let word): word
        case .printed(let command): "< \(command)"
        }
    }

    @Test("is an argument if that is possible")
    func arguments() {
        #expect(text(Array("@a 100%\n".utf8)) == "'@a 100%\n'")
        #expect(text([]) == "''")
    }

    @Test("is printed by the shell otherwise")
    func printed() {
        #expect(text([0x2D, 0x25, 0, 0x37, 0x27, 0xFF]) == "< printf '\\055%%\\0007\\047\\377'")
        #expect(text([0, 1], .fish) == "< printf '%s' 'AAE=' | base64 -d")
        #expect(text([0, 1], .powershell) == "< [Convert]::FromBase64String('AAE=')")
        #expect(text(Array(repeating: .ascii("x"), count: 70_000)).hasPrefix("< printf 'xxx"))
    }
}
