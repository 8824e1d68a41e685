// SPDX-License-Identifier: MIT

import TaplineHTTP
import Testing

@testable import ProxySource

@Suite struct ServerMessagesStateMachineTests {
    typealias Action = ServerMessagesStateMachine.Action
    typealias Step = ServerMessagesStateMachine.Step

    /// An event, as a test writes it; times are in microseconds.
    enum Event: Hashable, CustomStringConvertible {
        case open(Int64)
        case next(Int64)
        case message(Int64)
        case ping, close, ended, stop

        func apply(_ machine: inout ServerMessagesStateMachine) -> Action {
            switch self {
            case .open(let time): machine.opened(now: time)
            case .next(let time): return machine.next(now: time)
            case .message(let time): machine.messageArrived(now: time)
            case .ping: return machine.pingArrived()
            case .close: return machine.closeArrived()
            case .ended: return machine.clientEnded()
            case .stop: machine.stop()
            }
            return .none
        }

        var description: String {
            switch self {
            case .open(let time): "open \(time)"
            case .next(let time): "next \(time)"
            case .message(let time): "message \(time)"
            case .ping: "ping"
            case .close: "close"
            case .ended: "ended"
            case .stop: "stop"
            }
        }
    }

    /// Two messages at once and after one of the client, then the close frame.
    static let steps = [
        Step(distance: 10), Step(after: 1, distance: 5), Step(.close, after: 1, distance: 20),
    ]
    static let wait = ServerMessagesStateMachine.patience

    static let conversations: [(String, [Step], [(Event, Action)])] = [
        (
            "each message waits for its distance, whenever 'next' is called",
            steps,
            [
                (.next(0), .none), (.open(100), .none), (.next(100), .arm(110)),
                (.next(150), .send(0)), (.next(150), .none), (.message(200), .none),
                (.next(200), .arm(205)), (.next(210), .send(1)), (.next(210), .arm(220)),
                (.next(220), .send(2)), (.next(220), .arm(220 + wait)), (.ping, .none),
                (.close, .end(.closed)), (.next(300), .none),
            ]
        ),
        (
            "a client that sends early gets messages in their order",
            steps,
            [
                (.open(0), .none), (.message(1), .none), (.message(2), .none),
                (.next(2), .arm(10)), (.next(12), .send(0)), (.next(12), .send(1)),
                (.next(12), .arm(21)), (.next(21), .send(2)), (.close, .end(.closed)),
            ]
        ),
        (
            "without distances, everything is sent as soon as the client has sent its part",
            [Step(), Step(), Step(after: 2), Step(.leave, after: 2)],
            [
                (.open(7), .none), (.next(7), .send(0)), (.next(7), .send(1)), (.next(7), .none),
                (.message(8), .none), (.next(8), .none), (.message(9), .none),
                (.next(9), .send(2)), (.next(9), .end(.broken)), (.next(9), .none),
            ]
        ),
        (
            "the client may close at any time",
            steps,
            [
                (.open(0), .none), (.ping, .pong), (.close, .answerClose), (.next(99), .none),
                (.close, .none), (.ping, .none), (.ended, .none),
            ]
        ),
        (
            "a client that never answers the close frame is not waited for",
            [Step(.close)],
            [
                (.open(0), .none), (.next(0), .send(0)), (.next(wait - 1), .arm(wait)),
                (.next(wait), .end(.unanswered)), (.next(wait), .none),
            ]
        ),
        (
            "after the last message, the client closes",
            [Step()],
            [
                (.open(0), .none), (.next(0), .send(0)), (.next(1), .none), (.message(2), .none),
                (.next(3), .none), (.ended, .end(.broken)), (.ended, .none),
            ]
        ),
        (
            "distances that are too large are never due",
            [Step(distance: .max)],
            [(.open(1), .none), (.next(.max), .none)]
        ),
    ]

    @Test("a conversation has these actions", arguments: conversations.indices)
    func follows(row: Int) {
        let (name, steps, lines) = Self.conversations[row]
        var machine = ServerMessagesStateMachine(steps)
        for (event, action) in lines {
            #expect(event.apply(&machine) == action, "\(name): \(event)")
        }
    }

    /// The events that lead to each state, and what follows from the others there.
    static let table: [([Event], [Event: Action])] = [
        ([], [.ping: .pong, .close: .answerClose, .ended: .end(.broken)]),
        (
            [.open(0)],
            [.next(50): .send(0), .ping: .pong, .close: .answerClose, .ended: .end(.broken)]
        ),
        (
            [.open(0), .message(0), .next(50), .next(50), .next(50)],
            [.next(50): .arm(50 + wait), .close: .end(.closed), .ended: .end(.closed)]
        ),
        ([.stop], [:]),
    ]

    @Test("each event in each state has one consequence", arguments: table.indices)
    func consequences(row: Int) {
        let (path, expected) = Self.table[row]
        for event in [Event.open(50), .next(50), .message(50), .ping, .close, .ended, .stop] {
            var machine = ServerMessagesStateMachine(Self.steps)
            for step in path { _ = step.apply(&machine) }
            #expect(event.apply(&machine) == expected[event] ?? .none, "\(path) then \(event)")
        }
    }
}
