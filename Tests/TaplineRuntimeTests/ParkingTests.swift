// SPDX-License-Identifier: MIT

import Dispatch
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

/// A recording that submits one record with a ticket, and ends when it is delivered.
private struct Ticketed: Source {
    let isDelivered: @Sendable () -> Bool

    func run(_ intake: any Intake) async throws {
        let lane = try intake.makeLane()
        var exchange = Exchange.example(1)
        exchange.source = intake.id
        lane.finish(exchange, ExchangeContext())
        _ = lane.submit(ticket: 0) {}
        await wait(for: "the record of the ticket", within: .seconds(10)) { isDelivered() }
        lane.close()
    }
}

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

    @Test("a batch with a ticket is delivered when its verdicts are known, without a further one")
    func ticket() async throws {
        let late = ScriptedStage(record: { _, _ in
            let pending = PendingVerdict()
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) {
                pending.settle(.verdict(.keep))
            }
            return .pending(pending)
        })
        let sink = RecordingSink()
        let source = Ticketed { sink.log.records.count == 1 }
        let topology = Topology(
            sources: [Topology.Source(id: "in", source)],
            stages: [Topology.Stage(id: "late", late)],
            sinks: [Topology.Sink(id: "out", sink)]
        )
        let report = await Pipeline(topology, now: { Timestamp(microseconds: 0) }).run()
        #expect(report.isBalanced && report.isSuccess)
    }

    @Test("a verdict is given once; its waiters are notified, whether they ask before or after")
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
