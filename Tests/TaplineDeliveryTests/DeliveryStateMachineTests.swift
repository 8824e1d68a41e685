// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineDelivery

@Suite("The states of a delivered request")
struct DeliveryStateMachineTests {
    private typealias Action = DeliveryStateMachine.Action

    enum State: CaseIterable {
        case connecting, waiting, waitingOnKept, begun, reading, ended

        func machine() -> DeliveryStateMachine {
            var machine = DeliveryStateMachine()
            guard self != .connecting else { return machine }
            _ = machine.connected(isReused: self == .waitingOnKept || self == .begun)
            if self == .begun { _ = machine.responseBegan() }
            if self == .reading { _ = machine.headReceived(hasBody: true) }
            if self == .ended { _ = machine.stopped() }
            return machine
        }
    }

    private static let failed = Action.finish(.failed)
    private static let whole = Action.finish(.answered(isComplete: true))
    private static let cut = Action.finish(.answered(isComplete: false))

    /// What each event leads to, in the order of `State.allCases`.
    private static let table: [String: [Action]] = [
        "connected": [
            .send, .abandonServer, .abandonServer, .abandonServer, .abandonServer, .abandonServer,
        ],
        "began": [.none, .none, .none, .none, .none, .none],
        "interim": [.none, .none, .none, .none, .none, .none],
        "too many interim": [.none, failed, failed, failed, .none, .none],
        "head": [.none, .none, .none, .none, .none, .none],
        "head without body": [.none, whole, whole, whole, .none, .none],
        "content": [.none, .none, .none, .none, .keep, .none],
        "too much content": [.none, .none, .none, .none, cut, .none],
        "response ended": [.none, .none, .none, .none, whole, .none],
        "failed": [failed, failed, .connect, failed, cut, .none],
        "stopped": [failed, failed, failed, failed, cut, .none],
    ]

    private static func happen(
        _ event: String,
        _ machine: inout DeliveryStateMachine
    ) -> Action? {
        switch event {
        case "connected": machine.connected(isReused: false)
        case "began": machine.responseBegan()
        case "interim": machine.interimReceived(limit: 1)
        case "too many interim": machine.interimReceived(limit: 0)
        case "head": machine.headReceived(hasBody: true)
        case "head without body": machine.headReceived(hasBody: false)
        case "content": machine.contentReceived(fits: true)
        case "too much content": machine.contentReceived(fits: false)
        case "response ended": machine.responseEnded()
        case "failed": machine.failed()
        case "stopped": machine.stopped()
        default: nil
        }
    }

    @Test("each event leads to one action in each state")
    func table() {
        for (event, actions) in Self.table {
            for (state, expected) in zip(State.allCases, actions) {
                var machine = state.machine()
                #expect(Self.happen(event, &machine) == expected, "\(event) in \(state)")
            }
        }
    }

    @Test("a request is sent again only once")
    func once() {
        var machine = State.waitingOnKept.machine()
        #expect(machine.failed() == .connect)
        #expect(machine.connected(isReused: false) == .send)
        #expect(machine.failed() == .finish(.failed))
    }
}
