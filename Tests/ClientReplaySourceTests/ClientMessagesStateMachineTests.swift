// SPDX-License-Identifier: MIT

import TaplineHTTP
import Testing

@testable import ClientReplaySource

@Suite struct ClientMessagesStateMachineTests {
    typealias Action = ClientMessagesStateMachine.Action
    typealias Plan = ClientMessagesStateMachine.Plan
    typealias Step = ClientMessagesStateMachine.Step
    typealias IssuingMessage = ClientMessagesStateMachine.IssuingMessage

    /// An event, as a test writes it; times are in microseconds.
    enum Event: Hashable {
        case open(Int64)
        case next(Int64)
        case message(Int64)
        case tokens(Int)
        case stop(Int64)
        case ping, close, lost, end

        func apply(_ machine: inout ClientMessagesStateMachine) -> Action {
            switch self {
            case .open(let time): machine.opened(now: time)
            case .next(let time): return machine.next(now: time)
            case .message(let time): machine.messageArrived(now: time)
            case .tokens(let number): machine.tokensArrived(number)
            case .stop(let time): return machine.stop(now: time)
            case .ping: return machine.pingArrived()
            case .close: return machine.closeArrived()
            case .lost: return machine.connectionEnded()
            case .end: machine.end()
            }
            return .none
        }
    }

    static let steps = [Step(due: 10), Step(due: 30)]

    /// Conversations in which 1,000 µs are waited for messages of the server.
    static let conversations: [(String, Plan, [(Event, Action)])] = [
        (
            "messages are due at absolute times, even if one was late",
            Plan(steps: steps, end: 40),
            [
                (.next(0), .none), (.open(100), .none), (.next(100), .arm(110)),
                (.next(125), .send(0)), (.next(125), .arm(130)), (.next(130), .send(1)),
                (.next(131), .arm(140)), (.next(140), .close), (.next(140), .arm(1140)),
                (.close, .end(.closed)), (.next(150), .none),
            ]
        ),
        (
            "it closes once the server has sent as many messages as were recorded",
            Plan(steps: steps, end: 40, expected: 2),
            [
                (.open(0), .none), (.message(1), .none), (.next(30), .send(0)),
                (.next(30), .send(1)), (.next(30), .arm(40)), (.next(40), .arm(1040)),
                (.message(60), .none), (.next(60), .close),
            ]
        ),
        (
            "messages that stay away are waited for only for a time",
            Plan(steps: steps, end: 40, expected: 9),
            [
                (.open(0), .none), (.next(30), .send(0)), (.next(30), .send(1)),
                (.message(1000), .none), (.next(1039), .arm(1040)), (.next(1040), .close),
                (.next(2039), .arm(2040)), (.next(2040), .end(.unanswered)), (.close, .none),
            ]
        ),
        (
            "the server closes what it has closed in the recording",
            Plan(end: 5, isClosedByServer: true),
            [
                (.open(0), .none), (.next(9), .arm(1005)), (.ping, .pong),
                (.close, .answerClose), (.lost, .none), (.next(2000), .none),
            ]
        ),
        (
            "with speed 'max', messages wait for those of the server",
            Plan(steps: [Step(), Step(after: 1), Step(after: 2)], expected: 2),
            [
                (.open(0), .none), (.next(0), .send(0)), (.next(0), .arm(1000)),
                (.message(20), .none), (.next(20), .send(1)), (.next(20), .arm(1020)),
                (.next(1020), .send(2)), (.next(1020), .arm(2020)), (.message(1030), .none),
                (.next(1030), .close),
            ]
        ),
        (
            "a message waits for the tokens that it sends back",
            Plan(
                steps: [Step(due: 10), Step(due: 30, needs: [8])],
                issuing: [
                    IssuingMessage(number: 7, due: 5, after: 0),
                    IssuingMessage(number: 8, due: 20, after: 1),
                ],
                end: 40
            ),
            [
                (.open(0), .none), (.tokens(7), .none), (.next(10), .send(0)),
                (.next(30), .arm(1020)), (.tokens(8), .none), (.next(50), .send(1)),
                (.next(50), .close),
            ]
        ),
        (
            "tokens that stay away are waited for only for a time, whatever else arrives",
            Plan(
                steps: [Step(), Step(due: 2000, needs: [9])],
                issuing: [
                    IssuingMessage(number: 7, due: 5, after: 0),
                    IssuingMessage(number: 8, due: 5, after: 0),
                    IssuingMessage(number: 9, due: 10, after: 1),
                ],
                end: 4000
            ),
            [
                (.open(0), .none), (.next(0), .send(0)), (.tokens(8), .none),
                (.message(900), .none),
                (.next(900), .arm(1005)), (.next(1005), .overdue(7)), (.next(1005), .arm(1010)),
                (.next(1010), .overdue(9)), (.next(1010), .arm(2000)), (.next(2000), .send(1)),
            ]
        ),
        (
            "tokens that come after a message are not waited for before it",
            Plan(
                steps: [Step(due: 5000)],
                issuing: [IssuingMessage(number: 7, due: 5, after: 1)],
                end: 9000
            ),
            [
                (.open(0), .none), (.next(4000), .arm(5000)), (.next(5000), .send(0)),
                (.next(5000), .arm(6000)), (.next(6000), .overdue(7)), (.next(6000), .arm(9000)),
            ]
        ),
        (
            "a run that stops says so to the server",
            Plan(steps: steps),
            [
                (.open(0), .none), (.stop(5), .goAway), (.ping, .none), (.next(30), .arm(1005)),
                (.stop(30), .none), (.lost, .end(.closed)),
            ]
        ),
        (
            "a server that leaves without a close frame has broken the connection",
            Plan(steps: steps),
            [(.open(0), .none), (.lost, .end(.broken)), (.lost, .none), (.next(30), .none)]
        ),
    ]

