// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem
import Testing

@testable import LuaStage

/// Runs the pure-language part of Lua's own tests in the sandbox, if the variable LUA_TESTS names
/// their folder: `make lua-suite LUA_TESTS=lua-5.4.4-tests`.
///
/// A statement is skipped if it uses names that scripts do not have, if it depends on a skipped
/// statement, or if `SuiteDifferences` lists it. The number of executed and skipped statements is
/// printed.
@Suite struct LuaSuiteTests {
    private static var folder: String? { ProcessEnvironment.variables["LUA_TESTS"] }

    private func run(_ text: [UInt8], name: String) -> ScriptError? {
        do throws(ScriptError) {
            _ = try LuaState(
                LuaScript(path: name, text: Array(SuiteDifferences.prelude.utf8) + [0x20] + text),
                limits: LuaLimits(
                    memory: 512 << 20,
                    instructions: .max,
                    time: .seconds(20),
                    table: 1 << 24
                )
            )
            return nil
        } catch { return error }
    }

    /// The statement at which a plan fails: the last one of the shortest failing prefix of the
    /// script, or within a block the one on the error's line.
    private func failing(_ plan: SuitePlan, _ error: ScriptError) -> SuiteScript.Statement? {
        let statements = plan.script.statements
        var low = 0
        var high = statements.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if run(plan.text(ofFirst: middle), name: error.script) == nil {
                low = middle
            } else {
                high = middle
            }
        }
        guard high > 0 else { return nil }
        let outer = statements[high - 1]
        return plan.kept.last { statement in
            let lines =
                plan.script.line(
                    of: statement.range.lowerBound
                )...plan.script.line(of: statement.range.upperBound)
            return outer.range.contains(statement.range.lowerBound)
                && lines.contains(error.line ?? 0)
        } ?? outer
    }

    @Test(
        .enabled(if: folder != nil, "needs Lua's own tests: `make lua-suite LUA_TESTS=FOLDER`"),
        arguments: SuiteDifferences.files
    )
    func statementsRunAsInLua(name: String) throws {
        let path = "\(try #require(Self.folder))/\(name).lua"
        var text = try #require(ScriptFile.read(path), "\(path) cannot be read")
        // The first line may be a shebang.
        if text.first == .ascii("#") { text = Array("--".utf8) + text }
        let script = try SuiteScript(text)
        var differences = SuiteDifferences.statements[name] ?? [:]
        var plan = SuitePlan(script, differences: differences)
        let total = plan.kept.count + plan.left
        // After a failure the rest runs without the failed statement, so that one run finds all.
        while let error = run(plan.text, name: "\(name).lua") {
            let statement = try #require(failing(plan, error))
            let mark = script.mark(of: statement)
            Issue.record(
                """
                \(error.debugDescription)
                in the statement of line \(script.line(of: statement.range.lowerBound)), \
                mark 0x\(String(mark, radix: 16))
                """
            )
            guard differences.updateValue("failed", forKey: mark) == nil else { break }
            plan = SuitePlan(script, differences: differences)
        }
        print("\(name): \(plan.kept.count) of \(total) statements ran")
        for (reason, count) in plan.reasons.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) })
        {
            print("  \(count) left out: \(reason)")
        }
        #expect(!plan.kept.isEmpty)
    }

    @Test func skipsStatementsThatCannotRun() throws {
        let script = try SuiteScript(
            Array(
                """
                local a = 1
                local d = require "debug"
                local function make (x) return load(x) end
                do
                  local f = make("return 1")
                  a = a + 1
                  assert(f() == 1)
                end
                if true then assert(load("return 1")) else a = a + 1 end
                setmetatable({}, {__gc = function() end})
                for d = 1, 2 do a = a + d end
                d = 6
                assert(a == d, 'a load')
                assert(a == 5)
                while a < 10 do a = a + 1; load "" end
                assert(a == 10)
                """.utf8
            )
        )
        let plan = SuitePlan(script, differences: [script.mark(of: script.statements[8]): "own"])
        #expect(plan.kept.count == 6)
        #expect(
            plan.reasons == [
                "names 'require'": 1, "names 'load'": 4, "uses 'make', left out before": 1,
                "uses 'f', left out before": 1, "names '__gc'": 1, "own": 1,
                "uses 'a', left out before": 1,
            ]
        )
        #expect(run(plan.text, name: "own.lua")?.line == nil)
    }

    @Test func findsTheFailingStatement() throws {
        let script = try SuiteScript(
            Array(
                """
                local function check(x)
                  assert(x)
                end
                do check(true)
                  check(1 == 2) check(true)
                end
                """.utf8
            )
        )
        let plan = SuitePlan(script, differences: [:])
        let error = try #require(run(plan.text, name: "own.lua"))
        #expect(error.line == 2)
        #expect(failing(plan, error)?.range == script.statements[1].range)
    }
}
