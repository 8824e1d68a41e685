// SPDX-License-Identifier: MIT

import TaplineProcessPlugin
import TestSupport
import Testing

@Suite("The state machine of a plugin's process")
struct ProcessPluginStateMachineTests {
    private typealias Machine = ProcessPluginStateMachine<Int>

    private static var limits: Machine.Limits {
        var limits = Machine.Limits()
        limits.window = 2
        limits.maxWaiting = 3
        limits.timeout = 100
        limits.helloTimeout = 50
        limits.stopTimeout = 20
        limits.restartDelay = 10
        limits.maxRestartDelay = 40
        return limits
    }

    static let playbooks = [
        Playbook(
            "calls are sent in order, as far as the window permits",
            """
            begin 0 → start
            started 0 → ok
            call 1 0 → accepted
            call 2 0 → accepted
            call 3 0 → accepted
            next 0 → nothing
            hello 1 → ok
            next 1 → 1
            next 1 → 2
            next 1 → nothing
            answer 2 2 → 2
            next 2 → 3
            answer 1 3 → 1
            answer 3 3 → 3
            deadline → none
            """
        ),
        Playbook(
            "calls beyond the limit are refused",
            """
            begin 0 → start
            call 1 0 → accepted
            call 2 0 → accepted
            call 3 0 → accepted
            call 4 0 → full
            """
        ),
        Playbook(
            "an answer that comes twice, too late or to no call is told apart",
            """
            begin 0 → start
            started 0 → ok
            hello 0 → ok
            call 1 0 → accepted
            next 0 → 1
            answer 1 5 → 1
            answer 1 6 → late
            answer 9 6 → unknown
            answer 0 6 → unknown
            """
        ),
        Playbook(
            "a call that is forgotten fails alone, and one of a child that hangs kills it",
            """
            begin 0 → start
            started 0 → ok
            hello 0 → ok
            call 1 0 → accepted
            call 2 0 → accepted
            next 0 → 1
            next 0 → 2
            answer 2 60 → 2
            deadline → 100
            time 100 → lost 1
            answer 1 101 → late
            call 3 200 → accepted
            next 200 → 3
            time 300 → lost 3, kill hangs
            """
        ),
        Playbook(
            "a child without hello is killed, and calls wait for the next one until they are late",
            """
            begin 0 → start
            started 0 → ok
            call 1 0 → accepted
            deadline → 50
            time 50 → kill noHello
            ended 55 → restart 65
            rested 60 → nothing
            rested 65 → start
            started 65 → ok
            hello 66 → ok
            next 66 → 1
            """
        ),
        Playbook(
            "what a dead child has not answered is lost, and the pause doubles until an answer comes",
            """
            begin 0 → start
            started 0 → ok
            hello 0 → ok
            call 1 0 → accepted
            call 2 0 → accepted
            call 3 0 → accepted
            next 0 → 1
            next 0 → 2
            ended 5 → lost 1 2, restart 15
            rested 15 → start
            ended 15 → restart 35
            rested 35 → start
            ended 35 → restart 75
            rested 75 → start
            ended 75 → restart 115
            time 100 → lost 3
            rested 115 → start
            started 115 → ok
            hello 115 → ok
            call 4 115 → accepted
            next 115 → 4
            answer 4 116 → 4
            ended 120 → restart 130
            """
        ),
        Playbook(
            "a child that is asked to end answers what it has, and is killed if it does not end",
            """
            begin 0 → start
            started 0 → ok
            hello 0 → ok
            call 1 0 → accepted
            next 0 → 1
            call 2 0 → accepted
            call 3 0 → accepted
            stop 1 → lost 2 3
            call 4 1 → stopped
            next 1 → nothing
            answer 1 2 → 1
            time 21 → kill doesNotEnd
            ended 22 → nothing
            begin 22 → start
            """
        ),
        Playbook(
            "a call that needs a child is refused while none runs; others wait for it",
            """
            ask 1 0 → stopped
            begin 0 → start
            ask 1 0 → absent
            started 0 → ok
            ask 2 0 → absent
            hello 0 → ok
            ask 3 0 → accepted
            next 0 → 3
            ended 5 → lost 3, restart 15
            ask 4 6 → absent
            call 5 6 → accepted
            deadline → 15
            rested 15 → start
            ask 6 15 → absent
            started 15 → ok
            hello 16 → ok
            next 16 → 5
            ask 7 16 → accepted
            stop 17 → lost 7
            ask 8 18 → stopped
            """
        ),
        Playbook(
            "a stop while no child runs ends the conversation at once",
            """
            begin 0 → start
            ended 0 → restart 10
            call 1 1 → accepted
            stop 2 → lost 1
            rested 10 → nothing
            begin 11 → start
            """
        ),
    ]

