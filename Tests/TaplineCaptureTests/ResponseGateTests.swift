// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import TaplineCapture

/// Expected courses of a response: events in, actions out.
@Suite("The gate of a response")
struct ResponseGateTests {
    /// Delays are in seconds, and the app's timeout is 9 s.
    @Test(arguments: complete + heads + abortions + others)
    func course(_ playbook: Playbook) throws {
        var gate = ResponseGate()
        for line in playbook.lines {
            let event = try #require(Event(line.event), "\(line)")
            let action = event.apply(&gate).text
            try #require(action == line.action, "\(line)")
        }
    }

    static let complete = [
        Playbook(
            "a response for a completion handler",
            """
            ended             → runHooks
            hooks(whole pass) → deliver
            ended             → none
            """
        ),
        Playbook(
            "a stage replaces it",
            """
            ended                → runHooks
            hooks(whole replace) → replace
            pauseOver            → none
            """
        ),
        Playbook(
            "a stage aborts it",
            """
            ended              → runHooks
            hooks(whole abort) → fail(aborted)
            """
        ),
        Playbook(
            "a stage replaces it after a delay",
            """
            ended                  → runHooks
            hooks(whole replace 2) → pause(2)
            pauseOver              → replace
            pauseOver              → none
            """
        ),
        Playbook(
            "a delay exceeds the app's timeout",
            """
            ended               → runHooks
            hooks(whole pass 30) → pause(9)
            pauseOver           → fail(timedOut)
            """
        ),
        Playbook(
            "a response that reaches the app another way",
            """
            ended                      → runHooks
            hooks(unchangedWhole pass 2) → pause(2)
            pauseOver                  → deliver
            """
        ),
        Playbook(
            "a file cannot be delayed",
            """
            ended                 → runHooks
            hooks(file replace 2) → replace
            """
        ),
    ]

    static let heads = [
        Playbook(
            "a response for a delegate",
            """
            hooks(head pass) → passHead
            ended            → deliver
            ended            → none
            """
        ),
        Playbook(
            "a stage replaces the head and delays the end",
            """
            hooks(head replace 2) → replaceHead
            pauseOver             → none
            ended                 → pause(2)
            pauseOver             → deliver
            """
        ),
        Playbook(
            "the delay of the end exceeds the app's timeout",
            """
            hooks(unchangedHead pass 30) → passHead
            ended                        → pause(9)
            pauseOver                    → fail(timedOut)
            """
        ),
        Playbook(
            "a redirection is delayed",
            """
            hooks(redirection pass 2) → follow(2)
            ended                     → none
            """
        ),
    ]

    static let abortions = [
        Playbook(
            "a stage aborts a response of which more is to come",
            """
            hooks(head abort 2) → abort(2)
            abortDue            → fail(aborted)
            ended               → none
            abortDue            → none
            """
        ),
        Playbook(
            "the response ends before the abortion",
            """
            hooks(unchangedHead abort 2) → abort(2)
            ended                        → none
            abortDue                     → fail(aborted)
            """
        ),
        Playbook(
            "the delay of an abortion exceeds the app's timeout",
            """
            hooks(redirection abort 30) → abort(9)
            abortDue                    → fail(timedOut)
            """
        ),
        Playbook(
            "a stage aborts the request that a redirection leads to",
            """
            abort(2) → abort(2)
            abort(2) → none
            abortDue → fail(aborted)
            """
        ),
        Playbook(
            "a failure during an abortion keeps the stage's error",
            """
            hooks(head abort 2) → abort(2)
            close               → none
            abortDue            → fail(aborted)
            """
        ),
    ]

    static let others = [
        Playbook(
            "a stage answers the request that a redirection leads to",
            """
            answered → none
            ended    → replace
            ended    → none
            """
        ),
        Playbook(
            "an answer comes too late",
            """
            hooks(head pass) → passHead
            answered         → none
            ended            → deliver
            """
        ),
        Playbook(
            "the app cancels during a pause",
            """
            ended               → runHooks
            hooks(whole pass 2) → pause(2)
            close               → none
            pauseOver           → none
            ended               → none
            abort(2)            → none
            """
        ),
        Playbook(
            "the app cancels while the hooks run",
            """
            begin                   → begins
            close                   → none
            done(whole replace)     → none
            """
        ),
        Playbook(
            "the hooks run once",
            """
            hooks(head pass)  → passHead
            begin             → runs no hooks
            done(whole pass)  → none
            """
        ),
    ]

