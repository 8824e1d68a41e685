// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import Testing

@testable import TaplineNet

@Suite(.timeLimit(.minutes(1))) struct PreciseTimerTests {
    /// Runs a loop with a timer, until `body` has called its last argument.
    private func run(
        _ body: @escaping @Sendable (EventLoop, @escaping @Sendable () -> Void) -> Void
    ) async throws {
        let group = try EventLoopGroup(threads: 1)
        try await group.run { loop, _ in body(loop) { group.stop() } }
    }

    @Test("fires at absolute times, not before, and far more precisely than the loop's granule")
    func fires() async throws {
        let errors = Mutex<[Int64]>([])
        try await run { loop, done in
            let begun = EventLoop.clockNow()
            let box = TimerBox()
            var number: Int64 = 1
            let timer = PreciseTimer(on: loop) {
                let due = begun + number * 1700
                errors.withLock { $0.append(EventLoop.clockNow() - due) }
                number += 1
                guard number <= 50 else {
                    box.timer?.close()
                    box.timer = nil
                    return done()
                }
                box.timer?.arm(at: begun + number * 1700)
            }
            box.timer = timer
            timer.arm(at: begun + 1700)
        }
        let found = errors.withLock { $0 }.sorted()
        #expect(found.count == 50)
        #expect(try #require(found.first) >= 0)
        #if os(Linux)
        // The granule is 10 ms; the median leaves room for a busy machine.
        #expect(found[25] < 2000)
        #endif
    }

    @Test(
        "a time in the past fires at once, another one replaces it, and a cancelled one never fires"
    )
    func replaces() async throws {
        let fired = Mutex<[String]>([])
        try await run { loop, done in
            let boxes = (TimerBox(), TimerBox(), TimerBox())
            let now = EventLoop.clockNow()
            boxes.0.timer = PreciseTimer(on: loop) {
                fired.withLock { $0.append("past") }
            }
            boxes.0.timer?.arm(at: now - 5000)
            boxes.1.timer = PreciseTimer(on: loop) { fired.withLock { $0.append("cancelled") } }
            boxes.1.timer?.arm(at: now + 1000)
            boxes.1.timer?.cancel()
            boxes.2.timer = PreciseTimer(on: loop) {
                fired.withLock { $0.append("last") }
                for box in [boxes.0, boxes.1, boxes.2] {
                    box.timer?.close()
                    box.timer = nil
                }
                done()
            }
            boxes.2.timer?.arm(at: now + 3_600_000_000)
            boxes.2.timer?.arm(at: now + 30_000)
        }
        #expect(fired.withLock { $0 } == ["past", "last"])
    }

    @Test("a loop that stops closes its timers")
    func stops() async throws {
        try await run { loop, done in
            let timer = PreciseTimer(on: loop) {}
            timer.arm(at: EventLoop.clockNow() + 3_600_000_000)
            done()
        }
    }
}

/// Holds a timer for its own action.
private final class TimerBox { var timer: PreciseTimer? }
