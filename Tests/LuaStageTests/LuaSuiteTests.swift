// SPDX-License-Identifier: MIT

import TaplineFiles
import TaplineModel
import Testing

@testable import LuaStage

/// Runs the pure-language part of Lua's own tests in the sandbox, where their folder is given as
/// the variable LUA_TESTS: `make lua-suite LUA_TESTS=lua-5.4.4-tests`.
///
/// Statements on the outermost level that name what scripts do not have are left out, so that the
/// rest of a file runs; how much that was is printed.
@Suite struct LuaSuiteTests {
    private static let files = [
        "bitwise", "calls", "closure", "constructs", "coroutine", "errors", "events", "goto",
        "literals", "locals", "math", "nextvar", "pm", "sort", "strings", "tpack", "utf8", "vararg",
    ]
    /// What scripts do not have, or have in another way that the page of the stage tells of.
    private static let absent: Set<String> = [
        "load", "loadstring", "loadfile", "dofile", "require", "debug", "io", "os", "package",
        "dump", "collectgarbage", "warn", "T", "_port", "_soft", "_ENV", "arg",
    ]
    private static let events = ["__gc", "__mode"]

    private static var folder: String? { ProcessEnvironment.variables["LUA_TESTS"] }

    /// A script without the statements that cannot run here.
    struct Reduced {
        var text: [UInt8]
        var kept = 0
        var left = 0

        init(_ bytes: [UInt8]) throws {
            text = bytes
            var parser = try LuaParser(bytes)
            try parser.parse()
            var lexer = LuaLexer(bytes)
            var token = try lexer.next()
            for range in parser.statements {
                var isAbsent = false
                while token.kind != .end, token.range.lowerBound < range.upperBound {
                    if token.range.lowerBound >= range.lowerBound {
                        let text = String(decoding: bytes[token.range], as: UTF8.self)
                        isAbsent = isAbsent || token.kind == .name && absent.contains(text)
                        isAbsent = isAbsent || events.contains { text.contains($0) }
                    }
                    token = try lexer.next()
                }
                if isAbsent { blank(range) }
                kept += isAbsent ? 0 : 1
                left += isAbsent ? 1 : 0
            }
        }

        /// Lines stay where they are.
        private mutating func blank(_ range: Range<Int>) {
            for index in range where text[index] != .ascii("\n") { text[index] = .ascii(" ") }
        }
    }

    private func run(_ text: [UInt8], name: String) -> ScriptError? {
        do throws(ScriptError) {
            _ = try LuaState(
                LuaScript(path: name, text: text),
                limits: LuaLimits(memory: 256 << 20, instructions: .max, time: .seconds(60))
            )
            return nil
        } catch { return error }
    }

    @Test(.enabled(if: folder != nil), arguments: files)
    func file(name: String) throws {
        let path = "\(try #require(Self.folder))/\(name).lua"
        // The first line may be for the shell.
        var text = try #require(ScriptFile.read(path), "\(path) cannot be read")
        if text.first == .ascii("#") { text.insert(contentsOf: "--".utf8, at: 0) }
        let reduced = try Reduced(text)
        print("\(name): \(reduced.kept) statements, \(reduced.left) left out")
        let error = run(reduced.text, name: "\(name).lua")
        #expect(error == nil, "\(error?.debugDescription ?? "")")
        #expect(reduced.kept > 0)
    }

    @Test func leavesOutWhatCannotRun() throws {
        let reduced = try Reduced(
            Array(
                """
                local a = 1
                local d = require "debug"
                if true then assert(load("return 1")) end
                setmetatable({}, {__gc = function() end})
                a = a + 1
                assert(a == 2, 'a load')
                """.utf8
            )
        )
        #expect(reduced.kept == 3)
        #expect(reduced.left == 3)
        #expect(run(reduced.text, name: "own.lua") == nil)
        #expect(run(Array("assert(1 == 2)".utf8), name: "own.lua")?.line == 1)
    }
}
