// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import ReplaySource

@Suite("A replay of databases")
struct StoreReplayTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func items(_ numbers: some Sequence<Int>) -> [String] { numbers.map { "/items/\($0)" } }

    private func name(_ number: Int) -> String { "(exchange \(Exchange.example(number).id))" }

    @Test("is ordered by start time, then by id, with everything", arguments: [1, 3])
    func order(workers: Int) async throws {
        let exchanges = StoredTraffic.exchanges(1000)
        try StoredTraffic.write(exchanges.reversed(), to: path)
        try folder.write(lines(exchanges), to: "traffic.ndjson")
        let stored = try await playRecording(
            "{ path: traffic.db, workers: \(workers) }",
            in: folder
        )
        let recorded = try await playRecording("{ path: traffic.ndjson }", in: folder)
        #expect(stored.exchanges == recorded.exchanges)
        #expect(stored.report.isSuccess && stored.log.isEmpty, "\(stored.log)")
        let source = try #require(stored.report.sources.first)
        #expect(source.done == source.whole && source.counters.rejected == 0)
    }

    @Test("merges databases that follow each other, among other recordings")
    func several() async throws {
        let exchanges = StoredTraffic.exchanges(40)
        // A sink that is open has further files, which the pattern also matches.
        let sink = try StoredTraffic.open(folder("b.db"))
        try StoredTraffic.write((0..<20).filter { $0 % 3 == 1 }.map { exchanges[$0] }, to: sink)
        try StoredTraffic.write(
            (0..<20).filter { $0 % 3 != 1 }.map { exchanges[$0] },
            to: folder("a.db")
        )
        try folder.write(lines(Array(exchanges[20..<30])), to: "c.ndjson")
        try StoredTraffic.write(Array(exchanges[30...]), to: folder("d.db"))
        let played = try await playRecording("{ path: ['?.db*', c.ndjson, d.db] }", in: folder)
        #expect(played.targets == items(Array(0..<20) + Array(30..<40) + Array(20..<40)))
        let listed = try await playRecording("{ path: [a.db, b.db, '?.ndjson', d.db] }", in: folder)
        #expect(listed.targets == items(0..<40))
        try sink.close()
    }

    @Test("reads what was there before the run, and warns about changes")
    func snapshot() async throws {
        let sink = try StoredTraffic.open(path)
        try StoredTraffic.write(StoredTraffic.exchanges(20), to: sink)
        let played = try await playRecording(
            "{ path: traffic.db, workers: 1 }",
            in: folder,
            change: {
                try StoredTraffic.write([Exchange.example(20), Exchange.example(21)], to: sink)
                try StoredTraffic.change(path, "DELETE FROM exchanges WHERE seq <= 2")
            }
        )
        #expect(played.targets == items(2..<20))
        let growth = "grew by 2 exchanges while it was read; these were not read"
        #expect(played.log == ["warning: '\(path)' \(growth)"])
        try sink.close()
    }

    @Test("warns if exchanges are removed during the run")
    func removed() async throws {
        try StoredTraffic.write(StoredTraffic.exchanges(8), to: path)
        let path = path
        let stage = ScriptedStage(request: { _, _ in
            try StoredTraffic.change(path, "DELETE FROM exchanges WHERE seq > 6")
            return .proceed
        })
        let played = try await playRecording(
            "{ path: traffic.db, workers: 1 }",
            in: folder,
            stages: [Topology.Stage(id: "script", stage)]
        )
        #expect(played.targets == items(0..<6))
        #expect(played.log.count == 2)
        let id = Exchange.example(6).id
        #expect(
            played.log.first
                == "warning: '\(path)': exchange \(id) was removed while the recording was read"
        )
    }

    @Test("ends after the configured passes and records, with derived ids")
    func loopAndLimit() async throws {
        try StoredTraffic.write(StoredTraffic.exchanges(10), to: path)
        let options = "{ path: traffic.db, loop: 3, limit: 25, workers: 2 }"
        let first = try await playRecording(options, in: folder)
        let second = try await playRecording(options, in: folder)
        #expect(first.targets == items(Array(0..<10) + Array(0..<10) + Array(0..<5)))
        #expect(first.ids == second.ids && Set(first.ids).count == 25)
        #expect(first.exchanges.prefix(10).map(\.id) == (0..<10).map { Exchange.example($0).id })
        let new = try await playRecording("{ path: traffic.db, id: new }", in: folder)
        #expect(Set(new.ids).isDisjoint(with: first.ids))
    }

    @Test("keeps the recorded spacing")
    func speed() async throws {
        try StoredTraffic.write(StoredTraffic.exchanges(8).reversed(), to: path)
        let clock = TestClock()
        let played = try await playRecording(
            "{ path: traffic.db, speed: 2x }",
            in: folder,
            clock: clock.clock
        )
        #expect(played.targets == items(0..<8))
        #expect(clock.waits == [2000])
    }

    @Test("reads an older schema without changing it")
    func older() async throws {
        try StoredTraffic.write(StoredTraffic.exchanges(5), to: path)
        try StoredTraffic.change(path, "PRAGMA user_version = 1; PRAGMA journal_mode = delete")
        let before = try folder.bytes("traffic.db")
        let played = try await playRecording("{ path: traffic.db }", in: folder)
        #expect(played.targets == items(0..<5))
        #expect(try folder.bytes("traffic.db") == before)
    }

    @Test("finds body files, and warns if one is missing")
    func bodyFiles() async throws {
        try StoredTraffic.write(StoredTraffic.exchanges(8), to: path)
        let whole = try await playRecording("{ path: traffic.db }", in: folder)
        #expect(whole.exchanges[7].response?.body.bytes.count == 100_001)
        try FileSystem.removeFolder(path + "-bodies")
        let played = try await playRecording("{ path: traffic.db }", in: folder)
        #expect(played.exchanges.count == 8)
        #expect(played.exchanges[7].response?.body.isTruncated == true)
        #expect(
            played.log
                == ["warning: '\(path)': a body of row 8 is missing or damaged \(name(7))"]
        )
    }

    @Test("names the database and the exchange that cannot be read", arguments: [1, 3])
    func broken(workers: Int) async throws {
        try StoredTraffic.write(StoredTraffic.exchanges(20), to: path)
        try StoredTraffic.change(
            path,
            """
            UPDATE exchanges SET state = 'odd' WHERE seq IN (5, 12);
            UPDATE exchanges SET id = x'00' WHERE seq = 14
            """
        )
        let stopped = try await playRecording(
            "{ path: traffic.db, workers: \(workers) }",
            in: folder
        )
        let failures = stopped.report.failures
        #expect(
            failures
                == ["source 'replay' failed: '\(path)': row 5: unknown state \(name(4))"]
        )
        #expect(stopped.targets == items(0..<4))
        let skipped = try await playRecording(
            "{ path: traffic.db, workers: \(workers), bad_records: skip }",
            in: folder
        )
        #expect(skipped.report.isSuccess)
        #expect(skipped.targets == items((0..<20).filter { ![4, 11, 13].contains($0) }))
        #expect(skipped.report.sources.first?.counters.rejected == 3)
        #expect(skipped.log.contains("warning: '\(path)': row 14: malformed id; skipped"))
    }

    @Test("counts exchanges that are too large as broken")
    func tooLarge() async throws {
        try StoredTraffic.write(StoredTraffic.exchanges(12), to: path)
        let played = try await playRecording(
            "{ path: traffic.db, max_record_bytes: 200B, bad_records: skip, workers: 1 }",
            in: folder
        )
        #expect(played.targets == items([0, 2, 3, 4, 5, 8, 9, 10]))
        #expect(
            played.log.last
                == "warning: '\(path)': row 12: the exchange is too large; found a body of "
                + "302 bytes, expected at most 200 \(name(11)); skipped"
        )
    }

    @Test("reports databases that cannot be read before the run")
    func refused() throws {
        try StoredTraffic.write(StoredTraffic.exchanges(1), to: path)
        try StoredTraffic.change(path, "PRAGMA user_version = 99")
        let newer = build("{ path: '*.db' }", folder: folder.path)
        #expect(newer.0 == nil && newer.1.contains("'\(path)' was written by a newer version"))
        try StoredTraffic.change(path, "PRAGMA application_id = 7")
        let other = build("{ path: traffic.db }", folder: folder.path)
        #expect(other.0 == nil && other.1.contains("is the database of another program"))
    }
}
