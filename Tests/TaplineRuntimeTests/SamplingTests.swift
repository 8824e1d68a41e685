// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineRuntime

@Suite("Sampling")
struct SamplingTests {
    private static func exchange(_ number: Int, trace: String? = nil) -> Exchange {
        var exchange = Exchange(id: ExchangeID(high: 0x7000, low: UInt64(number)))
        exchange.request = Request(target: "/", scheme: "http", authority: "a.test")
        exchange.response = Response(status: 200)
        if let trace {
            exchange.request.fields.append(
                name: "traceparent",
                value: "00-\(trace)-00f067aa0ba902b7-01"
            )
        }
        return exchange
    }

    /// What becomes of 100,000 exchanges whose ids follow each other.
    private func decisions(
        _ sampling: Sampling,
        _ shedding: SheddingState = .none
    ) -> [RecordingDecision] {
        (0..<100_000).map { number in
            let id = ExchangeID(high: 0x7000, low: UInt64(number))
            return sampling.decision(Sampling.number(of: id), shedding)
        }
    }

    @Test(
        "records the share that is asked for",
        arguments: [0, 1000, 5000, 100_000, 500_000, 1_000_000]
    )
    func share(millionths: Int) {
        let count = decisions(Sampling(millionths: millionths)).count { $0 == .recorded }
        let share = Double(millionths) / 1_000_000
        // Five standard deviations.
        let tolerance = 5 * (100_000 * share * (1 - share)).squareRoot()
        #expect(abs(Double(count) - 100_000 * share) <= tolerance)
    }

    @Test("chooses a part of what a larger share chooses, also while recording is shed")
    func nesting() {
        let large = decisions(Sampling(millionths: 200_000))
        let small = decisions(Sampling(millionths: 100_000))
        let half = SheddingState(kept: 1 << 15, cause: .processor)
        let shed = decisions(Sampling(millionths: 200_000), half)
        for index in large.indices {
            #expect(small[index] != .recorded || large[index] == .recorded)
            #expect((shed[index] == .recorded) == (small[index] == .recorded))
            #expect((shed[index] == .sampledOut) == (large[index] == .sampledOut))
        }
        #expect(shed.contains(.shedProcessor))
    }

    @Test(
        "compares the lower 56 bits of the trace id with the threshold, as tracing tools do",
        arguments: [
            ("4bf92f3577b34da6a3ce929d0e0e4736", false),
            // 10 % are the numbers from e6666666666667 on.
            ("000000000000000000e6666666666667", true),
            ("ffffffffffffffffffe6666666666666", false),
            ("000000000000000001ffffffffffffff", true),
            ("ffffffffffffffffff00000000000000", false),
        ]
    )
    func trace(_ trace: String, isRecorded: Bool) {
        let numbers = (1...50).map { Sampling.number(of: Self.exchange($0, trace: trace)) }
        #expect(Set(numbers).count == 1)
        let decision = Sampling(millionths: 100_000).decision(numbers[0], .none)
        #expect(decision == (isRecorded ? .recorded : .sampledOut))
    }

    @Test(
        "uses the id of the exchange if the trace id is invalid",
        arguments: ["00000000000000000000000000000000", "4bf92f3577b34da6a3ce929d0e0e473g", "4bf9"]
    )
    func invalid(trace: String) {
        let exchange = Self.exchange(1, trace: trace)
        #expect(Sampling.number(of: exchange) == Sampling.number(of: exchange.id))
    }

    @Test(
        "leaves wire hooks alone, and is counted, for recordings and live sources",
        arguments: [false, true]
    )
    func pipeline(isLive: Bool) async {
        let hooks = Counter()
        let sink = RecordingSink(wantsActive: true)
        let stage = ScriptedStage(
            request: { _, _ in
                hooks.add()
                return .proceed
            },
            record: { _, _ in .keep }
        )
        let topology = Topology(
            sources: [
                Topology.Source(
                    id: "s",
                    ScriptedSource((1...1000).map { Self.exchange($0) }, isLive: isLive),
                    sampling: Sampling(millionths: 100_000),
                    isLive: isLive
                )
            ],
            stages: [Topology.Stage(id: "wire", stage)],
            sinks: [Topology.Sink(id: "kept", sink)]
        )
        let report = await Pipeline(topology) { Timestamp(microseconds: 0) }.run()
        let counters = report.sources[0].counters
        #expect(hooks.count == 1000)
        #expect(counters.received == 1000 && counters.sampledOut == 1000 - sink.log.records.count)
        #expect((50...150).contains(counters.sent) && counters.sent == sink.log.records.count)
        #expect(report.isBalanced && report.isSuccess)
        #expect(sink.log.opened.count == (isLive ? counters.sent : 0))
    }
}
