// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ReplaySource

@Suite("A replay")
struct ReplaySourceTests {
    @Test(
        "reads plain and compressed files alike",
        arguments: ["plain", "gzip", "zstd"],
        [1, 4]
    )
    func reads(coding: String, workers: Int) async throws {
        let folder = try TemporaryFolder()
        let bytes = lines(Exchange.examples(1000))
        try folder.write(
            coding == "plain" ? bytes : bytes.coded(coding == "gzip" ? .gzip : .zstd),
            to: "traffic"
        )
        let played = try await playRecording("{ path: traffic, workers: \(workers) }", in: folder)
        #expect(played.targets == (0..<1000).map { "/items/\($0)" })
        #expect(played.ids == Exchange.examples(1000).map(\.id.description))
        #expect(played.exchanges.allSatisfy { $0.source == "replay" })
        #expect(played.exchanges.allSatisfy { $0.tags["recorded_source"] == "example" })
        #expect(played.report.isSuccess)
        #expect(played.log == [])
    }

    @Test("keeps the order of 20,000 records with four workers")
    func keepsOrder() async throws {
        let folder = try TemporaryFolder()
        try folder.write(lines(Exchange.examples(20_000)), to: "traffic.ndjson")
        let played = try await playRecording("{ path: traffic.ndjson, workers: 4 }", in: folder)
        #expect(played.targets == (0..<20_000).map { "/items/\($0)" })
        let any = try await playRecording(
            "{ path: traffic.ndjson, workers: 4, order: any }",
            in: folder
        )
        #expect(any.targets.sorted() == played.targets.sorted())
    }

    @Test("derives the same ids in every run, and others in further passes")
    func ids() async throws {
        let folder = try TemporaryFolder()
        try folder.write((0..<500).map(bareLine).joined(), to: "traffic.ndjson")
        let first = try await playRecording("{ path: traffic.ndjson, workers: 3 }", in: folder)
        let second = try await playRecording(
            "{ path: traffic.ndjson, workers: 1, loop: 2 }",
            in: folder
        )
        #expect(Set(first.ids).count == 500)
        #expect(first.exchanges.allSatisfy { $0.id.isVersion7 })
        #expect(first.ids == first.ids.sorted())
        #expect(Array(second.ids.prefix(500)) == first.ids)
        #expect(Set(second.ids).count == 1000)
        let new = try await playRecording("{ path: traffic.ndjson, id: new }", in: folder)
        #expect(Set(new.ids).isDisjoint(with: first.ids))
        #expect(new.exchanges.map(\.started) == first.exchanges.map(\.started))
    }

    @Test("stops at the first broken record with any number of workers", arguments: [1, 4])
    func stopsAtBroken(workers: Int) async throws {
        let folder = try TemporaryFolder()
        let good = (0..<700).map(bareLine).joined()
        let text = good + "{\"v\":1,,}\n" + (700..<3000).map(bareLine).joined() + "nonsense\n"
        try folder.write(text, to: "traffic.ndjson")
        let played = try await playRecording(
            "{ path: traffic.ndjson, workers: \(workers) }",
            in: folder
        )
        #expect(!played.report.isSuccess)
        #expect(Array(played.targets.prefix(700)) == (0..<700).map { "/\($0)" })
        if workers == 1 { #expect(played.targets.count == 700) }
        let failure = try #require(played.report.failures.first)
        #expect(failure.contains("\(folder("traffic.ndjson")):701: "), "\(failure)")
        #expect(failure.contains("(byte \(good.utf8.count + 7))"), "\(failure)")
    }
}
