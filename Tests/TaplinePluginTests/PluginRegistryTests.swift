// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import Testing

@Suite("The plugins of a program")
struct PluginRegistryTests {
    private struct Detectors: DetectorLibrary {
        let detectors: [DetectorDescription]

        init(_ name: String) {
            detectors = [DetectorDescription(name: name, group: "all", summary: "Finds nothing.")]
        }

        func build(
            _ choice: DetectorChoice,
            into diagnostics: inout Diagnostics
        ) -> (any DetectorSet)? { nil }
    }

    private func source(_ name: String, _ summary: String = "First.") -> SourcePlugin {
        SourcePlugin(name: name, summary: summary, options: OptionSchema()) { _, _ in nil }
    }

    private func stage(_ name: String, _ summary: String = "First.") -> StagePlugin {
        StagePlugin(name: name, summary: summary, options: OptionSchema()) { _, _ in nil }
    }

    private func sink(_ name: String, _ summary: String = "First.") -> SinkPlugin {
        SinkPlugin(name: name, summary: summary, options: OptionSchema()) { _, _ in nil }
    }

    @Test("are listed by kind, sources first")
    func all() {
        let registry = PluginRegistry(
            sources: [source("replay")],
            stages: [stage("lua"), stage("redact")],
            sinks: [sink("stdout")]
        )
        #expect(registry.all.map(\.name) == ["replay", "lua", "redact", "stdout"])
        #expect(registry.all.map(\.kind) == [.source, .stage, .stage, .sink])
    }

    @Test("are replaced only by others of the same kind and name")
    func adding() {
        let mine = PluginRegistry(
            sources: [source("a"), source("b")],
            stages: [stage("a")],
            sinks: [sink("a")]
        )
        let other = PluginRegistry(
            sources: [source("c", "Second."), source("a", "Second.")],
            sinks: [sink("d", "Second.")]
        )
        let both = mine.adding(other)
        #expect(both.sources.map(\.description.name) == ["b", "c", "a"])
        #expect(both.sources.map(\.description.summary) == ["First.", "Second.", "Second."])
        #expect(both.stages.map(\.description.summary) == ["First."])
        #expect(both.sinks.map(\.description.name) == ["a", "d"])
    }

    @Test("use the detectors of the last registry that has some")
    func detectors() {
        let first = PluginRegistry(detectors: Detectors("first"))
        let second = PluginRegistry(detectors: Detectors("second"))
        func name(_ registry: PluginRegistry) -> String? {
            registry.detectors?.detectors.first?.name
        }
        #expect(name(first.adding(PluginRegistry())) == "first")
        #expect(name(first.adding(second)) == "second")
        #expect(name(PluginRegistry().adding(second)) == "second")
    }
}
