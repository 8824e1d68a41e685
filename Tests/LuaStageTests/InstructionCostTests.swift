// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// The cost of the longest single instructions with the default limits; no limit is checked within
/// an instruction.
@Suite struct InstructionCostTests {
    /// An instruction, and calls of a hook that prepare its operands.
    struct Instruction: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let preparations: [String]
        let code: String
    }

    private static let collision = [
        "t, step = {}, 16383 for i = 1, 8000 do t[i * step] = true end",
        "for i = 8001, 12000 do t[i * step] = true end",
        "for i = 12001, 16384 do t[i * step] = true end",
        "t[5 * step] = nil",
    ]

    private static let list = (0..<4).map {
        "t = t or {} for i = \($0 * 250_000 + 1), \($0 * 250_000 + 250_000) do t[i] = true end"
    }

    static let instructions = [
        Instruction(
            testDescription: "full table, all keys collide: a new key",
            preparations: collision,
            code: "t[99999 * step] = true"
        ),
        Instruction(
            testDescription: "full table, all keys collide: a missing key",
            preparations: collision,
            code: "found = t[88888 * step]"
        ),
        Instruction(
            testDescription: "list of a million: a first other key",
            preparations: list,
            code: "t.x = true"
        ),
        Instruction(
            testDescription: "list of a million, emptied: next",
            preparations: list + list.map { $0.replacing("true", with: "nil") },
            code: "found = next(t)"
        ),
        Instruction(
            testDescription: "list of a million: length",
            preparations: list,
            code: "n = #t"
        ),
        Instruction(
            testDescription: "strings of 10 MB: comparison",
            preparations: ["a = ('x'):rep(10000000)", "b = ('x'):rep(9999999) .. 'x'"],
            code: "same = a < b"
        ),
        Instruction(
            testDescription: "string of 10 MB: concatenation",
            preparations: ["a = ('x'):rep(10000000)"],
            code: "b = a .. 'x'"
        ),
        Instruction(
            testDescription: "string of 10 MB of digits: arithmetic",
            preparations: ["a = ('1'):rep(10000000)"],
            code: "b = a + 1"
        ),
        Instruction(
            testDescription: "string of 10 MB: upper",
            preparations: ["a = ('x'):rep(10000000)"],
            code: "b = a:upper()"
        ),
    ]

    @Test(arguments: instructions)
    func aSingleInstructionStaysBelowTheTimeLimit(instruction: Instruction) throws {
        let calls = instruction.preparations + [instruction.code]
        let functions = calls.map { "function() \($0) end" }.joined(separator: ",\n")
        let bench = try Bench(
            """
            local calls = {\(functions)}
            function request(ex) calls[tonumber(ex.request.path:sub(2))]() end
            """
        )
        var exchange = Exchange.sample
        var time = 0.0
        for number in calls.indices {
            exchange.request.target = ByteString("/\(number + 1)")
            time = try processorTime { try bench.run("request", &exchange) }
        }
        // README.md lists this output.
        if unsafe getenv("TAPLINE_COSTS") != nil {
            print("\(instruction.testDescription): \((time * 10_000).rounded() / 10) ms")
        }
        #expect(time < 1, "\(time)")
    }
}
