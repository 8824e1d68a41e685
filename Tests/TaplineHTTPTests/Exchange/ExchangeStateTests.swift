// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import TaplineHTTP

private typealias State = HTTPExchangeStateMachine.State

/// Tests every event in every state: the result, or why it cannot happen.
@Suite("Every event in every state of an exchange")
struct ExchangeStateTests {
    private static let maxInterim = 1

    /// The result of an event in a state.
    private struct Step {
        let event: String
        let action: HTTPExchangeAction
        let next: State
    }

    private static func step(_ state: State, _ event: ExchangeEvent) -> Step {
        var machine = HTTPExchangeStateMachine(state, maxInterim: maxInterim)
        let action = event.apply(&machine)
        return Step(event: event.name, action: action, next: machine.state)
    }

    /// All reachable states, in the order in which they are reached.
    private static let states: [State] = {
        var found: [State] = []
        for kind in [HTTPExchangeStateMachine.Kind.bodiless, .body, .connect] {
            found.append(HTTPExchangeStateMachine(kind, maxInterim: maxInterim).state)
        }
        var index = 0
        while index < found.count {
            for event in ExchangeEvent.all {
                let next = step(found[index], event).next
                if !found.contains(next) { found.append(next) }
            }
            index += 1
        }
        return found
    }()

    /// The table as text: each state, the events that can happen in it, and those that cannot, with
    /// the reason.
    private static var table: String {
        var text = ""
        for state in states {
            let machine = HTTPExchangeStateMachine(state, maxInterim: maxInterim)
            text += "\(state.text)\(machine.isBodyUnderWay ? ", a body is in progress" : "")\n"
            var (same, impossible): ([(String, [String])], [(String, [String])]) = ([], [])
            for event in ExchangeEvent.all {
                let step = step(state, event)
                if case .impossible(let reason) = step.action {
                    impossible.add(step.event, to: reason.rawValue)
                } else {
                    let next = step.next == state ? "" : "  ⇒ \(step.next.text)"
                    same.add(step.event, to: step.action.text + next)
                }
            }
            for (outcome, events) in same {
                text += "    \(summary(of: events)) → \(outcome)\n"
            }
            for (reason, events) in impossible {
                text += "    cannot, \(reason): \(summary(of: events))\n"
            }
            text += "\n"
        }
        return text
    }

    /// Combines events with the same outcome.
    ///
    /// An event with the same outcome for all parameters is listed without them.
    private static func summary(of events: [String]) -> String {
        func base(_ event: String) -> String { String(event.prefix { $0 != "(" }) }
        var parts: [String] = []
        for event in events {
            let variants = ExchangeEvent.all.map(\.name).filter { base($0) == base(event) }
            let part = variants.allSatisfy(events.contains) ? base(event) : event
            if !parts.contains(part) { parts.append(part) }
        }
        return parts.joined(separator: ", ")
    }

    @Test("the table is the committed one")
    func table() throws {
        try CommittedText.compare(Self.table, with: "exchange-states.txt")
    }

    @Test("an event that cannot happen changes nothing")
    func impossible() {
        for state in Self.states {
            for event in ExchangeEvent.all {
                let step = Self.step(state, event)
                guard case .impossible = step.action else { continue }
                #expect(step.next == state, "\(event.name) in \(state.text)")
            }
        }
    }

    @Test("an exchange ends with one action, and none follows")
    func endsOnce() {
        for state in Self.states {
            for event in ExchangeEvent.all {
                let step = Self.step(state, event)
                let where_ = "\(event.name) in \(state.text)"
                if state == .ended {
                    #expect(step.next == .ended, "\(where_)")
                    let isLate = event.name.hasPrefix("serverConnected")
                    #expect(step.action == (isLate ? .abandonServer : .none), "\(where_)")
                } else {
                    #expect(step.action.ends == (step.next == .ended), "\(where_)")
                }
            }
        }
    }

    @Test("a timeout, the client and the owner can end an exchange in every state")
    func canEnd() {
        for state in Self.states where state != .ended {
            for name in ["timeout", "clientClosed", "stopped", "failed", "aborted"] {
                let next = ExchangeEvent.named(name).map { Self.step(state, $0).next }
                #expect(next == .ended, "\(name) in \(state.text)")
            }
        }
    }

    @Test("an error response is sent only if no response has begun")
    func refusals() {
        for state in Self.states {
            guard case .refuse(let ending) = Self.step(state, .named("failed")!).action else {
                continue
            }
            switch state {
            case .streaming, .ending, .written, .opened, .joining, .tunnel, .ended:
                Issue.record("refused in \(state.text)")
            default: #expect((ending.client == .keep) == ending.isRequestWhole)
            }
        }
    }

    @Test("waiting content blocks its peer")
    func credit() {
        for state in Self.states {
            let machine = HTTPExchangeStateMachine(state, maxInterim: Self.maxInterim)
            let text = state.text
            let isHeld = text.contains("held")
            let (request, response) = (machine.requestCredit, machine.responseCredit)
            let passes = Self.step(state, .named("requestBody(1)")!).action
            let isSent = passes == .send || passes == .pass || text == "tunnel(clientEnded)"
            let wanted: HTTPExchangeStateMachine.Credit =
                isHeld ? .withheld : isSent ? .whilePeerTakes : .granted
            #expect(request == wanted, "\(text)")
            let pauses = text.hasPrefix("responsePaused")
            let streams = text.hasPrefix("streaming") || text.hasPrefix("tunnel")
            let other: HTTPExchangeStateMachine.Credit =
                pauses ? .withheld : streams ? .whilePeerTakes : .granted
            #expect(response == other, "\(text)")
        }
    }
}

extension [(String, [String])] {
    /// Adds an event to the others with the same outcome.
    fileprivate mutating func add(_ event: String, to outcome: String) {
        if let index = firstIndex(where: { $0.0 == outcome }) {
            self[index].1.append(event)
        } else {
            append((outcome, [event]))
        }
    }
}

extension HTTPExchangeAction {
    fileprivate var ends: Bool {
        switch self {
        case .refuse, .finish, .abandon, .endTunnel: true
        default: false
        }
    }
}

extension State {
    /// The state without the names of the types in it.
    fileprivate var text: String {
        var text = "\(self)"
        for type in [
            "RequestProgress", "Upload", "Download", "Attempt", "Opening", "OpenDirections",
        ]
            + ["RequestVerdict", "ResponseVerdict"]
        {
            text.replace("TaplineHTTP.HTTPExchangeStateMachine.\(type).", with: "")
        }
        return text
    }
}
