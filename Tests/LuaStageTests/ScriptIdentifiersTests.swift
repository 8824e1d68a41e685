// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import LuaStage

@Suite struct ScriptIdentifiersTests {
    @Test(arguments: [
        ("cart", true), ("ex", true), ("total2", true), ("secret", false), ("quoted", false),
        ("long", false), ("longer", false), ("9lives", false), ("art", false), ("", false),
    ])
    func namesAreWordsOutsideOfStrings(name: String, isName: Bool) {
        let words = ScriptIdentifiers()
        let text =
            "local cart = ex.total2 .. 'quoted' .. \"quoted\" .. [[long]] .. [==[longer]==] 9lives"
        words.note(text.utf8.span)
        #expect(words.hasName(ByteString(name)) == isName)
    }

    @Test(arguments: [
        ("require 'a'", "a"), ("require(\"a.b\")", "a.b"), ("require  ( 'c'", "c"),
    ])
    func modulesAreNamedByLiterals(text: String, module: String) {
        let words = ScriptIdentifiers()
        words.note(text.utf8.span)
        #expect(words.requires(ByteString(module)))
        #expect(!words.requires("other"))
        words.clear()
        #expect(!words.requires(ByteString(module)))
    }

    @Test(arguments: ["require", "require(", "require '", "require name", "'", "[=", ""])
    func anyTextIsAccepted(text: String) {
        let words = ScriptIdentifiers()
        words.note(text.utf8.span)
        #expect(!words.requires("name"))
    }
}
