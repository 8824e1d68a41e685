// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

@Suite struct CoverageTests {
    /// The line counts of a script whose hook was called twice.
    private func lines(_ code: String, covers: Bool = true) throws -> [Int: Int] {
        let bench = try Bench(code, collectsCoverage: covers)
        for _ in 0..<2 {
            var exchange = Exchange.sample
            try? bench.run("record", &exchange)
        }
        bench.stage.stop()
        let coverage = bench.setup.shared.coverage
        #expect(coverage.map(\.file) == (covers ? ["test.lua"] : []))
        return coverage.first?.lines ?? [:]
    }

    @Test func reportsExecutedAndUnexecutedLines() throws {
        let lines = try lines(
            """
            local limit <const> = 3 -- a constant is no instruction
            local seen = 0

            function record(ex)
              seen = seen + 1
              if seen > limit then
                log("many")
                return
              end
              for i = 1, 3 do
                seen = seen + 0
              end
              local function unused()
                return 1
              end
              local f = function(...)
                return ...
              end
              f(
                1,
                2
              )
            end
            """
        )
        #expect(lines[2] == 1)
        #expect(lines[4] == 1)
        #expect(lines[5] == 2)
        #expect(lines[6] == 2)
        #expect(lines[7] == 0)
        #expect(lines[8] == 0)
        #expect(lines[11] == 6)
        #expect(lines[14] == 0)
        #expect(lines[17] == 2)
        // Lines without code: a comment, an empty line, the ends of blocks.
        for line in [3, 9, 24, 25] { #expect(lines[line] == nil, "\(line)") }
        #expect(lines.keys.allSatisfy { 1...23 ~= $0 })
    }

    @Test func functionsWithEveryKindOfConstantAreRead() throws {
        let lines = try lines(
            """
            local t = { 1.5, "s", ("x"):rep(3), true, nil, 1 << 40, [=[
            \(String(repeating: "long ", count: 30))
            ]=], function() return 2.5 end }
            function record(ex)
              return nil
            end
            """
        )
        #expect(lines[5] == 2)
        #expect(lines.keys.max() == 5 || lines.keys.max() == 6)
    }

    @Test func linesOfLongFunctionsAreCorrect() throws {
        // After 128 instructions, and after a step of more than 127 lines, lines are stored
        // separately.
        let gap = String(repeating: "\n", count: 300)
        let many = String(repeating: "n = n + 1\n", count: 400)
        let lines = try lines("function record(ex)\nlocal n = 0\(gap)\n\(many)log(n)\nend\n")
        #expect(lines[2] == 2)
        for line in 303..<703 { #expect(lines[line] == 2, "\(line)") }
        #expect(lines[703] == 2)
        // The closure is created at the line where the function ends.
        #expect((lines[704] ?? 0) >= 1)
        #expect(lines.count == 404)
    }

    @Test func coroutinesAndLimitsAreCounted() throws {
        let lines = try lines(
            """
            function record(ex)
              coroutine.wrap(function()
                log(1)
              end)()
              while true do end
            end
            """
        )
        #expect(lines[3] == 2)
        #expect((lines[5] ?? 0) > 2)
    }

    @Test func nothingIsCountedUnlessRequested() throws {
        #expect(try lines("function record(ex) end", covers: false).isEmpty)
    }

    @Test func linesOfInlineCodeAreLinesOfItsFile() throws {
        let script = LuaScript(path: "folder/pipeline.lua", text: [])
        #expect(script.file(named: "pipeline.lua") == "folder/pipeline.lua")
        #expect(script.file(named: "lib/words.lua") == "folder/lib/words.lua")
        #expect(LuaScript(path: "a.lua", text: []).file(named: "b.lua") == "b.lua")
    }
}
