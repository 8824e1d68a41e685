// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSegments
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineRuntime

@Suite("A queue on disk")
struct DurableQueueTests {
    private let folder: TemporaryFolder
    private var options = QueueOptions()

    init() throws {
        folder = try TemporaryFolder()
        options.disk = folder("queue")
        options.segmentBytes = 8 << 10
    }

    private func run(
        _ numbers: Range<Int>,
        _ sink: any SinkFactory,
        drain: Int64 = 10_000_000,
        isLive: Bool = false,
        _ lines: Lines = Lines()
    ) async -> RunReport {
        let exchanges = Array(Exchange.examples(numbers.upperBound).dropFirst(numbers.lowerBound))
        let source = ScriptedSource(exchanges, batch: 10)
        let retry = RetryOptions(
            initial: Microseconds(100),
            maxInterval: Microseconds(1000),
            maxElapsed: Microseconds(1000)
        )
        let topology = Topology(
            sources: [Topology.Source(id: "scripted", source, isLive: isLive)],
            sinks: [Topology.Sink(id: "a", sink, queue: options, retry: retry)],
            drainTimeout: Microseconds(drain)
        )
        let log = Log(component: "") { lines.add($0.message) }
        let report = await Pipeline(topology, log: log) { Timestamp(microseconds: 0) }.run()
        #expect(report.isBalanced, "\(report)")
        return report
    }

    private func targets(_ numbers: Range<Int>) -> [String] { numbers.map { "/items/\($0)" } }

    private func targets(_ log: RecordingSink.Log) -> [String] {
        log.exchanges.map { "\($0.request.target)" }
    }

    @Test("hands over each record once, in order, and is empty then", arguments: [false, true])
    func passes(isLive: Bool) async throws {
        let sink = RecordingSink(batchLimit: 7)
        let report = await run(0..<500, sink, isLive: isLive)
        #expect(targets(sink.log) == targets(0..<500))
        #expect(report.isSuccess && report.sinks[0].counters.kept == 0)
        let calls = sink.log.calls
        #expect(calls.contains("sync"), "the folder forgets only what a crash cannot undo")
        #expect(zip(calls, calls.dropFirst()).allSatisfy { $1 != "sync" || $0 == "flush" })
        #expect(try SegmentFolder.segments(of: folder("queue")) == [])
    }

    @Test("keeps what a broken sink did not write; the next run writes it first, in order")
    func restart() async throws {
        let broken = BrokenSink()
        let first = await run(0..<300, broken, drain: 1000)
        #expect(first.sinks[0].counters.kept == 300)
        #expect(first.sinks[0].counters.errors == 0)
        #expect(first.failures.isEmpty, "nothing is lost: \(first.failures)")
        let lines = Lines()
        let sink = RecordingSink()
        let second = await run(300..<400, sink, lines)
        #expect(targets(sink.log) == targets(0..<400))
        #expect(second.sinks[0].counters.recovered == 300 && second.isSuccess)
        #expect(lines.all.contains { $0.hasPrefix("300 records of an earlier run") })
    }

    @Test("reads back what does not fit into memory while a sink fails")
    mutating func readsBack() async throws {
        options.maxExchanges = 50
        let sink = RecordingSink(batchLimit: 10)
        sink.log.fail(with: Array(repeating: SinkError(.passing, "busy"), count: 200))
        let report = await run(0..<2000, sink)
        #expect(targets(sink.log) == targets(0..<2000))
        #expect(report.isSuccess)
    }

    @Test("drops and counts the oldest records when it is full, if 'overflow' says so")
    mutating func dropsOldest() async throws {
        options.overflow = .dropOldest
        options.diskMaxBytes = 40 << 10
        let first = await run(0..<1000, BrokenSink(), drain: 1000)
        let kept = first.sinks[0].counters.kept
        let counters = first.sinks[0].counters
        #expect(kept + counters.dropped + counters.errors == 1000)
        #expect(1..<600 ~= kept)
        let sink = RecordingSink()
        _ = await run(1000..<1001, sink)
        #expect(targets(sink.log).suffix(20) == targets(981..<1001)[...])
        #expect(sink.log.records.count <= kept + 1)
    }

