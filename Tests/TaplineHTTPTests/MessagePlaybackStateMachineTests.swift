// SPDX-License-Identifier: MIT

import TaplineHTTP
import Testing

@Suite struct MessagePlaybackStateMachineTests {
    typealias Action = MessagePlaybackStateMachine.Action

    /// An event, as a test writes it; times are in microseconds.
    enum Event: Hashable, CaseIterable {
        case open, sent, closeSent, ping, close, lost, early, late, stop

        func apply(_ machine: inout MessagePlaybackStateMachine) -> Action {
            switch self {
            case .open: machine.opened(now: 10)
            case .sent: machine.messageSent()
            case .closeSent: machine.closeSent(answeredUntil: 100)
            case .ping: return machine.pingArrived()
            case .close: return machine.closeArrived()
            case .lost: return machine.connectionEnded()
            case .early, .late:
                guard case .closing(let deadline) = machine.state else { return .none }
                return machine.nextWhileClosing(deadline, now: self == .early ? 99 : 100)
            case .stop: machine.stop()
            }
            return .none
        }
    }

    /// The events that lead to each state, what follows from each event there, and the next state.
    static let table: [([Event], [Event: Action], [Event: String])] = [
        (
            [],
            [.ping: .pong, .close: .answerClose, .lost: .end(.broken)],
            [.open: "playing 0", .close: "ended", .lost: "ended", .stop: "ended"]
        ),
        (
            [.open],
            [.ping: .pong, .close: .answerClose, .lost: .end(.broken)],
            [
                .sent: "playing 1", .closeSent: "closing 100", .close: "ended", .lost: "ended",
                .stop: "ended",
            ]
        ),
        (
            [.open, .sent, .closeSent],
            [
                .close: .end(.closed), .lost: .end(.closed), .early: .arm(100),
                .late: .end(.unanswered),
            ],
            [.close: "ended", .lost: "ended", .late: "ended", .stop: "ended"]
        ),
        ([.open, .close], [:], [:]),
    ]

    private static func name(_ machine: borrowing MessagePlaybackStateMachine) -> String {
        switch machine.state {
        case .opening: "opening"
        case .playing(let index, _): "playing \(index)"
        case .closing(let deadline): "closing \(deadline)"
        case .ended: "ended"
        }
    }

    @Test("each event in each state has one consequence", arguments: table.indices)
    func consequences(row: Int) {
        let (path, actions, states) = Self.table[row]
        for event in Event.allCases {
            var machine = MessagePlaybackStateMachine()
            for step in path { _ = step.apply(&machine) }
            let before = Self.name(machine)
            let action = event.apply(&machine)
            let after = Self.name(machine)
            #expect(action == actions[event] ?? .none, "\(path) then \(event)")
            #expect(after == states[event] ?? before, "\(path) then \(event)")
        }
    }

    @Test("messages are counted from the opening")
    func positions() {
        var machine = MessagePlaybackStateMachine()
        machine.messageSent()
        machine.opened(now: 5)
        machine.messageSent()
        guard case .playing(1, opened: 5) = machine.state else {
            Issue.record("the second message is not next")
            return
        }
    }
}
