// SPDX-License-Identifier: MIT

@testable import TaplineHTTP

/// An event of an exchange with a readable name.
struct ExchangeEvent: Sendable {
    let name: String
    let apply: @Sendable (inout HTTPExchangeStateMachine) -> HTTPExchangeAction

    init(
        _ name: String,
        _ apply: @escaping @Sendable (inout HTTPExchangeStateMachine) -> HTTPExchangeAction
    ) {
        self.name = name
        self.apply = apply
    }

    /// Every event with every significant parameter.
    ///
    /// Hooks want up to 2 bytes of a body, whose pieces have 1 and 3 bytes.
    static let all = request + response + tunnel + ends

    /// Returns the event with a name.
    static func named(_ name: String) -> ExchangeEvent? { all.first { $0.name == name } }

    private static let request = [
        ExchangeEvent("requestHead") { $0.requestHead(wantedBody: 0, expectsContinue: false) },
        ExchangeEvent("requestHead(hooks want the body)") {
            $0.requestHead(wantedBody: 2, expectsContinue: false)
        },
        ExchangeEvent("requestHead(hooks want the body, expects 100)") {
            $0.requestHead(wantedBody: 2, expectsContinue: true)
        },
        ExchangeEvent("requestBody(1)") { $0.requestBody(1) },
        ExchangeEvent("requestBody(3)") { $0.requestBody(3) },
        ExchangeEvent("requestEnd") { $0.requestEnd() },
        ExchangeEvent("requestHooksDone(forward)") { $0.requestHooksDone(.forward) },
        ExchangeEvent("requestHooksDone(forward, pauses)") {
            $0.requestHooksDone(.forward, pauses: true)
        },
        ExchangeEvent("requestHooksDone(respond)") { $0.requestHooksDone(.respond) },
        ExchangeEvent("requestHooksDone(respond, pauses)") {
            $0.requestHooksDone(.respond, pauses: true)
        },
        ExchangeEvent("requestHooksDone(abort)") { $0.requestHooksDone(.abort) },
        ExchangeEvent("requestHooksDone(abort, pauses)") {
            $0.requestHooksDone(.abort, pauses: true)
        },
        ExchangeEvent("pauseOver") { $0.pauseOver() },
        ExchangeEvent("requestDecided(forward)") { $0.requestDecided(.forward) },
        ExchangeEvent("requestDecided(respond)") { $0.requestDecided(.respond) },
        ExchangeEvent("requestDecided(abort)") { $0.requestDecided(.abort) },
        ExchangeEvent("answered") { $0.answered(pauses: false) },
        ExchangeEvent("answered(pauses)") { $0.answered(pauses: true) },
        ExchangeEvent("serverConnected") { $0.serverConnected() },
        ExchangeEvent("serverConnected(may repeat)") { $0.serverConnected(mayRepeat: true) },
        ExchangeEvent("serverConnected(has the body)") { $0.serverConnected(hasBody: true) },
    ]

    private static let response = [
        ExchangeEvent("responseBegun") { $0.responseBegun() },
        ExchangeEvent("interimHead") { $0.interimHead() },
        ExchangeEvent("responseHead(bodiless)") { $0.responseHead(.bodiless) },
        ExchangeEvent("responseHead(body)") { $0.responseHead(.body(wanted: 0)) },
        ExchangeEvent("responseHead(body, hooks want it)") { $0.responseHead(.body(wanted: 2)) },
        ExchangeEvent("responseHead(switches)") { $0.responseHead(.switches) },
        ExchangeEvent("responseBody(1)") { $0.responseBody(1) },
        ExchangeEvent("responseBody(3)") { $0.responseBody(3) },
        ExchangeEvent("responseEnd") { $0.responseEnd() },
        ExchangeEvent("responseHooksDone(whole)") { $0.responseHooksDone(.whole) },
        ExchangeEvent("responseHooksDone(whole, pauses)") {
            $0.responseHooksDone(.whole, pauses: true)
        },
        ExchangeEvent("responseHooksDone(open)") { $0.responseHooksDone(.open) },
        ExchangeEvent("responseHooksDone(open, pauses)") {
            $0.responseHooksDone(.open, pauses: true)
        },
        ExchangeEvent("responseHooksDone(switches)") { $0.responseHooksDone(.switches) },
        ExchangeEvent("responseHooksDone(switches, pauses)") {
            $0.responseHooksDone(.switches, pauses: true)
        },
        ExchangeEvent("responseHooksDone(abort)") { $0.responseHooksDone(.abort) },
        ExchangeEvent("responseHooksDone(abort, pauses)") {
            $0.responseHooksDone(.abort, pauses: true)
        },
        ExchangeEvent("responseDecided(whole)") { $0.responseDecided(.whole) },
        ExchangeEvent("responseDecided(open)") { $0.responseDecided(.open) },
        ExchangeEvent("responseDecided(switches)") { $0.responseDecided(.switches) },
        ExchangeEvent("responseDecided(abort)") { $0.responseDecided(.abort) },
        ExchangeEvent("responseWritten") { $0.responseWritten() },
        ExchangeEvent("responseSent") { $0.responseSent() },
    ]

    private static let tunnel = [
        ExchangeEvent("intercepted") { $0.intercepted() },
        ExchangeEvent("passedThrough") { $0.passedThrough() },
        ExchangeEvent("superseded") { $0.superseded() },
        ExchangeEvent("unused") { $0.unused() },
        ExchangeEvent("clientEnded") { $0.clientEnded() },
        ExchangeEvent("serverEnded") { $0.serverEnded() },
    ]

    private static let ends = [
        ExchangeEvent("clientClosed") { $0.clientClosed() },
        ExchangeEvent("serverClosed") { $0.serverClosed() },
        ExchangeEvent("timeout") { $0.timeout() },
        ExchangeEvent("stopped") { $0.stopped() },
        ExchangeEvent("aborted") { $0.aborted() },
        ExchangeEvent("failed") { $0.failed() },
    ]
}

extension HTTPExchangeAction {
    /// The action in readable form.
    var text: String {
        switch self {
        case .refuse(let ending): "refuse \(ending.text)"
        case .finish(let ending): "finish \(ending.text)"
        case .endTunnel(let first): "endTunnel" + (first.map { " (\($0) ended first)" } ?? "")
        case .shutdown(let side): "shutdown \(side)"
        case .impossible(let reason): "impossible: \(reason.rawValue)"
        default: "\(self)".replacing("TaplineHTTP.HTTPExchangeAction.VisibleBody.", with: "")
        }
    }
}

extension HTTPExchangeAction.Ending {
    fileprivate var text: String {
        var parts = ["\(outcome)", "client: \(client)", "got: \(response)"]
        if isServerClean { parts.append("server is clean") }
        if !isRequestWhole { parts.append("request is incomplete") }
        return "[" + parts.joined(separator: ", ") + "]"
    }
}
