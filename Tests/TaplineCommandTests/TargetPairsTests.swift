// SPDX-License-Identifier: MIT

import TaplineMatching
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing

@testable import TaplineCommand

/// Pairs of what two servers answered to the same recording.
@Suite struct TargetPairsTests {
    private static let large = Array(repeating: "x", count: 5000).joined()

    /// An answer of a server to the recorded exchange with a number.
    private func answer(_ number: Int, from source: String, _ body: String) throws -> Record {
        var exchange = Exchange.example(100 + number, body: body)
        exchange.source = source
        var extra = ExchangeExtra()
        extra.replay = ReplayFacts(of: Exchange.example(number).id)
        exchange.extra = extra
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(exchange) else { throw CancellationError() }
        return record
    }

    private func compare(
        _ answers: [(number: Int, source: String, body: String)],
        _ pairs: TargetPairs = TargetPairs(base: "old")
    ) throws -> (report: ComparisonReport, warnings: [String]) {
        var pairs = pairs
        var consumer = PairConsumer(ComparisonOptions(), Cleaning(RecordChain()), learns: false)
        for (number, source, body) in answers {
            try pairs.add(try answer(number, from: source, body), to: &consumer)
        }
        pairs.finish(to: &consumer)
        return (consumer.comparison.report, pairs.warnings)
    }

    @Test(
        "the first server is compared with, whichever answers first, in memory and on disk",
        arguments: [1 << 20, 0]
    )
    func orders(maxMemory: Int) throws {
        let (report, warnings) = try compare(
            [
                (1, "old", "{\"a\":1}"), (2, "new", "{\"a\":\"\(Self.large)2\"}"),
                (1, "new", "{\"a\":2}"), (2, "old", "{\"a\":\"\(Self.large)1\"}"),
            ],
            TargetPairs(base: "old", maxMemory: maxMemory)
        )
        #expect(report.pairs == 2 && report.differing == 2 && warnings.isEmpty)
        let examples = report.routes.flatMap(\.parts).flatMap(\.examples)
        #expect(examples.contains { $0.recorded == "1" && $0.found == "2" }, "\(examples)")
    }

    @Test("the report as JSON counts the routes and parts that exceed its limits")
    func limitedJSON() throws {
        let (report, _) = try compare([
            (1, "old", "{\"a\":1,\"b\":1}"), (1, "new", "{\"a\":2,\"b\":2}"),
        ])
        func text(_ maxRoutes: Int, _ maxParts: Int) -> String {
            let bytes = ComparisonJSON.bytes(report, maxRoutes: maxRoutes, maxParts: maxParts)
            return String(decoding: bytes, as: UTF8.self)
        }
        let parts = try #require(report.routes.first?.parts.count)
        #expect(parts > 1)
        #expect(text(1, 1).contains("\"more_parts\":\(parts - 1)"))
        #expect(text(0, 1).contains("\"routes\":[],\"more_routes\":1"))
        #expect(!text(1, parts).contains("more_"))
    }

    @Test("answers to the same request belong together in their order")
    func repeats() throws {
        let (report, _) = try compare(
            [(1, "old", "a"), (1, "old", "b"), (1, "new", "a"), (1, "new", "b")],
            TargetPairs(base: "old", maxMemory: 0)
        )
        #expect(report.pairs == 2 && report.differing == 0)
    }

    @Test("what waits on disk takes little memory")
    func size() { #expect(MemoryLayout<TargetPairs.Held>.size <= 32) }

    @Test("what only one server has is counted")
    func alone() throws {
        let (report, warnings) = try compare([(1, "old", "a"), (2, "old", "a"), (3, "new", "a")])
        #expect(report.pairs == 0)
        #expect(
            warnings == [
                "2 exchanges not compared, since only the server of '--to' has it",
                "1 exchange not compared, since only the server of '--and' has it",
            ]
        )
    }

    @Test("what exceeds memory and disk is counted, and the next pair is the right one")
    func limits() throws {
        let (report, warnings) = try compare(
            [(1, "old", "a"), (1, "old", "b"), (2, "old", "a"), (2, "new", "b"), (1, "new", "a")],
            TargetPairs(base: "old", maxMemory: 0, maxFile: 1)
        )
        // The first record exceeds the file, which is noticed with the second one.
        #expect(report.pairs == 1 && report.differing == 0)
        #expect(
            warnings == [
                "1 exchange not compared, since only the server of '--to' has it",
                "1 pair not compared, since one server answered too long after the other",
            ]
        )
    }
}
