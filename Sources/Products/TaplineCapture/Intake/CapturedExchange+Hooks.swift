// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// How a request continues after the hooks have run.
enum RequestStep: Sendable, Equatable {
    /// The app's request goes to the server unchanged.
    case forward
    /// This request goes to the server instead.
    case send(Request)
    /// This is the response; the server is not contacted.
    case answer(Response)
    /// The app receives a connection error.
    case abort
}

/// How a response continues after the hooks have run.
enum ResponseStep: Sendable, Equatable {
    /// The app receives the response unchanged.
    case pass
    /// The app receives this response instead.
    case replace(Response)
    /// The app receives a connection error.
    case abort
}

/// A step that follows a delay.
struct Paused<Step: Sendable & Equatable>: Sendable, Equatable {
    /// The step.
    let step: Step
    /// The delay before the step.
    let delay: Microseconds

    /// Creates a step; by default without a delay.
    init(_ step: Step, delay: Microseconds = Microseconds(0)) {
        self.step = step
        self.delay = delay
    }
}

/// A complete body, whose bytes are only read if a stage needs them.
struct WholeBody: Sendable {
    let count: Int
    let bytes: @Sendable () -> [UInt8]

    /// Creates a body with a size and a closure that returns its bytes.
    init(count: Int, bytes: @escaping @Sendable () -> [UInt8]) {
        self.count = count
        self.bytes = bytes
    }
}

extension CapturedExchange.State {
    mutating func runRequestHooks(_ body: WholeBody?, _ lane: any Lane) -> Paused<RequestStep> {
        let captured = held.exchange.request.body
        if let body, lane.wantedBody(of: .request, held.exchange, &held.context) >= body.count {
            held.exchange.request.body = Body(body.bytes())
            held.context.hasRequestBody = true
        }
        let before = held.exchange.request
        formerRequest = CapturedExchange.MessageBackup(before, held.exchange.original)
        formerRequest?.message.body = captured
        let outcome = lane.request(&held.exchange, &held.context)
        hasSetRequestBody = held.exchange.request.body != before.body
        let isSame = held.exchange.request == before
        if !hasSetRequestBody { held.exchange.request.body = captured }
        isSent = outcome.action == .forward
        switch outcome.action {
        case .abort: return Paused(.abort, delay: outcome.delay)
        case .forward where isSame: return Paused(.forward, delay: outcome.delay)
        case .forward:
            var request = held.exchange.request
            if !hasSetRequestBody, let body { request.body = Body(body.bytes()) }
            return Paused(.send(request), delay: outcome.delay)
        case .respond:
            held.context.hasResponseBody = true
            hasSetResponseBody = true
            let answer = lane.response(&held.exchange, &held.context)
            let delay = Microseconds(outcome.delay.count + answer.delay.count)
            guard answer.action != .abort, var response = held.exchange.response else {
                return Paused(.abort, delay: delay)
            }
            if !hasContent(response) {
                response.body = Body()
                held.exchange.response?.body = Body()
            }
            return Paused(.answer(response), delay: delay)
        }
    }

    /// Restores the request as it was before its hooks.
    mutating func takeBackRequest() {
        isSent = true
        guard let former = formerRequest else { return }
        held.exchange.request = former.message
        held.exchange.original = former.original
        held.exchange.response = nil
        held.context.hasResponseBody = false
        hasSetRequestBody = false
        hasSetResponseBody = false
    }

    /// Restores the response as it was before its hooks.
    mutating func takeBackResponse() {
        guard let former = formerResponse else { return }
        held.exchange.response = former.message
        held.exchange.original = former.original
        hasSetResponseBody = false
    }

    mutating func runResponseHooks(_ body: WholeBody?, _ lane: any Lane) -> Paused<ResponseStep> {
        guard let received = held.exchange.response else { return Paused(.pass) }
        if let body, lane.wantedBody(of: .response, held.exchange, &held.context) >= body.count {
            held.exchange.response?.body = Body(body.bytes())
            held.context.hasResponseBody = true
        }
        let before = held.exchange.response
        formerResponse = CapturedExchange.MessageBackup(received, held.exchange.original)
        let outcome = lane.response(&held.exchange, &held.context)
        hasSetResponseBody = held.exchange.response?.body != before?.body
        if hasSetResponseBody, body == nil {
            held.exchange.response?.body = received.body
            held.exchange.response?.fields.restoreContentFields(of: received.fields)
            held.exchange.response?.fields.sortByName()
            hasSetResponseBody = false
            hasIgnoredBody = true
        }
        let isSame = held.exchange.response == before
        if !hasSetResponseBody { held.exchange.response?.body = received.body }
        guard outcome.action != .abort, var response = held.exchange.response else {
            return Paused(.abort, delay: outcome.delay)
        }
        if isSame { return Paused(.pass, delay: outcome.delay) }
        if !hasContent(response) {
            response.body = Body()
            held.exchange.response?.body = received.body
            hasSetResponseBody = false
        } else if !hasSetResponseBody, let body {
            response.body = Body(body.bytes())
        }
        return Paused(.replace(response), delay: outcome.delay)
    }

    /// Returns whether a response that a stage has made or changed may have content.
    private func hasContent(_ response: Response) -> Bool {
        let request = formerRequest?.message ?? held.exchange.request
        return Response.allowsContent(response.status, isHead: request.method == "HEAD")
    }
}
