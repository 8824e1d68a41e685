// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

import TaplinePlugin

@Suite struct StagePluginTestingTests {
    private final class Noted: Stage {
        let word: String
        init(_ word: String) { self.word = word }
    }

    private struct Factory: StageFactory {
        let word: String
        var hooks: Hooks { .record }
        func makeStage(_ context: StageContext) throws -> any Stage {
            Noted("\(context.id) \(word)")
        }
    }

    private static let word = ConfigKey("word", .text, default: "none", summary: "A word.")

    private let plugin = StagePlugin(
        name: "note",
        summary: "Notes.",
        options: OptionSchema(word),
        build: { options, _ in
            options[word] == "refused" ? nil : Factory(word: options[word])
        }
    )

    @Test func aStageIsCreatedFromItsOptions() throws {
        let stage = try #require(try plugin.stage("{ word: hello }") as? Noted)
        #expect(stage.word == "note hello")
        #expect(try (plugin.stage("{}") as? Noted)?.word == "note none")
    }

    @Test func invalidOptionsCreateNoStage() throws {
        #expect(try plugin.stage("{ words: hello }") == nil)
        #expect(try plugin.stage("{ word: [") == nil)
        #expect(try plugin.stage("{ word: refused }") == nil)
    }
}
