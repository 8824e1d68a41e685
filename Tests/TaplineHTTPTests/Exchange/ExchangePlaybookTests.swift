// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineHTTP

/// Expected conversations: events in, actions out.
@Suite("Conversations of an exchange")
struct ExchangePlaybookTests {
    /// A conversation: lines of `event → action`.
    struct Playbook: Sendable, CustomTestStringConvertible {
        let name: String
        let kind: HTTPExchangeStateMachine.Kind
        let lines: String

        init(_ name: String, _ kind: HTTPExchangeStateMachine.Kind, _ lines: String) {
            self.name = name
            self.kind = kind
            self.lines = lines
        }

        var testDescription: String { name }
    }

    @Test(arguments: ordinary + hooks + early + failures + tunnels)
    func conversation(_ playbook: Playbook) throws {
        var machine = HTTPExchangeStateMachine(playbook.kind, maxInterim: 2)
        for line in playbook.lines.split(separator: "\n") {
            let parts = line.split(separator: "→").map { $0.trimming }
            try #require(parts.count == 2, "\(line)")
            let event = try #require(ExchangeEvent.named(parts[0]), "\(line)")
            let action = event.apply(&machine)
            try #require(action.text == parts[1], "\(line)")
        }
        let isEnded = machine.isEnded
        #expect(isEnded)
    }

    static let ordinary = [
        Playbook(
            "a request without a body and a streamed response",
            .bodiless,
            """
            requestHead               → runRequestHooks(none)
            requestHooksDone(forward) → connect
            serverConnected           → sendRequest(ends: true)
            responseBegun             → none
            responseHead(body)        → runResponseHooks(head)
            responseHooksDone(open)   → respond(isWhole: false)
            responseSent              → sendHeld(ends: false)
            responseBody(3)           → send
            responseBody(1)           → send
            responseEnd               → endResponse
            responseSent              → finish [completed, client: keep, got: streamed, server is clean]
            """
        ),
        Playbook(
            "a request with a body that arrives before the server is connected",
            .body,
            """
            requestHead               → runRequestHooks(head)
            requestHooksDone(forward) → connect
            requestBody(3)            → hold
            serverConnected           → sendRequest(ends: false)
            requestBody(3)            → send
            requestEnd                → endRequest
            responseHead(bodiless)    → runResponseHooks(none)
            responseHooksDone(whole)  → respond(isWhole: true)
            responseSent              → finish [completed, client: keep, got: whole, server is clean]
            """
        ),
        Playbook(
            "interim responses pass up to the limit",
            .bodiless,
            """
            requestHead               → runRequestHooks(none)
            requestHooksDone(forward) → connect
            serverConnected           → sendRequest(ends: true)
            interimHead               → sendInterim
            interimHead               → sendInterim
            interimHead               → refuse [failed, client: keep, got: nothing]
            """
        ),
        Playbook(
            "a client is asked for the body that hooks want",
            .body,
            """
            requestHead(hooks want the body, expects 100) → askForBody
            requestBody(1)                      → hold
            requestEnd                          → runRequestHooks(whole)
            requestHooksDone(forward)           → connect
            serverConnected(has the body)       → sendRequest(ends: true)
            responseHead(body, hooks want it)   → none
            responseBody(1)                     → hold
            responseEnd                         → runResponseHooks(whole)
            responseHooksDone(whole)            → respond(isWhole: true)
            responseSent → finish [completed, client: keep, got: whole, server is clean]
            """
        ),
    ]

