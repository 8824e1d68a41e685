// SPDX-License-Identifier: MIT

import Testing

@testable import ClientReplaySource

@Suite struct SendingStateMachineTests {
    typealias Action = SendingStateMachine.Action

    /// An event, as a test writes it.
    enum Event: String, CaseIterable {
        case forward, respond, abort, pauseForward, pauseRespond, pauseAbort
        case over, connected, written, head, bodyless, content, end
        case answerForward, answerAbort, answerPause, answerPauseAbort
        case switched, closed, hookAborts
        case answerRespond
        case failed, finally, refused, stopped

        func apply(_ machine: inout SendingStateMachine) -> Action {
            switch self {
            case .forward: machine.requestHooksDone(.forward, pauses: false)
            case .respond: machine.requestHooksDone(.respond, pauses: false)
            case .abort: machine.requestHooksDone(.abort, pauses: false)
            case .pauseForward: machine.requestHooksDone(.forward, pauses: true)
            case .pauseRespond: machine.requestHooksDone(.respond, pauses: true)
            case .pauseAbort: machine.requestHooksDone(.abort, pauses: true)
            case .over: machine.pauseOver()
            case .connected: machine.connected()
            case .written: machine.written()
            case .head: machine.headReceived(hasBody: true)
            case .bodyless: machine.headReceived(hasBody: false)
            case .content: machine.contentReceived()
            case .end: machine.responseEnded()
            case .answerForward: machine.responseHooksDone(.forward, pauses: false)
            case .answerAbort: machine.responseHooksDone(.abort, pauses: false)
            case .answerPause: machine.responseHooksDone(.forward, pauses: true)
            case .answerPauseAbort: machine.responseHooksDone(.abort, pauses: true)
            case .switched: machine.switched()
            case .closed: machine.conversationEnded()
            case .hookAborts: machine.conversationAborted()
            case .answerRespond: machine.responseHooksDone(.respond, pauses: false)
            case .failed: machine.failed()
            case .finally: machine.failed(isFinal: true)
            case .refused: machine.refused()
            case .stopped: machine.stopped()
            }
        }
    }

    /// The events that lead to each state, and what follows from each event there; for others
    /// nothing does.
    static let table: [([Event], [Event: Action])] = [
        (
            [],
            [
                .forward: .connect, .respond: .runResponseHooks, .abort: .finish(.aborted),
                .pauseForward: .pause, .pauseRespond: .pause, .pauseAbort: .pause,
                .failed: .finish(.failed), .finally: .finish(.failed),
            ]
        ),
        (
            [.pauseForward],
            [.over: .connect, .failed: .finish(.failed), .finally: .finish(.failed)]
        ),
        (
            [.pauseAbort],
            [.over: .finish(.aborted), .failed: .finish(.failed), .finally: .finish(.failed)]
        ),
        (
            [.forward],
            [.connected: .send, .failed: .finish(.failed), .finally: .finish(.failed)]
        ),
        (
            [.forward, .connected],
            [
                .bodyless: .runResponseHooks, .switched: .runResponseHooks,
                .failed: .finish(.failed), .finally: .finish(.failed), .refused: .connect,
            ]
        ),
        (
            [.forward, .connected, .switched],
            [
                .answerForward: .converse, .answerRespond: .finish(.completed),
                .answerAbort: .finish(.aborted), .answerPause: .pause, .answerPauseAbort: .pause,
                .failed: .finish(.failed), .finally: .finish(.failed),
            ]
        ),
        (
            [.forward, .connected, .switched, .answerPause],
            [.over: .converse, .failed: .finish(.failed), .finally: .finish(.failed)]
        ),
        (
            [.forward, .connected, .switched, .answerPauseAbort],
            [.over: .finish(.aborted), .failed: .finish(.failed), .finally: .finish(.failed)]
        ),
        (
            [.forward, .connected, .switched, .answerForward],
            [
                .closed: .finish(.completed), .hookAborts: .finish(.aborted),
                .failed: .finish(.failed), .finally: .finish(.failed),
            ]
        ),
        (
            [.forward, .connected, .head],
            [
                .content: .keep, .end: .runResponseHooks, .failed: .finish(.failed),
                .finally: .finish(.failed),
            ]
        ),
        (
            [.respond],
            [
                .answerForward: .finish(.completed), .answerRespond: .finish(.completed),
                .answerAbort: .finish(.aborted),
                .answerPause: .pause, .answerPauseAbort: .pause,
            ]
        ),
        ([.respond, .answerPause], [.over: .finish(.completed)]),
        ([.respond, .answerPauseAbort], [.over: .finish(.aborted)]),
        ([.stopped], [.stopped: .none]),
    ]

    @Test("each event in each state has one consequence", arguments: table.indices)
    func consequences(row: Int) {
        let (path, expected) = Self.table[row]
        for event in Event.allCases {
            var machine = SendingStateMachine(retries: 0)
            for step in path { _ = step.apply(&machine) }
            var action = expected[event] ?? .none
            if event == .stopped, path != [.stopped] { action = .finish(.stopped) }
            // Only a request that was sent is refused; in other states, that is a failure.
            if event == .refused, action == .none { action = expected[.failed] ?? .none }
            // A connection that nobody needs is closed in every other state.
            if event == .connected, expected[event] == nil { action = .abandonServer }
            #expect(event.apply(&machine) == action, "\(path) then \(event)")
        }
    }

    @Test(
        "a failed exchange is sent again as often as that is allowed, and not after a final failure"
    )
    func retries() {
        var machine = SendingStateMachine(retries: 2)
        for event in [Event.forward, .failed, .connected, .head] { _ = event.apply(&machine) }
        #expect(machine.failed() == .connect)
        #expect(machine.connected() == .send)
        #expect(machine.failed() == .finish(.failed))
        let isEnded = machine.isEnded
        #expect(isEnded)
        var other = SendingStateMachine(retries: 2)
        _ = Event.forward.apply(&other)
        #expect(other.failed(isFinal: true) == .finish(.failed))
    }

    @Test("a refused request is sent again at most twice, and then as often as that is allowed")
    func refusals() {
        for retries in [0, 1] {
            var machine = SendingStateMachine(retries: retries)
            _ = Event.forward.apply(&machine)
            for _ in 0..<2 + retries {
                #expect(machine.connected() == .send)
                #expect(machine.refused() == .connect)
            }
            #expect(machine.connected() == .send)
            #expect(machine.refused() == .finish(.failed))
        }
    }

    @Test(
        "a request counts as sent once it is written or answered by a stage",
        arguments: [
            ([.forward], false), ([.forward, .failed], false), ([.abort], false),
            ([.respond], true), ([.forward, .connected], false),
            ([.forward, .connected, .failed], false), ([.forward, .written], false),
            ([.forward, .connected, .written], true),
            ([.forward, .connected, .written, .failed], true),
        ] as [([Event], Bool)]
    )
    func sent(path: [Event], wasSent: Bool) {
        var machine = SendingStateMachine(retries: 0)
        for step in path { _ = step.apply(&machine) }
        #expect(machine.wasSent == wasSent)
    }
}
