// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import Testing

@testable import LuaStage

@Suite struct LuaStubsTests {
    @Test func stubsCompile() throws {
        try LuaState.compile(LuaScript(path: "types.lua", text: Array(LuaStubs.types.utf8)))
    }

    @Test func stubsDeclareTheWholeInterface() {
        let lines = LuaStubs.types.split(separator: "\n").map(String.init)
        for group in LuaAPI.groups where !group.path.isEmpty {
            #expect(lines.contains("---@class \(group.className)"), "\(group.path)")
            for member in group.members {
                let field = "---@field \(member.name) \(member.type) \(member.summary)"
                #expect(lines.contains(field), "\(group.path).\(member.name)")
            }
        }
        for member in LuaAPI.groups.first(where: { $0.path.isEmpty })?.members ?? [] {
            let isThere = lines.contains {
                $0.hasPrefix("function \(member.name)(") || $0 == "\(member.name) = nil"
                    || $0 == "\(member.name) = {}"
            }
            #expect(isThere, "\(member.name)")
        }
        for hook in LuaAPI.hooks { #expect(lines.contains("\(hook.name) = nil")) }
    }

    @Test func stubsDeclareEveryReferencedType() {
        let text = LuaStubs.types
        let declared = Set(
            text.split(separator: "\n").filter { $0.hasPrefix("---@class ") }
                .map { $0.dropFirst(10) }
        )
        for word in text.split(whereSeparator: { " ?,()|:[]<>\n".contains($0) })
        where word.hasPrefix("tapline.") {
            let name = word.hasSuffix(".") ? word.dropLast() : word
            #expect(declared.contains(name), "\(name)")
        }
    }

    @Test func globalFunctionsHaveParameters() {
        let text = LuaStubs.types
        #expect(
            text.contains(
                "---@param reason? string\n---@return tapline.Verdict\nfunction drop(reason) end"
            )
        )
        #expect(text.contains("---@param ... any\nfunction print(...) end"))
    }

    @Test func settingsAreJSON() throws {
        let file = try #require(LuaStubs.files.first { $0.path == ".luarc.json" })
        let quoted = file.text.replacing("\n", with: " ")
        let lines = try Bench.log("log(json.decode([==[\(quoted)]==])['runtime.version'])")
        #expect(lines == ["Lua 5.4"])
        #expect(LuaStubs.files.first?.path == LuaStubs.path)
    }
}
