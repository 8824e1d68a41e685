// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ReplaySource

@Suite("The speed of a replay")
struct ReplayTimingTests {
    /// Lines that began at these milliseconds.
    private func text(_ starts: [Int]) -> String { starts.map(bareLine).joined() }

    @Test(
        "keeps the recorded spacing, scaled by a factor",
        arguments: [("realtime", 1.0), ("2x", 2), ("0.5x", 0.5)]
    )
    func spacing(speed: String, factor: Double) async throws {
        let folder = try TemporaryFolder()
        try folder.write(text([0, 100, 100, 90, 1000]), to: "traffic")
        let clock = TestClock()
        let moments = Mutex<[Int64]>([])
        let stage = Topology.Stage(
            id: "look",
            ScriptedStage(request: { _, _ in
                moments.withLock { $0.append((clock.now - 1000) / 1000) }
                return .proceed
            })
        )
        let played = try await playRecording(
            "{ path: traffic, speed: \(speed) }",
            in: folder,
            clock: clock.clock,
            stages: [stage]
        )
        #expect(played.exchanges.count == 5)
        let expected = [0, 100, 100, 100, 1000].map { Int64(Double($0) / factor) }
        #expect(moments.withLock { $0 } == expected)
    }

    @Test("shortens pauses to max_gap, and logs that once")
    func maxGap() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text([0, 60_000, 120_000]), to: "traffic")
        let clock = TestClock()
        let played = try await playRecording(
            "{ path: traffic, speed: realtime, max_gap: 1s }",
            in: folder,
            clock: clock.clock
        )
        #expect(clock.waits == [1_000_000, 1_000_000])
        #expect(
            played.log == ["info: a pause in the recording is longer than 'max_gap' and is cut"]
        )
    }

    @Test("restarts the schedule for each pass")
    func passes() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text([0, 10]), to: "traffic")
        let clock = TestClock()
        let played = try await playRecording(
            "{ path: traffic, speed: realtime, loop: 3 }",
            in: folder,
            clock: clock.clock
        )
        #expect(played.exchanges.count == 6)
        #expect(clock.waits == [10_000, 10_000, 10_000])
    }

    @Test("submits records before it waits for the next")
    func submits() async throws {
        let folder = try TemporaryFolder()
        try folder.write(text([0, 1, 10_000]), to: "traffic")
        let sink = RecordingSink()
        let arrived = Mutex(0)
        let clock = TestClock()
        let slow = ReplayClock(
            now: clock.clock.now,
            wait: { place, microseconds in
                if microseconds > 1_000_000 {
                    // The sink's thread has up to two seconds to write the submitted records.
                    for _ in 0..<200 where sink.log.records.count < 2 {
                        place.wait(microseconds: 10_000)
                    }
                    arrived.withLock { $0 = sink.log.records.count }
                }
                clock.clock.wait(place, microseconds)
            }
        )
        _ = try await playRecording(
            "{ path: traffic, speed: realtime }",
            in: folder,
            clock: slow,
            sink: sink
        )
        #expect(arrived.withLock { $0 } == 2)
    }

    @Test("ends if it is stopped while waiting", .timeLimit(.minutes(5)))
    func cancellation() async throws {
        let folder = try TemporaryFolder()
        // The second record is an hour away: a replay that waited for it would not end in time.
        try folder.write(text([0, 3_600_000_000]), to: "traffic")
        let sink = RecordingSink()
        let played = try await playRecording(
            "{ path: traffic, speed: realtime }",
            in: folder,
            sink: sink,
            stopWhen: { !sink.log.records.isEmpty }
        )
        #expect(played.exchanges.count == 1)
        #expect(played.report.isSuccess)
    }
}
