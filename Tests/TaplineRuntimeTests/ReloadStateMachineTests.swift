// SPDX-License-Identifier: MIT

import Synchronization
import TaplineOperations
import Testing

@testable import TaplineRuntime

@Suite("The requests to reload")
struct ReloadStateMachineTests {
    private enum Event { case requested(Int), finished, ended }

    /// Sends events; returns, for each, whether a reload starts and which requests are answered.
    private func play(_ events: [Event]) -> [String] {
        var machine = ReloadStateMachine()
        let answered = Mutex<[Int]>([])
        return events.map { event in
            let action =
                switch event {
                case .requested(let number):
                    machine.requested { _ in answered.withLock { $0.append(number) } }
                case .finished: machine.finished()
                case .ended: machine.ended()
                }
            answered.withLock { $0 = [] }
            for answer in action.answers { answer(.failed("")) }
            return "\(action.starts ? "start" : "-")\(answered.withLock { $0 })"
        }
    }

    @Test("start one reload, and one more for all that arrive meanwhile")
    func coalesces() {
        let events: [Event] = [
            .requested(1), .requested(2), .requested(3), .finished, .requested(4), .finished,
            .finished, .finished,
        ]
        #expect(
            play(events) == [
                "start[]", "-[]", "-[]", "start[1]", "-[]", "start[2, 3]", "-[4]", "-[]",
            ]
        )
    }

    @Test(
        "are all answered when the pipeline ends",
        arguments: [0, 1, 2]
    )
    func ends(requests: Int) {
        let numbers = Array(1...3).prefix(requests)
        let rest: [Event] = [.ended, .finished, .requested(9), .ended]
        let events = numbers.map { Event.requested($0) } + rest
        let answers = play(events).suffix(4)
        #expect(Array(answers) == ["-\(Array(numbers))", "-[]", "-[9]", "-[]"])
    }
}
