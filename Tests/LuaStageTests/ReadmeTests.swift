// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import LuaStage

/// Runs the examples of the reference pages and compares their log output with the pages.
@Suite struct ReadmeTests {
    @Test func thePagesHaveExamples() {
        #expect(Page.examples.count >= 25)
        #expect(Page.examples.allSatisfy { !$0.expected.isEmpty })
    }

    @Test(arguments: Page.examples)
    func anExampleLogsTheOutputOnThePage(example: Page.Example) throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-lua")
        defer { try? FileSystem.removeFolder(folder) }
        try FileSystem.makeFolder("\(folder)/mocks")
        try File("\(folder)/mocks/cart.json", for: .create).write(#"{"items":[]}"#.utf8.span)
        try File("\(folder)/prices.lua", for: .create).write("return {apple = 3}".utf8.span)
        let lines = LineList()
        var setup = LuaSetup(limits: LuaLimits(), config: Array(#"{"team":"checkout"}"#.utf8))
        setup.environment = LuaEnvironment(moduleFolder: folder, fileFolder: folder)
        setup.store = SharedStore(maxBytes: 1 << 20)
        let stage = try LuaStage(
            LuaScript(path: "README.md", text: Array(example.script.utf8)),
            setup,
            context: StageContext(
                id: "lua",
                log: Log(component: "lua") { entry in lines.append(entry.message) },
                seed: 7,
                clock: { Timestamp(microseconds: 1_700_000_000_250_000) }
            )
        )
        try stage.start()
        var exchange = Exchange.documented
        var context = ExchangeContext()
        context.hasRequestBody = true
        context.hasResponseBody = true
        _ = try stage.request(&exchange, &context)
        _ = try stage.response(&exchange, &context)
        for var message in exchange.messages {
            _ = try stage.message(&message, &exchange, &context)
        }
        _ = try stage.record(&exchange, &context)
        stage.stop()
        #expect(lines.all == example.expected)
    }

    /// An example uses every entry of the interface, as `owner.name` or `owner:name(`.
    @Test(arguments: LuaAPI.groups.map(\.path))
    func everyEntryHasAnExample(path: String) throws {
        let group = try #require(LuaAPI.groups.first { $0.path == path })
        let missing = group.members.filter { !Page.shows($0, of: group) }.map(\.name)
        #expect(missing.isEmpty)
    }

    @Test func anEntryWithoutExampleIsDetected() throws {
        let group = try #require(LuaAPI.groups.first { $0.path == "json" })
        let member = LuaMember.function("reverse", "(text: string)", "Is not there.")
        #expect(!Page.shows(member, of: group))
        #expect(Page.shows(try #require(group.members.first), of: group))
    }
}

/// The reference pages.
enum Page {
    /// A script of a page and the output below it.
    struct Example: CustomTestStringConvertible, Sendable {
        let script: String
        let expected: [String]
        var testDescription: String { String(script.prefix(60)) }
    }

    static let examples = read("README.md") + read("Libraries.md")

    /// Whether an example uses a member.
    static func shows(_ member: LuaMember, of group: LuaGroup) -> Bool {
        let owner = group.path.split(separator: ".").last.map(String.init) ?? ""
        let name = member.name
        return examples.contains { example in
            if owner.isEmpty { return example.script.holds(name, followedBy: " \"({") }
            // Fields of an argument table are written in the table.
            if group.path == "reply" {
                return example.script.contains("respond") && example.script.holds("\(name) =")
            }
            return example.script.holds("\(owner).\(name)")
                || example.script.holds("\(owner):\(name)(")
        }
    }

    private static func read(_ page: String) -> [Example] {
        let bytes = ScriptFile.read("\(TestFiles.repository)/Plugins/Stages/Lua/\(page)") ?? []
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
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
    }
}

extension String {
    /// Whether the text contains a word that is not part of a longer one.
    fileprivate func holds(_ word: String, followedBy ends: String? = nil) -> Bool {
        let text = Array(utf8)
        let word = Array(word.utf8)
        func isPart(_ byte: UInt8) -> Bool {
            byte == .ascii("_") || 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
        }
        return text.indices.dropLast(word.count - 1).contains { start in
            guard text[start...].starts(with: word) else { return false }
            let end = start + word.count
            if start > 0, isPart(text[start - 1]) { return false }
            if ends != nil, start > 0, text[start - 1] == .ascii(".") { return false }
            guard end < text.count else { return ends == nil }
            if let ends { return ends.utf8.contains(text[end]) }
            return word.last == .ascii("(") || !isPart(text[end])
        }
    }
}