    /// Every event in every state returns an action and never traps.
    @Test func noEventTraps() {
        let deliveries = ResponseGate.Delivery.allCases.map { "\($0)" }
        let steps = ["pass", "replace", "abort", "pass 2", "replace 2", "abort 2", "abort 30"]
        let names =
            ["ended", "pauseOver", "abortDue", "close", "answered", "begin", "abort(2)"]
            + deliveries.flatMap { delivery in steps.map { "hooks(\(delivery) \($0))" } }
        let events = names.compactMap(Event.init)
        #expect(events.count == names.count)
        var ends = 0
        for first in events {
            for second in events {
                for third in events {
                    var gate = ResponseGate()
                    let actions = [first, second, third].map { $0.apply(&gate).text }
                    let notified = actions.filter {
                        $0 == "deliver" || $0 == "replace" || $0.hasPrefix("fail")
                    }
                    #expect(notified.count <= 1, "\(actions)")
                    ends += notified.count
                }
            }
        }
        #expect(ends > 1000)
    }

    /// What Foundation loads does not reach the app after a stage has aborted or answered.
    @Test func theBodyIsDroppedAfterAnAbortionOrAnAnswer() throws {
        for (event, drops) in [
            ("hooks(head pass)", false), ("hooks(head abort)", true), ("answered", true),
            ("hooks(whole pass 2)", false), ("close", false),
        ] {
            var gate = ResponseGate()
            _ = try #require(Event(event)).apply(&gate)
            let isDropped = gate.dropsBody
            #expect(isDropped == drops, "\(event)")
        }
    }
}

/// An event with its name in a playbook.
private struct Event: Sendable {
    enum Result {
        case action(ResponseGate.Action)
        case begins(Bool)

        var text: String {
            switch self {
            case .action(let action): action.text
            case .begins(let begins): begins ? "begins" : "runs no hooks"
            }
        }
    }

    private static let replacement = Response(status: 418)
    private static let timeout = Microseconds(9_000_000)

    let apply: @Sendable (inout ResponseGate) -> Result

    /// Creates the event with a name: `ended`, or `hooks(whole replace 2)`.
    init?(_ name: String) {
        let words = name.split { " ()".contains($0) }.map(String.init)
        func seconds(_ position: Int) -> Microseconds {
            Microseconds((words.dropFirst(position).first.flatMap { Int64($0) } ?? 0) * 1_000_000)
        }
        switch words.first {
        case "ended": apply = { .action($0.responseEnded()) }
        case "pauseOver": apply = { .action($0.pauseOver()) }
        case "abortDue": apply = { .action($0.abortDue().map(ResponseGate.Action.fail) ?? .none) }
        case "begin": apply = { .begins($0.hooksBegin()) }
        case "close":
            apply = { gate in
                gate.close()
                return .action(.none)
            }
        case "answered":
            apply = { gate in
                gate.answered(Self.replacement)
                return .action(.none)
            }
        case "abort":
            let delay = seconds(1)
            apply = { .action($0.abort(after: delay, limit: Self.timeout)) }
        case "hooks", "done":
            let delivery = ResponseGate.Delivery.allCases.first { "\($0)" == words[1] }
            let step: ResponseStep =
                switch words[2] {
                case "pass": .pass
                case "replace": .replace(Self.replacement)
                default: .abort
                }
            guard let delivery else { return nil }
            let delay = seconds(3)
            let begins = words[0] == "hooks"
            apply = { gate in
                if begins { _ = gate.hooksBegin() }
                return .action(gate.hooksDone(step, delay: delay, delivery, limit: Self.timeout))
            }
        default: return nil
        }
    }
}

extension ResponseGate.Action {
    /// The action's name in a playbook; delays are in seconds.
    fileprivate var text: String {
        func seconds(_ delay: Microseconds) -> String { "\(delay.count / 1_000_000)" }
        return switch self {
        case .none: "none"
        case .runHooks: "runHooks"
        case .passHead: "passHead"
        case .replaceHead: "replaceHead"
        case .follow(let delay): "follow(\(seconds(delay)))"
        case .pause(let delay): "pause(\(seconds(delay)))"
        case .deliver: "deliver"
        case .replace: "replace"
        case .fail(let failure): "fail(\(failure))"
        case .abort(let delay): "abort(\(seconds(delay)))"
        }
    }
}