    @Test("opens the sink again after a failed flush, and it then has every record")
    func failedFlush() async throws {
        let sink = ForgetfulSink(flushesToFail: 3)
        let lines = Lines()
        let report = await run(0..<500, sink, lines)
        let counters = report.sinks[0].counters
        #expect(Set(sink.kept.withLock { $0 }) == Set(targets(0..<500)))
        #expect(sink.openings.withLock { $0 } == 4)
        #expect(counters.repeated > 0 && counters.written == 500 + counters.repeated)
        #expect(report.isSuccess, "\(report.failures)")
        #expect(lines.all.filter { $0.hasPrefix("opened again") }.count == 1)
        #expect(try SegmentFolder.segments(of: folder("queue")) == [])
    }

    @Test("leaves what a sink cannot flush to the next run")
    func flushFailsUntilTheEnd() async throws {
        let sink = ForgetfulSink(flushesToFail: .max)
        let first = await run(0..<50, sink, drain: 50_000)
        #expect(first.sinks[0].counters.kept == 50 && first.sinks[0].counters.errors == 0)
        let second = await run(50..<60, ForgetfulSink(flushesToFail: 0))
        #expect(second.sinks[0].counters.recovered == 50)
        #expect(second.isSuccess, "\(second)")
    }

    @Test(
        "gives a sink that writes lines those that were encoded for the disk",
        arguments: [true, false]
    )
    func keepsLines(writesLines: Bool) async throws {
        let sink = LineSink(writesLines: writesLines)
        let report = await run(0..<100, sink)
        #expect(report.isSuccess)
        #expect(sink.lines.withLock { $0 } == (writesLines ? targets(0..<100) : []))
        #expect(report.memory.held == 0, "the lines are released")
    }

    @Test("cannot be opened by a second pipeline")
    func locked() async throws {
        let log = SegmentLog(folder("queue"), SegmentLog.Limits())
        _ = try log.open()
        let report = await run(0..<1, RecordingSink())
        #expect(report.failures.count == 1)
        #expect(report.failures.first?.contains("is in use by another process") ?? false)
    }

    @Test("sets a record aside that the sink refuses as often as set, and stores the others")
    mutating func deadLetters() async throws {
        options.deadLetters = folder("refused.ndjson")
        options.maxRefusals = 3
        let sink = PickySink("/items/17")
        let report = await run(0..<40, sink)
        #expect(sink.written.withLock { $0 } == targets(0..<40).filter { $0 != "/items/17" })
        #expect(sink.refusals.withLock { $0 } == 3)
        #expect(report.sinks[0].counters.deadLetters == 1)
        #expect(report.isSuccess, "it is not lost")
        let lines = try folder.read("refused.ndjson").split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines[0].contains("/items/17"))
        #expect(lines[0].hasSuffix(#","dead_letter":{"sink":"a","reason":"too large"}}"#))
        #expect(try FileSystem.status(of: folder("refused.ndjson"))?.permissions == 0o600)
    }

    @Test("logs the number of records that are set aside when it reaches a power of two")
    mutating func deadLettersLog() async throws {
        options.deadLetters = folder("refused.ndjson")
        let lines = Lines()
        let report = await run(0..<22, PickySink(nil), lines)
        #expect(report.sinks[0].counters.deadLetters == 22)
        let expected = [
            "1 record refused", "2 records refused so far", "4 records refused so far",
            "8 records refused so far", "16 records refused so far",
        ]
        let found = lines.all.filter { $0.contains("refused") }
        #expect(found == expected.map { "\($0), each set aside: too large" })
    }

    @Test("sets a record aside on a line of its own after a line that a crash has cut off")
    mutating func deadLettersAfterCrash() async throws {
        options.deadLetters = try folder.write("{\"v\":1,\"id", to: "refused.ndjson")
        for _ in 0..<2 { _ = await run(0..<20, PickySink("/items/17")) }
        let lines = try folder.read("refused.ndjson").split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("{") && $0.contains("/items/17") })
    }

    @Test("keeps a refused record that cannot be set aside, and does so in the next run")
    mutating func deadLettersFail() async throws {
        options.deadLetters = folder("missing/refused.ndjson")
        let first = await run(0..<40, PickySink("/items/17"), drain: 50_000)
        #expect(first.sinks[0].counters.errors == 0 && first.sinks[0].counters.kept > 0)
        try FileSystem.makeFolder(folder("missing"))
        let second = await run(40..<41, PickySink("/items/17"))
        #expect(second.sinks[0].counters.deadLetters == 1 && second.isSuccess)
        #expect(try folder.read("missing/refused.ndjson").contains("/items/17"))
    }
}

