// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Synchronization
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import SummarySink

@Suite struct SummaryTests {
    private struct Line: Decodable, Equatable {
        let from: String
        let to: String
        let host: String
        let path: String
        let requests: Int
        let responses: Int
        let errors: Int
        let bytes_up: Int
        let bytes_down: Int
        let p50_ms: Double?
        let max_ms: Double?
    }

    private let folder: TemporaryFolder
    private var path: String { folder("sums.ndjson") }

    init() throws { folder = try TemporaryFolder() }

    private func sink(every: Microseconds = Microseconds(3_600_000_000)) throws -> any Sink {
        let context = SinkContext(id: "summary") { Timestamp(microseconds: WallClock.microseconds) }
        return try SummaryFactory(path: path, every: every).open(context)
    }

    private func record(
        _ url: String,
        _ milliseconds: Int64 = 10,
        failed: Bool = false
    ) throws -> Record {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 0), response: Response())
        exchange.request.setURL(ByteString(url).span)
        exchange.timing.total = Microseconds(milliseconds * 1000)
        exchange.bytes = ByteCounts(up: .init(line: 1, headers: 2, body: 3), down: .init(body: 100))
        if failed {
            exchange.state = .failed
            exchange.response = nil
        }
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(exchange) else {
            throw CocoaError(.featureUnsupported)
        }
        return record
    }

    private func lines() throws -> [Line] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    @Test func rowsAreAggregatedAndReset() throws {
        let sink = try sink()
        let urls = [
            "http://Shop.test/users/1?a=b", "http://shop.test/users/2", "http://other.test/",
        ]
        _ = try sink.write(urls.map { try record($0) } + [record(urls[0], failed: true)])
        #expect(try lines().isEmpty)
        try sink.flush()
        let first = try lines()
        #expect(first.map(\.host) == ["shop.test", "other.test"])
        #expect(first.map(\.path) == ["/users/{id}", "/"])
        #expect(first.map(\.requests) == [3, 1] && first.map(\.responses) == [2, 1])
        #expect(first.map(\.errors) == [1, 0])
        #expect(first.map(\.bytes_up) == [18, 6] && first.map(\.bytes_down) == [300, 100])
        #expect(first.allSatisfy { $0.max_ms == 10 && $0.from <= $0.to })
        try sink.flush()
        #expect(try lines().count == 2)
        _ = try sink.write([record("http://shop.test/users/3", failed: true)])
        try sink.close()
        let last = try #require(try lines().last)
        #expect(last.requests == 1 && last.errors == 1 && last.p50_ms == nil)
        #expect(try lines().count == 3 && last.from >= first[0].to)
    }

    /// The sums are written even if no further exchange arrives.
    @Test func sumsAreWrittenOnTime() throws {
        let sink = try sink(every: Microseconds(100_000))
        _ = try sink.write([record("http://shop.test/")])
        try blockingWait(for: "the first sums") { try !lines().isEmpty }
        _ = try sink.write([record("http://shop.test/"), record("http://shop.test/")])
        try blockingWait(for: "the second sums") { try lines().count >= 2 }
        #expect(try lines().map(\.requests).reduce(0, +) == 3)
        try sink.close()
    }

    /// Each interval begins at the end of the previous one, even if that had no exchanges.
    @Test func linesStateTheirInterval() throws {
        let seconds = Atomic<Int64>(0)
        let context = SinkContext(id: "summary") {
            Timestamp(microseconds: seconds.load(ordering: .relaxed) * 1_000_000)
        }
        let hour = Microseconds(3_600_000_000)
        let sink = try SummaryFactory(path: path, every: hour).open(context)
        for (second, comes) in [(2, true), (5, true), (7, false), (9, true)] {
            if comes { _ = try sink.write([record("http://shop.test/")]) }
            seconds.store(Int64(second), ordering: .relaxed)
            try sink.flush()
        }
        try sink.close()
        let times = try lines().map {
            "\($0.from.dropFirst(17).prefix(2))-\($0.to.dropFirst(17).prefix(2))"
        }
        #expect(times == ["00-02", "02-05", "07-09"])
    }

    @Test func failureOfAScheduledWriteIsLoggedOnce() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
        let tries = Atomic(0)
        let warnings = Mutex<[String]>([])
        let log = Log(component: "summary") { entry in
            warnings.withLock { $0.append(entry.message) }
        }
        let context = SinkContext(id: "summary", log: log) {
            tries.wrappingAdd(1, ordering: .relaxed)
            return Timestamp(microseconds: 0)
        }
        let sink = try SummaryFactory(path: path, every: Microseconds(100_000)).open(context)
        _ = try sink.write([record("http://shop.test/")])
        // The last attempt may not have ended.
        blockingWait(for: "five attempts") { tries.load(ordering: .relaxed) >= 5 }
        #expect(warnings.withLock { $0.count } == 1)
        #expect(warnings.withLock { $0.first?.hasPrefix("write failed, trying again: ") == true })
        #expect(throws: SinkError.self) { try sink.close() }
    }

    @Test func failedWriteIsRetried() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
        let sink = try sink()
        _ = try sink.write([record("http://shop.test/a")])
        #expect(throws: SinkError.self) { try sink.flush() }
        // Pending sums are written before new records are added.
        #expect(throws: SinkError.self) { _ = try sink.write([record("http://shop.test/b")]) }
        try FileManager.default.removeItem(atPath: path)
        try sink.reopen()
        _ = try sink.write([record("http://shop.test/b")])
        #expect(try lines().map(\.path) == ["/a"])
        // Then new records wait for the next interval again.
        _ = try sink.write([record("http://shop.test/c")])
        #expect(try lines().map(\.path) == ["/a"])
        try sink.close()
        #expect(try lines().map(\.path).sorted() == ["/a", "/b", "/c"])
    }

    /// The file size limit of the process simulates a full disk; it is far above what any other test
    /// writes.
    @Test func linesThatDoNotFitAreRemoved() throws {
        let limit = 3 << 30
        signal(SIGXFSZ, SIG_IGN)
        var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: .max)
        let isSet = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
        try #require(isSet == 0)
        let file = try File(path, for: .append)
        try file.truncate(to: limit - 300)
        let sink = try sink()
        _ = try sink.write(["a", "b", "c"].map { try record("http://shop.test/\($0)") })
        #expect(throws: SinkError.self) { try sink.flush() }
        #expect(try file.status().size == Int64(limit - 300))
        try file.truncate(to: 0)
        try sink.close()
        #expect(try lines().map(\.path).sorted() == ["/a", "/b", "/c"])
    }

    @Test(arguments: [
        "path: '-'", "{ path: out, every: 10ms }", "every: 1m", "{ path: out, every: 1 }",
    ])
    func invalidOptionsAreRejected(options: String) throws {
        var diagnostics = Diagnostics()
        let root = ConfigReader().read(Array(options.utf8), name: "o.yaml", into: &diagnostics)
        let decoded = SinkPlugin.summary.description.options.decode(
            try #require(root),
            owner: "summary",
            into: &diagnostics,
            environment: Environment()
        )
        var context = BuildContext(id: "summary")
        let factory = decoded.flatMap { SinkPlugin.summary.build($0, &context) }
        #expect(factory == nil)
        #expect(diagnostics.hasErrors || context.diagnostics.hasErrors)
    }
}

@Suite("The conformance of the sink summary")
struct SummaryConformanceTests {
    @Test func conforms() async {
        let violations = await Conformance.violations(
            of: .summary,
            options: "{ path: out.ndjson, every: 100ms }",
            settings: ConformanceSettings(failing: ["path: no/out.ndjson"])
        )
        #expect(violations == [])
    }
}
