// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

@Suite("Record stages without a pipeline")
struct RecordStagesTests {
    private func stages(_ list: [ScriptedStage]) throws -> RecordStages {
        try RecordStages(
            list.enumerated().map { Topology.Stage(id: "\($0.offset)", $0.element) },
            seed: 1,
            clock: { Timestamp(microseconds: 1_000_000) }
        )
    }

    @Test("run the record hooks only, in order")
    func order() throws {
        let first = ScriptedStage(
            request: { exchange, _ in
                exchange.request.method = "PUT"
                return .proceed
            },
            record: { exchange, _ in
                exchange.tags["a"] = "1"
                return .keep
            }
        )
        let second = ScriptedStage(
            record: { exchange, _ in
                exchange.tags["b"] = exchange.tags["a"]
                return .keep
            }
        )
        let running = try stages([first, second])
        #expect(running.haveHooks)
        guard case .sealed(let record) = running.seal(Exchange.example(1)) else {
            Issue.record("not sealed")
            return
        }
        #expect(record.exchange.request.method == Exchange.example(1).request.method)
        #expect(record.exchange.tags == ["a": "1", "b": "1"])
        #expect(running.id(at: 1) == "1")
        running.stop()
    }

    @Test("drop what a stage drops, by its position")
    func drops() throws {
        let running = try stages([
            ScriptedStage(record: { _, _ in .keep }),
            ScriptedStage(record: { _, _ in .drop(reason: "not wanted") }),
        ])
        guard case .dropped(let position, let reason) = running.seal(Exchange.example(1)) else {
            Issue.record("not dropped")
            return
        }
        #expect(position == 1)
        #expect(reason == "not wanted")
    }
}
