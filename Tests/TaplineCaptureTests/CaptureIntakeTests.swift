// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing
import URLProtocolSource

@testable import TaplineCapture

/// The path of exchanges through an intake, from an app to the sinks.
@Suite struct CaptureIntakeTests {
    private let source = CaptureSource(capturesShared: true)
    private let sink = RecordingSink.Log()

    private func pipeline(
        queue: QueueOptions = QueueOptions(),
        wantsActive: Bool = false
    ) -> Pipeline {
        let recording = RecordingSink(sink, wantsActive: wantsActive)
        return Pipeline(
            Topology(
                sources: [Topology.Source(id: "app", source)],
                sinks: [Topology.Sink(id: "sink", recording, queue: queue)]
            ),
            now: { Timestamp(microseconds: 0) }
        )
    }

    /// Runs the pipeline, and stops it when the work on its port is done.
    private func run(
        _ pipeline: Pipeline,
        _ work: @escaping @Sendable (CaptureIntake) async -> Void
    ) async -> RunReport {
        let (ports, opened) = AsyncStream.makeStream(of: CaptureIntake.self)
        source.attach { opened.yield($0) }
        async let report = pipeline.run()
        for await port in ports {
            await work(port)
            break
        }
        pipeline.stop()
        return await report
    }

    @Test func anExchangeEndsOnce() async throws {
        let report = await run(pipeline()) { port in
            let exchange = port.begin(Request(target: "/one"))
            exchange?.received(Response(status: 201))
            exchange?.received(Array("body".utf8).span)
            exchange?.completed()
            exchange?.failed(ExchangeError(code: "late"))
            exchange?.received(Array("late".utf8).span)
            exchange?.cancelled()
        }
        #expect(report.isSuccess && report.isBalanced)
        let exchange = try #require(sink.exchanges.first)
        #expect(sink.exchanges.count == 1)
        #expect(exchange.state == .completed && exchange.error == nil)
        #expect(exchange.source == "app")
        #expect(exchange.response?.body.bytes == Array("body".utf8))
        #expect(exchange.timing.total?.count ?? 0 > 0)
    }

    @Test(arguments: [1, 3, 100]) func eventsAreMessages(count: Int) async throws {
        let text = Array(": a\nid: 1\nevent: x\ndata: one\n\ndata: two\n\ndata: cut".utf8)
        let report = await run(pipeline()) { port in
            let exchange = port.begin(Request(target: "/events"))
            exchange?.received(
                Response(fields: ["Content-Type": "Text/Event-Stream; charset=utf-8"])
            )
            for start in stride(from: 0, to: text.count, by: count) {
                exchange?.received(text.span.extracting(start..<min(start + count, text.count)))
            }
            exchange?.completed()
        }
        #expect(report.isBalanced)
        let exchange = try #require(sink.exchanges.first)
        #expect(
            exchange.messages.map { "\($0.event) \($0.eventID) \($0.size ?? 0) \($0.bytes.count)" }
                == ["x 1 30 3", " 1 11 3"]
        )
        #expect(exchange.messages.allSatisfy { $0.isEvent && $0.direction == .down })
        #expect(exchange.timing.firstEvent == exchange.messages.first?.at)
        #expect(exchange.response?.body.bytes == text)
    }

    @Test func unfinishedExchangesEndWithThePipeline() async {
        let report = await run(pipeline()) { _ = $0.begin(Request(target: "/one")) }
        #expect(report.isBalanced)
        #expect(sink.exchanges.map(\.state) == [.cancelled])
        #expect(sink.exchanges.first?.error?.code == "stopped")
    }

    @Test func noExchangeBeginsAfterTheEnd() async {
        let kept = Mutex<CaptureIntake?>(nil)
        let shared = Box(kept)
        _ = await run(pipeline()) { port in shared.value.withLock { $0 = port } }
        let port = shared.value.withLock { $0 }
        #expect(port != nil)
        #expect(port?.begin(Request()) == nil)
    }

    /// Exchanges that end while the pipeline stops are recorded or counted as dropped, like all
    /// others.
    @Test(arguments: 1...100) func nothingIsLostDuringTheStop(round: Int) async {
        let begun = Atomic<Int>(0)
        let threads = DispatchGroup()
        let report = await run(pipeline()) { port in
            for _ in 0..<4 {
                threads.enter()
                let thread = try? DedicatedThread.start {
                    while let exchange = port.begin(Request()) {
                        begun.add(1, ordering: .relaxed)
                        exchange.completed()
                        // Limits how many exchanges end during the stop.
                        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(10))
                    }
                    threads.leave()
                }
                if thread == nil { threads.leave() }
            }
            await wait(for: "the requests of round \(round)") {
                begun.load(ordering: .relaxed) >= 10 + round
            }
        }
        await withCheckedContinuation { done in
            threads.notify(queue: .global()) { done.resume() }
        }
        #expect(report.isBalanced)
        let counters = report.sources.first?.counters
        let count = begun.load(ordering: .relaxed)
        #expect(counters?.received == count)
        #expect(sink.exchanges.count + (counters?.dropped ?? 0) == count)
    }

    /// Full sinks do not delay the app: exchanges that end meanwhile are dropped and counted.
    @Test func anAppDoesNotWaitForSinks() async {
        let log = sink
        log.fail(with: Array(repeating: SinkError(.passing, "not now"), count: 3))
        let queue = QueueOptions(maxExchanges: 64)
        let report = await run(pipeline(queue: queue, wantsActive: true)) { port in
            for _ in 0..<20_000 { port.begin(Request())?.completed() }
        }
        // Dropped exchanges have ended as well; the sink need not be notified of the beginning of
        // those.
        #expect(!log.opened.isEmpty)
        #expect(Set(log.ended) == Set(log.opened.map(\.id)))
        #expect(report.isBalanced)
        let counters = report.sources.first?.counters
        #expect(counters?.received == 20_000)
        #expect(counters?.dropped ?? 0 > 0)
        #expect(sink.exchanges.count == counters?.sent)
    }
}

private final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}