/// The messages of a log.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// A sink that never writes.
private struct BrokenSink: SinkFactory {
    func open(_ context: SinkContext) throws -> any Sink { Opened() }

    private final class Opened: Sink {
        func write(_ batch: [Record]) throws -> WriteResult {
            throw SinkError(.passing, "locked")
        }
    }
}

/// A sink that refuses one record, alone or with others; `nil` for all.
private final class PickySink: SinkFactory {
    let target: String?
    let written = Mutex<[String]>([])
    /// How often it refused the record alone.
    let refusals = Mutex(0)

    init(_ target: String?) { self.target = target }

    func open(_ context: SinkContext) throws -> any Sink { Opened(self) }

    private final class Opened: Sink {
        private let owner: PickySink

        init(_ owner: PickySink) { self.owner = owner }

        func write(_ batch: [Record]) throws -> WriteResult {
            let targets = batch.map { "\($0.exchange.request.target)" }
            guard owner.target.map({ targets.contains($0) }) ?? true else {
                owner.written.withLock { $0 += targets }
                return .written
            }
            if batch.count == 1 { owner.refusals.withLock { $0 += 1 } }
            throw SinkError(.refused, "too large")
        }
    }
}

/// A sink that loses what was written since the last flush when a flush fails.
private final class ForgetfulSink: SinkFactory {
    let kept = Mutex<[String]>([])
    let openings = Mutex(0)
    private let toFail: Mutex<Int>

    init(flushesToFail: Int) { toFail = Mutex(flushesToFail) }

    func open(_ context: SinkContext) throws -> any Sink {
        openings.withLock { $0 += 1 }
        return Opened(self)
    }

    private final class Opened: Sink {
        private let owner: ForgetfulSink
        private var unflushed: [String] = []

        init(_ owner: ForgetfulSink) { self.owner = owner }

        func write(_ batch: [Record]) throws -> WriteResult {
            unflushed += batch.map { "\($0.exchange.request.target)" }
            return .written
        }

        func flush() throws {
            defer { unflushed = [] }
            let fails = owner.toFail.withLock { left in
                left -= 1
                return left >= 0
            }
            if fails { throw SinkError(.passing, "input/output error") }
            owner.kept.withLock { $0 += unflushed }
        }
    }
}

/// A sink that notes the targets in the lines of its records.
private final class LineSink: SinkFactory {
    let lines = Mutex<[String]>([])
    let writesLines: Bool

    init(writesLines: Bool) { self.writesLines = writesLines }

    func open(_ context: SinkContext) throws -> any Sink { Opened(self) }

    private final class Opened: Sink {
        private let owner: LineSink

        init(_ owner: LineSink) { self.owner = owner }

        func write(_ batch: [Record]) throws -> WriteResult {
            for record in batch {
                guard let line = record.encodedLine?.bytes else { continue }
                let target = "\(record.exchange.request.target)"
                let text = String(decoding: line, as: UTF8.self)
                if text.contains("\"\(target)\""), text.hasPrefix("{"), text.hasSuffix("}") {
                    owner.lines.withLock { $0.append(target) }
                }
            }
            return .written
        }
    }
}
