// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineHTTP

/// Expected conversations: events in, actions out.
@Suite("Conversations of an exchange")
struct ExchangePlaybookTests {
    /// A conversation of an exchange of some kind.
    struct Conversation: Sendable, CustomTestStringConvertible {
        let playbook: Playbook
        let kind: HTTPExchangeStateMachine.Kind

        init(_ name: String, _ kind: HTTPExchangeStateMachine.Kind, _ lines: String) {
            playbook = Playbook(name, lines)
            self.kind = kind
        }

        var testDescription: String { playbook.name }
    }

    @Test(arguments: ordinary + hooks + early + failures + tunnels)
    func conversation(_ conversation: Conversation) throws {
        var machine = HTTPExchangeStateMachine(conversation.kind, maxInterim: 2)
        for line in conversation.playbook.lines {
            let event = try #require(ExchangeEvent.named(line.event), "\(line)")
            let action = event.apply(&machine)
            try #require(action.text == line.action, "\(line)")
        }
        let isEnded = machine.isEnded
        #expect(isEnded)
    }

    static let ordinary = [
        Conversation(
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
        Conversation(
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
        Conversation(
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
        Conversation(
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
        Conversation(
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
        Conversation(
            "a hook answers, and the rest of the request is not read",
            .body,
            """
            requestHead               → runRequestHooks(head)
            requestHooksDone(respond) → runResponseHooks(made)
            responseHooksDone(whole)  → respond(isWhole: true)
            responseSent              → finish [completed, client: close, got: whole, request is incomplete]
            """
        ),
        Conversation(
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
        Conversation(
            "somebody answers a request, and lets the answer go on, while hooks pause",
            .bodiless,
            """
            requestHead                       → runRequestHooks(none)
            requestHooksDone(forward, pauses) → pause
            requestDecided(respond)           → pause
            pauseOver                         → runResponseHooks(made)
            responseHooksDone(open, pauses)   → pause
            responseDecided(whole)            → pause
            pauseOver                         → respond(isWhole: true)
            responseSent                      → finish [completed, client: keep, got: whole]
            """
        ),
        Conversation(
            "a client disconnects before somebody decides",
            .bodiless,
            """
            requestHead                       → runRequestHooks(none)
            requestHooksDone(forward, pauses) → pause
            clientClosed                      → finish [cancelled, client: reset, got: nothing]
            requestDecided(respond)           → none
            pauseOver                         → none
            """
        ),
        Conversation(
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
        Conversation(
            "a server disconnects after a body that hooks wait for, while a hook pauses",
            .bodiless,
            """
            requestHead                       → runRequestHooks(none)
            requestHooksDone(forward)         → connect
            serverConnected                   → sendRequest(ends: true)
            responseHead(body, hooks want it) → none
            responseBody(1)                   → hold
            responseEnd                       → runResponseHooks(whole)
            responseHooksDone(whole, pauses)  → pause
            serverClosed                      → none
            pauseOver                         → respond(isWhole: true)
            responseSent → finish [completed, client: keep, got: whole, server is clean]
            """
        ),
        Conversation(
            "a streamed response ends and its server disconnects, while a hook pauses",
            .bodiless,
            """
            requestHead                      → runRequestHooks(none)
            requestHooksDone(forward)        → connect
            serverConnected                  → sendRequest(ends: true)
            responseHead(body)               → runResponseHooks(head)
            responseHooksDone(open, pauses)  → pause
            responseBody(1)                  → hold
            responseEnd                      → none
            serverClosed                     → none
            pauseOver                        → respond(isWhole: false)
            responseSent                     → sendHeld(ends: true)
            responseSent → finish [completed, client: keep, got: streamed, server is clean]
            """
        ),
        Conversation(
            "a hook answers a whole request, and the client's connection stays open",
            .bodiless,
            """
            requestHead               → runRequestHooks(none)
            requestHooksDone(respond) → runResponseHooks(made)
            responseHooksDone(whole)  → respond(isWhole: true)
            responseSent              → finish [completed, client: keep, got: whole]
            """
        ),
        Conversation(
            "a hook aborts",
            .bodiless,
            """
            requestHead             → runRequestHooks(none)
            requestHooksDone(abort) → finish [cancelled, client: reset, got: nothing]
            requestHooksDone(abort) → none
            """
        ),
        Conversation(
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
        Conversation(
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
        Conversation(
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
        Conversation(
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
        Conversation(
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
        Conversation(
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
        Conversation(
            "a client takes too long for a response that was written as a whole",
            .bodiless,
            """
            requestHead               → runRequestHooks(none)
            requestHooksDone(respond) → runResponseHooks(made)
            responseHooksDone(whole)  → respond(isWhole: true)
            responseWritten           → none
            timeout                   → finish [failed, client: reset, got: part]
            responseSent              → none
            """
        ),
        Conversation(
            "a response that was written as a whole is sent",
            .bodiless,
            """
            requestHead               → runRequestHooks(none)
            requestHooksDone(forward) → connect
            serverConnected           → sendRequest(ends: true)
            responseHead(bodiless)    → runResponseHooks(none)
            responseHooksDone(whole)  → respond(isWhole: true)
            responseWritten           → none
            serverClosed              → none
            responseSent → finish [completed, client: keep, got: whole, server is clean]
            """
        ),
        Conversation(
            "a client does not finish its request",
            .body,
            """
            requestHead(hooks want the body) → none
            requestBody(1)  → hold
            timeout         → refuse [failed, client: close, got: nothing, request is incomplete]
            """
        ),
        Conversation(
            "a request that ends within the body that hooks wait for",
            .body,
            """
            requestHead(hooks want the body) → none
            requestBody(1)  → hold
            failed          → refuse [failed, client: close, got: nothing, request is incomplete]
            """
        ),
        Conversation(
            "a request that ends within its body, before the server has received it",
            .body,
            """
            requestHead               → runRequestHooks(head)
            requestHooksDone(forward) → connect
            requestBody(1)            → hold
            failed → refuse [failed, client: close, got: nothing, request is incomplete]
            """
        ),
        Conversation(
            "a request that ends within its body while the response arrives",
            .body,
            """
            requestHead               → runRequestHooks(head)
            requestHooksDone(forward) → connect
            serverConnected           → sendRequest(ends: false)
            responseHead(body)        → runResponseHooks(head)
            responseHooksDone(open)   → respond(isWhole: false)
            responseSent              → sendHeld(ends: false)
            failed → finish [failed, client: reset, got: part, request is incomplete]
            """
        ),
        Conversation(
            "a refused request",
            .body,
            """
            failed → refuse [failed, client: close, got: nothing, request is incomplete]
            """
        ),
        Conversation(
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
        Conversation(
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
        Conversation(
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
        Conversation(
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
        Conversation(
            "a server switches protocols while the request is incomplete",
            .body,
            """
            requestHead               → runRequestHooks(head)
            requestHooksDone(forward) → connect
            serverConnected           → sendRequest(ends: false)
            responseHead(switches)    → refuse [failed, client: close, got: nothing, request is incomplete]
            """
        ),
        Conversation(
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
        Conversation(
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