    static let hooks = [
        Playbook(
            "bodies that are too large to wait for",
            .body,
            """
            requestHead(hooks want the body)    → none
            requestBody(3)                      → runRequestHooks(part)
            requestHooksDone(forward)           → connect
            serverConnected                     → sendRequest(ends: false)
            requestEnd                          → endRequest
            responseHead(body, hooks want it)   → none
            responseBody(1)                     → hold
            responseBody(3)                     → runResponseHooks(part)
            responseHooksDone(open)             → respond(isWhole: false)
            responseSent                        → sendHeld(ends: false)
            responseEnd                         → endResponse
            responseSent → finish [completed, client: keep, got: streamed, server is clean]
            """
        ),
        Playbook(
            "a hook answers, and the rest of the request is not read",
            .body,
            """
            requestHead               → runRequestHooks(head)
            requestHooksDone(respond) → runResponseHooks(made)
            responseHooksDone(whole)  → respond(isWhole: true)
            responseSent              → finish [completed, client: close, got: whole, request is incomplete]
            """
        ),
        Playbook(
            "a hook pauses while the response ends",
            .bodiless,
            """
            requestHead                         → runRequestHooks(none)
            requestHooksDone(forward, pauses)   → pause
            pauseOver                           → connect
            serverConnected                     → sendRequest(ends: true)
            responseHead(body)                  → runResponseHooks(head)
            responseHooksDone(open, pauses)     → pause
            responseBody(3)                     → hold
            responseEnd                         → none
            pauseOver                           → respond(isWhole: false)
            responseSent                        → sendHeld(ends: true)
            responseSent → finish [completed, client: keep, got: streamed, server is clean]
            """
        ),
        Playbook(
            "a server disconnects after its response, while a hook pauses",
            .bodiless,
            """
            requestHead                     → runRequestHooks(none)
            requestHooksDone(forward)       → connect
            serverConnected                 → sendRequest(ends: true)
            responseHead(bodiless)          → runResponseHooks(none)
            responseHooksDone(whole, pauses) → pause
            serverClosed                    → none
            pauseOver                       → respond(isWhole: true)
            responseSent → finish [completed, client: keep, got: whole, server is clean]
            """
        ),
        Playbook(
            "a hook aborts",
            .bodiless,
            """
            requestHead             → runRequestHooks(none)
            requestHooksDone(abort) → finish [cancelled, client: reset, got: nothing]
            requestHooksDone(abort) → none
            """
        ),
        Playbook(
            "a client disconnects while a hook pauses",
            .body,
            """
            requestHead                       → runRequestHooks(head)
            requestHooksDone(forward, pauses) → pause
            clientClosed → finish [cancelled, client: reset, got: nothing, request is incomplete]
            pauseOver                         → none
            serverConnected                   → abandonServer
            """
        ),
    ]

    static let early = [
        Playbook(
            "a server responds before the request is complete",
            .body,
            """
            requestHead               → runRequestHooks(head)
            requestHooksDone(forward) → connect
            serverConnected           → sendRequest(ends: false)
            requestBody(3)            → send
            responseHead(body)        → runResponseHooks(head)
            requestBody(3)            → send
            responseHooksDone(open)   → respond(isWhole: false)
            responseSent              → sendHeld(ends: false)
            requestBody(3)            → send
            responseEnd               → endResponse
            responseSent → finish [completed, client: close, got: streamed, request is incomplete]
            """
        ),
        Playbook(
            "a hook has replaced the body, and the rest is dropped",
            .body,
            """
            requestHead                   → runRequestHooks(head)
            requestHooksDone(forward)     → connect
            serverConnected(has the body) → sendRequest(ends: true)
            requestBody(3)                → drop
            requestEnd                    → none
            responseHead(bodiless)        → runResponseHooks(none)
            responseHooksDone(whole)      → respond(isWhole: true)
            responseSent → finish [completed, client: keep, got: whole, server is clean]
            """
        ),
    ]