    @Test("conversations", arguments: playbooks)
    func plays(_ book: Playbook) {
        var machine = Machine(Self.limits)
        for (event, expected) in book.lines {
            let found = Self.play(event, &machine)
            #expect(found == expected, "\(book): \(event)")
        }
    }

    private static func play(_ event: String, _ machine: inout Machine) -> String {
        let words = event.split(separator: " ").map(String.init)
        let numbers = words.dropFirst().compactMap { Int64($0) }
        switch words[0] {
        case "begin": return machine.begun() ? "start" : "nothing"
        case "rested": return machine.rested(numbers[0]) ? "start" : "nothing"
        case "started":
            machine.started(numbers[0])
            return "ok"
        case "hello": return machine.greeted(numbers[0]) ? "ok" : "unexpected"
        case "call":
            return "\(machine.called(UInt64(numbers[0]), Int(numbers[0]), numbers[1]))"
        case "ask":
            let (number, call) = (UInt64(numbers[0]), Int(numbers[0]))
            return "\(machine.called(number, call, needsChild: true, numbers[1]))"
        case "next": return machine.next(numbers[0]).map { "\($0)" } ?? "nothing"
        case "answer":
            switch machine.answered(UInt64(numbers[0]), numbers[1]) {
            case .call(let call): return "\(call)"
            case .late: return "late"
            case .unknown: return "unknown"
            }
        case "time":
            let overdue = machine.timePassed(numbers[0])
            return texts(overdue.calls, overdue.reason.map { "kill \($0)" })
        case "stop": return texts(machine.stopping(numbers[0]), nil)
        case "ended":
            let ending = machine.ended(numbers[0])
            return texts(ending.lost, ending.restart.map { "restart \($0)" })
        case "deadline": return machine.deadline().map { "\($0)" } ?? "none"
        default: return "?"
        }
    }

    private static func texts(_ lost: [Int], _ more: String?) -> String {
        let calls = lost.isEmpty ? nil : "lost " + lost.map { "\($0)" }.joined(separator: " ")
        let parts = [calls, more].compactMap(\.self)
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }

    @Test("a hello out of turn is refused in each state")
    func helloOutOfTurn() {
        var machine = Machine(Self.limits)
        var answers = [machine.greeted(0)]
        _ = machine.begun()
        answers.append(machine.greeted(0))
        machine.started(0)
        answers.append(machine.greeted(0))
        answers.append(machine.greeted(0))
        _ = machine.ended(0)
        answers.append(machine.greeted(0))
        #expect(answers == [false, false, true, false, false])
    }

    @Test("giving up loses all calls, sent or not")
    func gaveUp() {
        var machine = Machine(Self.limits)
        _ = machine.begun()
        machine.started(0)
        _ = machine.greeted(0)
        for number in 1...3 { _ = machine.called(UInt64(number), number, 0) }
        _ = machine.next(0)
        let lost = machine.gaveUp()
        #expect(lost == [1, 2, 3])
        let isStopped = machine.isStopped
        let deadline = machine.deadline()
        #expect(isStopped && deadline == nil)
    }
}
