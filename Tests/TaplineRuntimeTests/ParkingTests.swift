// SPDX-License-Identifier: MIT

import Dispatch
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

@Suite("Record hooks that answer later")
struct ParkingTests {
    /// Answers in another order, on other threads.
    private static let late = ScriptedStage(record: { exchange, _ in
        let pending = PendingVerdict()
        var changed = exchange
        changed.tags["late"] = "yes"
        let number = exchange.id.bytes.last.map(Int.init) ?? 0
        let answer: PendingVerdict.Answer =
            number % 5 == 0 ? .verdict(.drop(reason: "fifth")) : .replace(changed)
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(number % 7 * 100)) {
            pending.settle(answer)
        }
        return .pending(pending)
    })

    @Test("records keep their order and pass the later stages, and the counters balance")
    func order() async throws {
        let exchanges = (0..<200).map { Exchange.example($0) }
        let after = ScriptedStage(record: { exchange, _ in
            exchange.tags["after"] = exchange.tags["late"]
            return .keep
        })
        let sink = RecordingSink()
        let topology = Topology(
            sources: [Topology.Source(id: "in", ScriptedSource(exchanges))],
            stages: [
                Topology.Stage(id: "late", Self.late), Topology.Stage(id: "after", after),
                Topology.Stage(id: "again", Self.late),
            ],
            sinks: [Topology.Sink(id: "out", sink)]
        )
        let report = await Pipeline(topology, now: { Timestamp(microseconds: 0) }).run()
        let kept = exchanges.filter { ($0.id.bytes.last.map(Int.init) ?? 0) % 5 != 0 }
        #expect(sink.log.exchanges.map(\.id) == kept.map(\.id))
        #expect(sink.log.exchanges.allSatisfy { $0.tags["after"] == "yes" })
        #expect(report.isBalanced && report.stages[0].counters.dropped == 200 - kept.count)
    }

    @Test("a verdict is given once, and notifies whoever asks before or after")
    func verdict() {
        let pending = PendingVerdict()
        #expect(pending.answer == nil)
        let done = DispatchSemaphore(value: 0)
        pending.whenSettled { done.signal() }
        pending.settle(.verdict(.drop(reason: "first")))
        pending.settle(.verdict(.keep))
        #expect(done.wait(timeout: .now() + 5) == .success)
        pending.whenSettled { done.signal() }
        #expect(done.wait(timeout: .now() + 5) == .success)
        guard case .verdict(let verdict) = pending.wait() else {
            Issue.record("there is no verdict")
            return
        }
        #expect(verdict.dropReason == "first")
    }
}
