// SPDX-License-Identifier: MIT

import TaplineMatching
import TaplineModel
import TestSupport
import Testing

/// A machine whose results `#expect` can check, which cannot hold noncopyable values.
private final class Machine {
    private var machine: ReplaySessionsStateMachine

    init(limit: Int) { machine = ReplaySessionsStateMachine(limit: limit) }

    var isFull: Bool { machine.isFull }
    var isIdle: Bool { machine.isIdle }
    var sessionCount: Int { machine.sessionCount }
    var counts: ReplaySessionsStateMachine.Counts { machine.counts }

    func added(_ request: PlannedRequest) -> Bool { machine.added(request) }

    func ended(_ sequence: Int, _ outcome: ReplaySessionsStateMachine.Outcome) -> [Int] {
        machine.ended(sequence, outcome)
    }
}

/// Which recorded requests may be sent, and when.
@Suite struct ReplaySessionsStateMachineTests {
    private func planned(
        _ sequence: Int,
        session: UInt64 = 1,
        _ started: Int64,
        _ answered: Int64,
        connection: UInt64? = nil,
        needs: [Int] = []
    ) -> PlannedRequest {
        PlannedRequest(
            sequence: sequence,
            session: SessionID(value: session),
            started: Timestamp(microseconds: started),
            answered: Timestamp(microseconds: answered),
            connection: connection,
            needs: needs
        )
    }

    @Test func aRequestWaitsForTheAnswerOfItsPredecessor() {
        let machine = Machine(limit: 10)
        #expect(machine.added(planned(0, 0, 10)))
        #expect(!machine.added(planned(1, 10, 20)))
        #expect(!machine.added(planned(2, 20, 30)))
        #expect(machine.ended(0, .answered) == [1])
        #expect(machine.ended(1, .answered) == [2])
        #expect(machine.ended(2, .answered) == [])
        #expect(machine.isIdle)
    }

    @Test func requestsThatOverlappedMayOverlapAgain() {
        let machine = Machine(limit: 10)
        #expect(machine.added(planned(0, 0, 100)))
        #expect(machine.added(planned(1, 5, 10)))
        // It began after the second had ended, and before the first had.
        #expect(!machine.added(planned(2, 20, 30)))
        #expect(machine.ended(1, .answered) == [2])
    }

    @Test func requestsOfAConnectionNeverOverlap() {
        let machine = Machine(limit: 10)
        #expect(machine.added(planned(0, 0, 100, connection: 7)))
        #expect(machine.added(planned(1, 5, 100, connection: 8)))
        #expect(!machine.added(planned(2, 10, 20, connection: 7)))
        #expect(machine.ended(1, .answered) == [])
        #expect(machine.ended(0, .answered) == [2])
    }

    @Test func requestsOfASessionKeepTheirOrder() {
        let machine = Machine(limit: 10)
        #expect(machine.added(planned(0, 0, 10)))
        #expect(!machine.added(planned(1, 10, 50)))
        // It overlapped with its predecessor, which waits.
        #expect(!machine.added(planned(2, 11, 12)))
        #expect(machine.ended(0, .answered) == [1, 2])
    }

    @Test func sessionsRunSideBySide() {
        let machine = Machine(limit: 10)
        #expect(machine.added(planned(0, session: 1, 0, 10)))
        #expect(machine.added(planned(1, session: 2, 20, 30)))
        #expect(!machine.added(planned(2, session: 1, 20, 30)))
        #expect(machine.sessionCount == 2)
    }

    @Test func aRequestWaitsForTheAnswersItNeedsOfOtherSessions() {
        let machine = Machine(limit: 10)
        #expect(machine.added(planned(0, session: 1, 0, 10)))
        #expect(machine.added(planned(1, session: 2, 0, 10)))
        #expect(!machine.added(planned(2, session: 3, 20, 30, needs: [0, 1])))
        #expect(machine.ended(1, .answered) == [])
        #expect(machine.ended(0, .answered) == [2])
    }