    @Test("a conversation has these actions", arguments: conversations.indices)
    func follows(row: Int) {
        let (name, plan, lines) = Self.conversations[row]
        var machine = ClientMessagesStateMachine(plan, patience: 1000)
        for (event, action) in lines {
            #expect(event.apply(&machine) == action, "\(name): \(event)")
        }
    }

    @Test("the longest patience does not overflow")
    func longestPatience() {
        let plan = Plan(steps: [Step(after: 1)], expected: 1)
        var machine = ClientMessagesStateMachine(plan, patience: .max)
        let events: [(Event, Action)] = [
            (.open(100), .none), (.next(100), .arm(.max)), (.message(200), .none),
            (.next(200), .send(0)), (.next(300), .close), (.next(300), .arm(.max)),
        ]
        for (event, action) in events {
            #expect(event.apply(&machine) == action, "\(event)")
        }
        var stopped = ClientMessagesStateMachine(Plan(expected: 1), patience: .max)
        stopped.opened(now: 100)
        let wait = stopped.next(now: 100)
        #expect(wait == .arm(.max))
        let action = stopped.stop(now: 100)
        #expect(action == .goAway)
    }

    /// The events that lead to each state, and what follows from the others there.
    static let table: [([Event], [Event: Action])] = [
        ([], [.ping: .pong, .close: .answerClose, .lost: .end(.broken)]),
        (
            [.open(0)],
            [
                .next(50): .send(0), .ping: .pong, .close: .answerClose, .lost: .end(.broken),
                .stop(50): .goAway,
            ]
        ),
        (
            [.open(0), .next(50), .next(50), .next(50)],
            [.next(50): .arm(1050), .close: .end(.closed), .lost: .end(.closed)]
        ),
        ([.end], [:]),
    ]

    @Test("each event in each state has one consequence", arguments: table.indices)
    func consequences(row: Int) {
        let (path, expected) = Self.table[row]
        let events = [
            Event.open(50), .next(50), .message(50), .stop(50), .ping, .close, .lost, .end,
        ]
        for event in events {
            var machine = ClientMessagesStateMachine(Plan(steps: Self.steps), patience: 1000)
            for step in path { _ = step.apply(&machine) }
            #expect(event.apply(&machine) == expected[event] ?? .none, "\(path) then \(event)")
        }
    }
}
