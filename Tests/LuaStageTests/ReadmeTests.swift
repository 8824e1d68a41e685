// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// Runs the examples of the reference page and compares what they log with what it says.
@Suite struct ReadmeTests {
    /// A script of the page and the text below it.
    struct Example: CustomTestStringConvertible, Sendable {
        let script: String
        let expected: [String]
        var testDescription: String { String(script.prefix(60)) }
    }

    static let examples: [Example] = {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var examples: [Example] = []
        var index = 0
        func block() -> [String] {
            let start = index + 1
            index = lines[start...].firstIndex(of: "```") ?? lines.count - 1
            return Array(lines[start..<index])
        }
        while index < lines.count {
            if lines[index] == "```lua" {
                let script = block().joined(separator: "\n")
                index += 1
                let hasText = index < lines.count && lines[index] == "```text"
                examples.append(Example(script: script, expected: hasText ? block() : []))
            }
            index += 1
        }
        return examples
    }()

    private static let page: String = {
        let path = "\(#filePath)".split(separator: "/").dropLast(3).joined(separator: "/")
        let file = unsafe open("/\(path)/Plugins/Stages/Lua/README.md", O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe read(file, $0.baseAddress, $0.count)
        }
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }()

    @Test func thereAreExamples() {
        #expect(Self.examples.count >= 9)
        #expect(Self.examples.allSatisfy { !$0.expected.isEmpty })
    }

    @Test(arguments: examples)
    func logsWhatThePageSays(example: Example) throws {
        let lines = LineList()
        let log = Log(component: "lua") { entry in lines.append(entry.message) }
        let stage = try LuaStage(
            LuaScript(path: "README.md", text: Array(example.script.utf8)),
            LuaSetup(limits: LuaLimits(), config: Array(#"{"team":"checkout"}"#.utf8)),
            context: StageContext(id: "lua", log: log)
        )
        try stage.start()
        var exchange = Exchange.sample
        var context = ExchangeContext()
        context.hasRequestBody = true
        context.hasResponseBody = true
        _ = try stage.request(&exchange, &context)
        _ = try stage.response(&exchange, &context)
        _ = try stage.record(&exchange, &context)
        stage.stop()
        #expect(lines.all == example.expected)
    }
}