    @Test func anAnswerThatIsKnownIsNotWaitedFor() {
        let machine = Machine(limit: 10)
        #expect(machine.added(planned(0, session: 1, 0, 10)))
        #expect(machine.ended(0, .answered) == [])
        #expect(machine.added(planned(1, session: 2, 20, 30, needs: [0, 1, 99])))
    }

    @Test(arguments: [
        ReplaySessionsStateMachine.Outcome.failed, ReplaySessionsStateMachine.Outcome.skipped,
    ])
    func aFailureReleasesWhatNeedsTheAnswer(outcome: ReplaySessionsStateMachine.Outcome) {
        let machine = Machine(limit: 10)
        #expect(machine.added(planned(0, session: 1, 0, 10)))
        #expect(!machine.added(planned(1, session: 1, 10, 20)))
        #expect(!machine.added(planned(2, session: 2, 10, 20, needs: [0])))
        #expect(machine.ended(0, outcome) == [1, 2])
        #expect(machine.counts.failed + machine.counts.skipped == 1)
    }

    @Test func eventsThatCannotHappenAreIgnored() {
        let machine = Machine(limit: 10)
        #expect(machine.ended(7, .answered) == [])
        #expect(machine.added(planned(0, 0, 10)))
        #expect(!machine.added(planned(1, 10, 20)))
        #expect(machine.ended(1, .answered) == [])
        #expect(machine.ended(0, .answered) == [1])
        #expect(machine.ended(0, .answered) == [])
        #expect(machine.counts.answered == 1)
        #expect(!machine.isIdle)
    }

    @Test func theCallerSeesWhenTooManyWait() {
        let machine = Machine(limit: 2)
        _ = machine.added(planned(0, 0, 10))
        _ = machine.added(planned(1, 10, 20))
        #expect(!machine.isFull)
        _ = machine.added(planned(2, 20, 30))
        #expect(machine.isFull)
        _ = machine.ended(0, .answered)
        #expect(!machine.isFull)
    }

    @Test func aMillionSessionsAreForgottenWhenTheyAreIdle() {
        let machine = Machine(limit: 10)
        for number in 0..<100_000 {
            let isReleased = machine.added(
                planned(number, session: UInt64(number), Int64(number), Int64(number) + 1)
            )
            guard isReleased, machine.ended(number, .answered).isEmpty else {
                Issue.record("request \(number) waits")
                return
            }
        }
        #expect(machine.sessionCount == 0)
        #expect(machine.isIdle)
        #expect(machine.counts.answered == 100_000)
    }

    /// Any order of answers sends every request once, and never one before what it depends on.
    @Test(arguments: UInt64(0)..<20)
    func everyRequestIsSentOnceAfterWhatItDependsOn(seed: UInt64) {
        var generator = Random(seed: seed)
        func random(_ bound: Int) -> Int { generator.below(bound) }
        let requests = (0..<300).map { number in
            planned(
                number,
                session: UInt64(random(8)),
                Int64(number * 10),
                Int64(number * 10 + random(100)),
                needs: number > 0 && random(3) == 0 ? [random(number)] : []
            )
        }
        let machine = Machine(limit: 1000)
        var sent: [Int] = []
        var open: [Int] = []
        var done: Set<Int> = []
        func release(_ numbers: [Int]) {
            for number in numbers {
                let request = requests[number]
                for former in requests.prefix(number) where former.session == request.session {
                    #expect(sent.contains(former.sequence))
                    guard former.answered <= request.started else { continue }
                    #expect(done.contains(former.sequence))
                }
                #expect(request.needs.allSatisfy(done.contains))
                sent.append(number)
                open.append(number)
            }
        }
        for request in requests {
            if machine.added(request) { release([request.sequence]) }
            while random(2) == 0, !open.isEmpty {
                let number = open.remove(at: random(open.count))
                done.insert(number)
                release(machine.ended(number, random(4) == 0 ? .failed : .answered))
            }
        }
        while let number = open.popLast() {
            done.insert(number)
            release(machine.ended(number, .answered))
        }
        #expect(sent.count == requests.count)
        #expect(Set(sent).count == requests.count)
        #expect(machine.isIdle)
        #expect(machine.sessionCount == 0)
    }
}