    static let failures = [
        Playbook(
            "a kept connection turns out to be stale",
            .bodiless,
            """
            requestHead                  → runRequestHooks(none)
            requestHooksDone(forward)    → connect
            serverConnected(may repeat)  → sendRequest(ends: true)
            serverClosed                 → reconnect
            serverConnected              → sendRequest(ends: true)
            serverClosed                 → refuse [failed, client: keep, got: nothing]
            """
        ),
        Playbook(
            "a connection whose response has begun is not retried",
            .bodiless,
            """
            requestHead                  → runRequestHooks(none)
            requestHooksDone(forward)    → connect
            serverConnected(may repeat)  → sendRequest(ends: true)
            responseBegun                → none
            serverClosed                 → refuse [failed, client: keep, got: nothing]
            """
        ),
        Playbook(
            "a server disconnects within its response",
            .bodiless,
            """
            requestHead               → runRequestHooks(none)
            requestHooksDone(forward) → connect
            serverConnected           → sendRequest(ends: true)
            responseHead(body)        → runResponseHooks(head)
            responseHooksDone(open)   → respond(isWhole: false)
            responseSent              → sendHeld(ends: false)
            responseBody(1)           → send
            serverEnded               → finish [failed, client: reset, got: part]
            responseEnd               → none
            """
        ),
        Playbook(
            "a client does not finish its request",
            .body,
            """
            requestHead(hooks want the body) → none
            requestBody(1)  → hold
            timeout         → refuse [failed, client: close, got: nothing, request is incomplete]
            """
        ),
        Playbook(
            "a refused request",
            .body,
            """
            failed → refuse [failed, client: close, got: nothing, request is incomplete]
            """
        ),
        Playbook(
            "a response of a hook that cannot be written",
            .bodiless,
            """
            requestHead               → runRequestHooks(none)
            requestHooksDone(respond) → runResponseHooks(made)
            responseHooksDone(whole)  → respond(isWhole: true)
            failed                    → refuse [failed, client: keep, got: nothing]
            """
        ),
    ]

    static let tunnels = [
        Playbook(
            "a tunnel, ended by the client and then by the server",
            .connect,
            """
            requestHead               → runRequestHooks(none)
            requestHooksDone(forward) → connect
            serverConnected           → openTunnel
            responseSent              → passBytes
            requestBody(3)            → pass
            responseBody(3)           → pass
            clientEnded               → shutdown server
            responseBody(3)           → pass
            serverEnded               → endTunnel (client ended first)
            """
        ),
        Playbook(
            "another protocol, for which hooks pause while the server speaks",
            .bodiless,
            """
            requestHead                         → runRequestHooks(none)
            requestHooksDone(forward)           → connect
            serverConnected                     → sendRequest(ends: true)
            responseHead(switches)              → runResponseHooks(none)
            responseHooksDone(switches, pauses) → pause
            responseBody(3)                     → hold
            pauseOver                           → switchProtocol
            responseSent                        → passBytes
            timeout                             → endTunnel
            """
        ),
        Playbook(
            "another protocol that a hook refuses",
            .bodiless,
            """
            requestHead               → runRequestHooks(none)
            requestHooksDone(forward) → connect
            serverConnected           → sendRequest(ends: true)
            responseHead(switches)    → runResponseHooks(none)
            responseHooksDone(whole)  → respond(isWhole: true)
            responseSent              → finish [completed, client: keep, got: whole]
            """
        ),
        Playbook(
            "a server switches protocols while the request is incomplete",
            .body,
            """
            requestHead               → runRequestHooks(head)
            requestHooksDone(forward) → connect
            serverConnected           → sendRequest(ends: false)
            responseHead(switches)    → refuse [failed, client: close, got: nothing, request is incomplete]
            """
        ),
        Playbook(
            "an inspected tunnel that passes unread",
            .connect,
            """
            requestHead               → runRequestHooks(none)
            requestHooksDone(forward) → connect
            intercepted               → openTunnel
            responseSent              → listen
            passedThrough             → connect
            serverConnected           → passBytes
            serverClosed              → endTunnel
            """
        ),
        Playbook(
            "a tunnel that is read and in which no request arrives",
            .connect,
            """
            requestHead               → runRequestHooks(none)
            requestHooksDone(forward) → connect
            intercepted               → openTunnel
            responseSent              → listen
            unused                    → finish [completed, client: close, got: nothing]
            """
        ),
    ]
}

extension Substring {
    fileprivate var trimming: String {
        let isBlank: (Character) -> Bool = { $0 == " " }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
