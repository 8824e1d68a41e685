// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime

extension Parts {
    /// Two stages with all hooks, which change nothing, without and with provenance.
    func runProvenance(_ row: (PartResult?) -> Void) {
        for recordsProvenance in [false, true] {
            let runner: StageRunner
            do {
                runner = try StageRunner(
                    ["a", "b"].map { Topology.Stage(id: $0, IdleFactory()) },
                    clock: { Timestamp(microseconds: 0) },
                    recordsProvenance: recordsProvenance
                )
            } catch { fail("no stages: \(error)") }
            let name = "two idle stages, six hooks" + (recordsProvenance ? ", provenance" : "")
            row(measure(name) { _ = runner.run(exchanges[$0]) })
            runner.stop()
        }
    }
}

private struct IdleFactory: StageFactory {
    let hooks: Hooks = [.request, .response, .record]

    func makeStage(_ context: StageContext) throws -> any Stage { Idle() }
}

private final class Idle: WireStage, RecordStage {
    func record(_: inout Exchange, _: inout ExchangeContext) throws -> RecordVerdict { .keep }
}
