// SPDX-License-Identifier: MIT

import Dispatch
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

/// A source that submits its batches with tickets, in an order that a test chooses.
private struct Shuffled: Source {
    let order: [Int]
    let batch: Int

    func run(_ intake: any Intake) async throws {
        let lanes = [try intake.makeLane(), try intake.makeLane()]
        for (turn, ticket) in order.enumerated() {
            let lane = lanes[turn % 2]
            for number in 0..<batch {
                var exchange = Exchange.example(ticket * batch + number)
                exchange.source = intake.id
                lane.finish(exchange, ExchangeContext())
            }
            _ = lane.submit(ticket: UInt64(ticket)) {}
        }
        for lane in lanes { lane.close() }
    }
}

@Suite("Tickets")
struct OrderTests {
    @Test("bring batches to the sinks in order, whatever the order of submission")
    func ordered() async {
        var order = Array(0..<60)
        var generator = Random(seed: 35)
        order.shuffle(using: &generator)
        let sink = RecordingSink()
        let topology = Topology(
            sources: [Topology.Source(id: "s", Shuffled(order: order, batch: 9))],
            sinks: [Topology.Sink(id: "a", sink)]
        )
        let report = await Pipeline(topology) { Timestamp(microseconds: 0) }.run()
        #expect(
            sink.log.exchanges.map(\.request.target) == (0..<540).map { ByteString("/items/\($0)") }
        )
        #expect(report.isBalanced)
    }
}
