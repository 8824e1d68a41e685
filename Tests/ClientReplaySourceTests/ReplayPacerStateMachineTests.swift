// SPDX-License-Identifier: MIT

import TaplineOperations
import TestSupport
import Testing

@testable import ClientReplaySource

@Suite struct ReplayPacerStateMachineTests {
    private typealias Action = ReplayPacerStateMachine.Action

    /// 1,000 requests a second.
    private let schedule = ReplaySchedule(.constant(1000))
    private let ready = ReplayInput.ready(offset: 0)

    @Test("the first request is due when it has arrived, the others at their own times")
    func dueTimes() {
        var pacer = ReplayPacerStateMachine(schedule)
        #expect(pacer.next(now: 50, .waiting(byTarget: false)) == .wait)
        #expect(pacer.begun == nil)
        #expect(pacer.next(now: 100, ready) == .send(due: 100))
        #expect(pacer.begun == 100)
        #expect(pacer.next(now: 100, ready) == .arm(1100))
        #expect(pacer.next(now: 1099, ready) == .arm(1100))
        // Late by 50, which does not move the requests after it.
        #expect(pacer.next(now: 1150, ready) == .send(due: 1100))
        #expect(pacer.next(now: 1150, ready) == .arm(2100))
        #expect(pacer.counts.due == 2 && pacer.counts.sent == 2 && pacer.counts.latest == 50)
    }

    @Test("the first request is due at a given time, even if it has arrived before")
    func start() {
        var pacer = ReplayPacerStateMachine(schedule)
        pacer.starts(at: 500)
        #expect(pacer.next(now: 100, ready) == .arm(500))
        #expect(pacer.next(now: 510, ready) == .send(due: 500))
        pacer.starts(at: 900)
        #expect(pacer.next(now: 510, ready) == .arm(1500))
        var fast = ReplayPacerStateMachine(ReplaySchedule(.max))
        fast.starts(at: 500)
        #expect(fast.next(now: 100, ready) == .arm(500))
        #expect(fast.next(now: 500, ready) == .send(due: 500))
    }

    @Test("requests that are overdue are sent one after the other")
    func backlog() {
        var pacer = ReplayPacerStateMachine(schedule)
        _ = pacer.next(now: 0, ready)
        let sent = (0..<3).map { _ in pacer.next(now: 3500, ready) }
        #expect(sent == [.send(due: 1000), .send(due: 2000), .send(due: 3000)])
        #expect(pacer.next(now: 3500, ready) == .arm(4000))
    }

    @Test("the recorded spacing is taken from the offset of the next request")
    func recorded() {
        var pacer = ReplayPacerStateMachine(ReplaySchedule(.recorded(2)))
        #expect(pacer.next(now: 10, .ready(offset: 0)) == .send(due: 10))
        #expect(pacer.next(now: 10, .ready(offset: 1000)) == .arm(510))
        #expect(pacer.next(now: 510, .ready(offset: 1000)) == .send(due: 510))
    }

    @Test("at the bound, a request waits, and is late because of the target")
    func waits() {
        var pacer = ReplayPacerStateMachine(schedule, ReplayConcurrency(limit: 1))
        #expect(pacer.next(now: 0, ready) == .send(due: 0))
        #expect(pacer.next(now: 1000, ready) == .wait)
        pacer.ended(now: 30_000, wasSent: true)
        #expect(pacer.next(now: 30_000, ready) == .send(due: 1000))
        #expect(pacer.counts.lateByTarget == 1 && pacer.counts.lateByGenerator == 0)
        #expect(pacer.counts.latest == 29_000)
    }

    @Test("at the bound, a request is skipped if that is asked for")
    func skips() {
        var pacer = ReplayPacerStateMachine(
            schedule,
            ReplayConcurrency(limit: 1, whenFull: .skip)
        )
        #expect(pacer.next(now: 0, ready) == .send(due: 0))
        #expect(pacer.next(now: 2000, ready) == .skip(due: 1000))
        #expect(pacer.next(now: 2000, ready) == .skip(due: 2000))
        #expect(pacer.next(now: 2000, ready) == .arm(3000))
        pacer.ended(now: 2500, wasSent: true)
        #expect(pacer.next(now: 3000, ready) == .send(due: 3000))
        let counts = pacer.counts
        #expect(counts.due == 4 && counts.sent == 2 && counts.skipped == 2 && counts.failed == 0)
    }

    @Test("without due times, requests follow each other, and none is late or skipped")
    func maximum() {
        var pacer = ReplayPacerStateMachine(
            ReplaySchedule(.max),
            ReplayConcurrency(limit: 2, whenFull: .skip)
        )
        #expect(pacer.next(now: 0, ready) == .send(due: 0))
        #expect(pacer.next(now: 5, ready) == .send(due: 5))
        #expect(pacer.next(now: 5, ready) == .wait)
        pacer.ended(now: 90_000, wasSent: true)
        #expect(pacer.next(now: 90_000, ready) == .send(due: 90_000))
        #expect(pacer.counts.latest == 0 && pacer.counts.skipped == 0)
    }

