// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing

@Suite("A plugin harness")
struct PluginHarnessTests {
    private let failing = StagePlugin(name: "fail", summary: "Fails.", options: OptionSchema()) {
        _,
        _ in nil
    }

    @Test("returns the records that leave a stage")
    func stage() async throws {
        let plugin = StagePlugin(name: "tag", summary: "Tags.", options: OptionSchema()) { _, _ in
            ScriptedStage(record: { exchange, _ in
                exchange.tags["seen"] = "yes"
                return exchange.request.target == "/items/1" ? .drop(reason: "one") : .keep
            })
        }
        let records = try await PluginHarness.records(of: Exchange.examples(3), through: plugin)
        #expect(records.map(\.request.target) == ["/items/0", "/items/2"])
        #expect(records.allSatisfy { $0.tags["seen"] == "yes" })
    }

    @Test("returns the exchanges that a source captures")
    func source() async throws {
        let plugin = SourcePlugin(name: "script", summary: "Reads.", options: OptionSchema()) {
            _,
            _ in ScriptedSource(Exchange.examples(3))
        }
        #expect(try await PluginHarness.records(from: plugin).count == 3)
    }

    @Test("reports why there is no result")
    func doesNotBuild() async {
        let error = await #expect(throws: PluginHarnessError.self) {
            try await PluginHarness.records(of: [], through: failing)
        }
        #expect(error?.description.contains("'fail' could not be built") == true)
    }
}
