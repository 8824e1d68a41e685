// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineOperations
import TaplineSystem
import Testing

@testable import TaplineControl

@Suite("The screen of 'tapline top'")
struct TopScreenTests {
    private func snapshot(_ change: (inout PipelineStatus) -> Void = { _ in }) throws -> TopSnapshot
    {
        let pipeline = ControlledPipeline.running()
        pipeline.set(change)
        let report = StatusReport(pipeline.status, nil, ProcessFigures())
        return try #require(TopSnapshot(report.top))
    }

    @Test("shows a row for each component, with rates since the start")
    func first() throws {
        let lines = TopScreen(try snapshot()).lines
        #expect(lines[0].hasPrefix("tapline 0.1.0  ready  up 10 s  generation 1"))
        #expect(lines[1].contains("of 512.0 MiB"))
        let rows = lines.dropFirst(3).map { $0.split(separator: " ").map(String.init) }
        let names = "id state gen in/s out/s in lost p50 p99 queue spill lag"
        #expect(rows[0].joined(separator: " ") == names)
        let cells = ["source", "replay", "running", "1", "1", "1", "7", "1"]
        #expect(Array(rows[1].prefix(8)) == cells)
        #expect(rows[1][8...11].joined(separator: " ") == "3.0 ms 80.2 ms")
        #expect(Array(rows[2].prefix(4)) == ["stage", "redact", "running", "3"])
        #expect(rows[3].suffix(4).joined(separator: " ") == "2 0 1.5 s")
        #expect(lines.last == "redact: runs keep 1.0")
    }

    @Test("shows rates and times since the former screen")
    func rates() throws {
        let before = try snapshot()
        let now = try snapshot { status in
            status.now.microseconds += 2_000_000
            status.components[0].received += 5000
            status.components[0].sent += 5000
        }
        let row = TopScreen(now, since: before).lines[4].split(separator: " ").map(String.init)
        #expect(Array(row[4...5]) == ["2500", "2500"])
        // No exchange was timed in between.
        #expect(Array(row[8...9]) == ["-", "-"])
    }

    @Test("counts from zero for a component that was replaced")
    func replaced() throws {
        let before = try snapshot { $0.components[0].received = 1_000_000 }
        let now = try snapshot { $0.now.microseconds += 1_000_000 }
        let row = TopScreen(now, since: before).lines[4].split(separator: " ").map(String.init)
        #expect(row[4] == "7")
    }

    @Test("fits on the terminal, and shows control characters")
    func fits() throws {
        let now = try snapshot { status in
            status.components[2].state = .failing
            status.components[2].reason = "cannot write '\u{1B}[2J'"
        }
        let all = TopScreen(now).lines
        #expect(all.last == "ndjson: failing: cannot write '\\x1b[2J'")
        let lines = TopScreen(now, width: 30, height: 5).lines
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.count <= 30 })
        #expect(lines.last == "and \(all.count - 4) more lines")
    }

    @Test(
        "is not drawn from input that is not a snapshot",
        arguments: ["", "[]", "{", "null", "{\"components\":7}", "{\"uptime_ms\":1e400}"]
    )
    func broken(text: String) {
        // It must not trap.
        if let snapshot = TopSnapshot(Array(text.utf8)) { _ = TopScreen(snapshot).lines }
    }

    @Test("takes numbers of any size")
    func extremes() throws {
        func snapshot(_ number: Int, _ buckets: String) throws -> TopSnapshot {
            let row =
                "{\"kind\":\"sink\",\"id\":\"a\",\"received\":\(number),\"sent\":\(number),"
                + "\"lost\":\(number),\"queued\":\(number),\"lag_us\":\(number),"
                + "\"buckets\":[\(buckets)]}"
            let text =
                "{\"time_us\":\(number),\"cpu_us\":\(number),\"components\":[\(row)]}"
            return try #require(TopSnapshot(Array(text.utf8)))
        }
        // The sum of the counts wraps around to the largest number.
        let (half, eighth) = (1 << 62, 1 << 60)
        let large = try snapshot(
            .max,
            "1,\(half),2,\(half + 2 * eighth),3,\(Int.max),4,\(Int.max - 2 * eighth + 1)"
        )
        let small = try snapshot(.min, "1,5")
        // It must not trap.
        for (now, before) in [(large, small), (small, large), (large, large)] {
            #expect(TopScreen(now, since: before).lines.count == 5)
        }
    }
}
