// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("A watched pipeline file")
struct PipelineWatchTests {
    /// Counts the reloads, all of which fail.
    private final class Reloads: PipelineReloading {
        let count = Atomic<Int>(0)

        var reloads: ReloadHistory { ReloadHistory() }

        func reload(answered: @escaping @Sendable (ReloadOutcome) -> Void) {
            count.wrappingAdd(1, ordering: .relaxed)
            answered(.failed("no"))
        }
    }

    @Test("is reloaded after each change, also after a reload that failed")
    func changes() async throws {
        let folder = try TemporaryFolder()
        try folder.write("version: 1", to: "p.yaml")
        let pipeline = Pipeline(
            Topology(
                sources: [Topology.Source(id: "endless", EndlessSource())],
                sinks: [Topology.Sink(id: "sink", RecordingSink())]
            ),
            now: { Timestamp(microseconds: 0) }
        )
        let reloads = Reloads()
        let watch = try PipelineWatch.start(
            folder("p.yaml"),
            pipeline,
            reloads,
            every: .milliseconds(5)
        )
        #expect(reloads.count.load(ordering: .relaxed) == 0)
        for number in 1...2 {
            let before = reloads.count.load(ordering: .relaxed)
            try folder.write("version: 1 # \(String(repeating: "x", count: number))", to: "p.yaml")
            await wait(for: "reload \(number)") {
                reloads.count.load(ordering: .relaxed) > before
            }
        }
        watch.stop()
    }
}
