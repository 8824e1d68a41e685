// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

@testable import LuaStage

@Suite struct LuaScriptTests {
    @Test func linesAreLocatedInTheFile() throws {
        let script = LuaScript(path: "a/b.lua", text: Array("one\n  two\r\n\nfour".utf8))
        #expect(script.chunkName == "b.lua")
        #expect(script.firstLine == 1)
        let second = try #require(script.location(ofLine: 2))
        #expect(second.line == 2)
        #expect(second.column == 3)
        #expect(second.length == 3)
        #expect(script.location(ofLine: 4)?.length == 4)
        #expect(script.location(ofLine: 5) == nil)
        #expect(script.location(ofLine: 0) == nil)
    }

    @Test func longNamesAreShortened() {
        let script = LuaScript(path: String(repeating: "x", count: 300), text: [])
        #expect(script.chunkName.utf8.count == 50)
    }

    @Test func blockScalarsBeginOnTheNextLine() {
        let source = ConfigSource(name: "p.yaml", text: "code: |\n  x\n")
        let inline = LuaScript(inline: "x\n", at: source.location(at: 6, length: 1))
        #expect(inline.firstLine == 2)
        #expect(inline.name == "p.yaml")
        let plain = ConfigSource(name: "p.yaml", text: "a: 1\ncode: x = 1\n")
        #expect(LuaScript(inline: "x = 1", at: plain.location(at: 11)).firstLine == 2)
        #expect(LuaScript(inline: "x = 1", at: nil).name == "inline script")
    }
}