    @Test(
        "a request is late because of the generator if the target was not waited for",
        arguments: [
            (10_000, 0), (10_001, 1),
        ] as [(Int64, Int)]
    )
    func generator(late: Int64, count: Int) {
        var pacer = ReplayPacerStateMachine(schedule)
        _ = pacer.next(now: 0, ready)
        #expect(pacer.next(now: 500, .waiting(byTarget: false)) == .wait)
        #expect(pacer.next(now: 1000 + late, ready) == .send(due: 1000))
        #expect(pacer.counts.lateByGenerator == count && pacer.counts.lateByTarget == 0)
    }

    @Test("a request that waited for a response of its session is late because of the target")
    func session() {
        var pacer = ReplayPacerStateMachine(schedule)
        _ = pacer.next(now: 0, ready)
        #expect(pacer.next(now: 20_000, .waiting(byTarget: true)) == .wait)
        #expect(pacer.next(now: 21_000, ready) == .send(due: 1000))
        #expect(pacer.counts.lateByTarget == 1 && pacer.counts.lateByGenerator == 0)
    }

    @Test(
        "a request that was held when it was due is late because of the target",
        arguments: [
            (999, false), (1000, true), (29_000, true),
        ] as [(Int64, Bool)]
    )
    func held(releasedAt: Int64, byTarget: Bool) {
        var pacer = ReplayPacerStateMachine(schedule)
        _ = pacer.next(now: 0, ready)
        let held = ReplayInput.ready(offset: 0, releasedAt: releasedAt)
        #expect(pacer.next(now: 30_000, held) == .send(due: 1000))
        #expect(pacer.counts.lateByTarget == (byTarget ? 1 : 0))
        #expect(pacer.counts.lateByGenerator == (byTarget ? 0 : 1))
    }

    @Test("a request that could not be sent counts as failed")
    func failures() {
        var pacer = ReplayPacerStateMachine(schedule)
        _ = pacer.next(now: 0, ready)
        pacer.ended(now: 10, wasSent: false)
        let counts = pacer.counts
        #expect(counts.due == 1 && counts.sent == 0 && counts.failed == 1 && counts.inFlight == 0)
    }

    @Test(
        "it finishes when the input, the number or the time has ended and all responses came",
        arguments: [
            (nil, nil, .ended), (1, nil, .ready(offset: 0)), (nil, 900, .ready(offset: 0)),
            (nil, 500, .ready(offset: 0)),
        ] as [(Int?, Int64?, ReplayInput)]
    )
    func finishes(limit: Int?, length: Int64?, input: ReplayInput) {
        var pacer = ReplayPacerStateMachine(
            ReplaySchedule(.constant(1000), length: length),
            limit: limit
        )
        #expect(pacer.next(now: 0, ready) == .send(due: 0))
        #expect(pacer.next(now: 950, input) == .wait)
        pacer.ended(now: 960, wasSent: true)
        #expect(pacer.next(now: 960, ready) == .finish)
        #expect(pacer.next(now: 970, ready) == .finish)
        #expect(pacer.counts.due == 1)
    }

    @Test("with a time limit it wakes up at the end, even if no event comes")
    func wakes() {
        var pacer = ReplayPacerStateMachine(
            ReplaySchedule(.constant(1000), length: 5000),
            ReplayConcurrency(limit: 1)
        )
        _ = pacer.next(now: 100, ready)
        #expect(pacer.next(now: 1200, ready) == .arm(5100))
        #expect(pacer.next(now: 1200, .waiting(byTarget: false)) == .arm(5100))
        #expect(pacer.next(now: 5100, ready) == .wait)
    }

    @Test("an empty recording finishes at once, and a stop sends nothing more")
    func ends() {
        var empty = ReplayPacerStateMachine(schedule)
        #expect(empty.next(now: 0, .ended) == .finish)
        var pacer = ReplayPacerStateMachine(schedule)
        _ = pacer.next(now: 0, ready)
        pacer.stop()
        #expect(pacer.next(now: 5000, ready) == .wait)
        pacer.ended(now: 5001, wasSent: true)
        #expect(pacer.next(now: 5001, ready) == .finish)
        var unstarted = ReplayPacerStateMachine(schedule)
        unstarted.stop()
        #expect(unstarted.next(now: 0, ready) == .finish)
    }

    @Test("sent, skipped and failed are always as many as were due")
    func balance() {
        var random = Random(seed: 7)
        var pacer = ReplayPacerStateMachine(
            schedule,
            ReplayConcurrency(limit: 3, whenFull: .skip)
        )
        var now: Int64 = 0
        for _ in 0..<20_000 {
            now += Int64(random.below(900))
            if pacer.counts.inFlight > 0, random.below(3) == 0 {
                pacer.ended(now: now, wasSent: random.below(4) > 0)
            }
            let inputs: [ReplayInput] = [
                .ready(offset: 0), .waiting(byTarget: random.below(2) == 0),
            ]
            _ = pacer.next(now: now, inputs[random.below(2)])
            let counts = pacer.counts
            #expect(counts.due == counts.sent + counts.skipped + counts.failed)
            #expect(counts.inFlight >= 0 && counts.inFlight <= 3)
        }
        #expect(pacer.counts.skipped > 0 && pacer.counts.failed > 0 && pacer.counts.sent > 0)
    }
}
