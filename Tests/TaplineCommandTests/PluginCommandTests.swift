// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline plugin")
struct PluginCommandTests {
    @Test("options may be before and after the word check")
    func options() async {
        for words in [["--help"], ["check", "--help"]] {
            let help = await tapline(words: ["plugin"] + words)
            #expect(help.code == .success)
            #expect(help.output.contains("usage: tapline plugin"), "\(words)")
        }
        for words in [["check", "--kind", "none", "cat"], ["--kind", "none", "check", "cat"]] {
            let outcome = await tapline(words: ["plugin"] + words)
            #expect(outcome.code == .usage)
            #expect(outcome.errors.contains("unknown kind 'none'"), "\(words)")
        }
        let missing = await tapline("plugin", "check", "--kind", "stage")
        #expect(missing.code == .usage)
        #expect(missing.errors.contains("expected 'plugin check COMMAND...'"))
    }

    @Test("the options of the program are its own")
    func program() async {
        for words in [["none", "--kind", "x"], ["--", "none", "--help"]] {
            let outcome = await tapline(words: ["plugin", "check"] + words)
            #expect(outcome.code == .notFound)
            #expect(outcome.errors.contains("there is no program 'none'"), "\(outcome.errors)")
        }
    }
}
