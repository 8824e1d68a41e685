// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import Testing

@Suite("The conformance checks of a description")
struct DescriptionChecksTests {
    /// Returns the violations of a stage with these options.
    private func violations(
        name: String = "change",
        summary: String = "Changes.",
        _ options: any ConfigKeyDeclaration...
    ) async -> [String] {
        let plugin = StagePlugin(name: name, summary: summary, options: OptionSchema(options)) {
            _,
            _ in ScriptedStage(record: { _, _ in .keep })
        }
        return await Conformance.violations(of: plugin).map(\.description)
    }

    @Test("finds no violation in a complete description")
    func good() async {
        let nested = ConfigKey("size", .byteSize, default: 1, summary: "Size.", example: "1KiB")
        let found = await violations(
            ConfigKey("max_bytes", .byteSize, default: 65_536, summary: "How much."),
            ConfigKey("to", .optional(.text), default: nil, summary: "Where.", example: "a"),
            ConfigKey(
                "rotate",
                .object(OptionSchema(nested)),
                default: Options(OptionSchema(nested)),
                summary: "When."
            )
        )
        #expect(found == [])
    }

    @Test("finds bad names")
    func names() async {
        let wrong = await violations(
            name: "Change-It",
            summary: "",
            ConfigKey("maxBytes", .bool, default: true, summary: "How much."),
            ConfigKey("when", .bool, default: true, summary: "Whether."),
            ConfigKey("twice", .bool, default: true, summary: "Once."),
            ConfigKey("twice", .bool, default: true, summary: "Twice.")
        )
        #expect(
            wrong == [
                "description: the plugin's name 'Change-It' is not snake_case",
                "description: the plugin has no summary",
                "description: the option 'maxBytes' is not snake_case",
                "description: the option 'when' has the name of a key that all components share",
                "description: the option 'twice' is declared twice",
            ]
        )
    }

    @Test("finds options that are not described")
    func texts() async {
        let inner = ConfigKey("depth", .integer(in: 0...9), default: 1, summary: "")
        let found = await violations(
            ConfigKey("quiet", .bool, default: true, summary: ""),
            ConfigKey("to", .optional(.text), default: nil, summary: "Where."),
            ConfigKey(
                "count",
                .integer(in: 0...9),
                default: 1,
                summary: "How many.",
                example: "10"
            ),
            ConfigKey(
                "inner",
                .object(OptionSchema(inner)),
                default: Options(OptionSchema(inner)),
                summary: "More."
            )
        )
        #expect(found.count == 4)
        #expect(found.first == "description: the option 'quiet' has no summary")
        #expect(found.contains { $0.contains("'to' has neither an example nor a printable") })
        #expect(found.contains { $0.contains("'count' shows '10', which is refused: ") })
        #expect(found.last == "description: the option 'inner.depth' has no summary")
    }

    @Test("finds an option without a suggestion for a misspelling")
    func suggestions() async {
        let name = String(repeating: "very_", count: 14) + "long"
        let found = await violations(ConfigKey(name, .bool, default: true, summary: "Long."))
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("unknown option: ") == true)
    }

    @Test("finds files that building creates")
    func sideEffects() async {
        let plugin = StagePlugin(name: "change", summary: "Changes.", options: OptionSchema()) {
            _,
            context in
            _ = try? File("\(context.folder)/trace", for: .append)
            return ScriptedStage(record: { _, _ in .keep })
        }
        let found = await Conformance.violations(of: plugin).map(\.description)
        #expect(found == ["side effects of building: building creates, changes or removes 'trace'"])
    }

    @Test("finds a component that does not build")
    func doesNotBuild() async {
        let plugin = StagePlugin(name: "change", summary: "Changes.", options: OptionSchema()) {
            _,
            _ in nil
        }
        let found = await Conformance.violations(of: plugin)
        #expect(found.map(\.check) == [.builds])
        #expect(found.first?.text.contains("'change' could not be built") == true)
    }
}
