// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The response, until the app has received it.
extension CapturingProtocol {
    /// Carries out what happens to a complete response.
    func carryOut(_ action: ResponseGate.Action) {
        guard let task else { return }
        switch action {
        case .pause(let delay): queueHop.after(delay, task)
        case .deliver: deliver()
        case .replace(let response):
            if case .native = phase, let request = task.currentRequest { setSent(request) }
            answer(response, from: sent.url)
        case .fail(let failure): fail(failure)
        case .abort(let delay): capture?.scheduleAbortion(of: task, after: delay)
        // These concern an unfinished response.
        case .none, .runHooks, .passHead, .replaceHead, .follow: break
        }
    }

    private func deliver() {
        switch phase {
        case .native(let native, let load): deliver(native, load)
        case .received(let response, let data): end(response, data)
        case .fresh, .pausing, .substituting, .asking, .over: break
        }
    }

    /// Continues when the complete response to a changed request has arrived.
    func finish(_ result: Result<(HTTPURLResponse, Data), any Error>) {
        switch result {
        case .failure(let error):
            exchange?.failed(ExchangeError(error))
            report { $0.urlProtocol(self, didFailWithError: error) }
        case .success((let response, let data)):
            // Capture may have ended.
            guard let capture, let exchange else { return end(response, data) }
            exchange.received(Response(response))
            exchange.received(data.span)
            phase = .received(response, data)
            carryOut(capture.runResponseHooks(.whole, of: task, body: WholeBody(data)))
        }
    }

    /// Passes a response made by a stage to the app.
    func answer(_ response: Response, from url: URL?) {
        guard let head = HTTPURLResponse(response, url: url) else {
            return fail(URLError(.badServerResponse))
        }
        if let task, response.fields.contains("Set-Cookie") {
            FoundationProtocol.keepCookies(of: head, for: task)
        }
        end(head, Data(response.body.bytes))
    }

    /// Ends with a complete response: passes it to the app, or follows its redirection.
    private func end(_ response: HTTPURLResponse, _ data: Data) {
        guard let task, let redirection = Redirection(response, data, to: sent) else {
            exchange?.completed()
            return report(response, data)
        }
        guard redirections < Redirection.limit else { return fail(URLError(.httpTooManyRedirects)) }
        exchange?.completed()
        phase = .asking(redirection)
        redirection.ask(task) { [queueHop] in queueHop.after(Microseconds(0), task) }
    }

    /// Replaces the current request by one that no stage has changed.
    func setSent(_ request: URLRequest) {
        sent = request
        isChanged = false
        isHead = request.httpMethod == "HEAD"
    }

    func go(_ redirection: Redirection, _ answer: Redirection.Answer) {
        guard let task, case .follow(let request) = answer else {
            return report(redirection.response, redirection.body)
        }
        let next = request.asFollowing
        redirections += 1
        sent = next
        isHead = next.httpMethod == "HEAD"
        let exchange = exchange?.following(Request(next, of: isChanged ? nil : task))
        capture?.begin(exchange)
        guard let exchange else { return sendSubstitute(next) }
        take(exchange.runRequestHooks(body: exchange.sends(Data())))
    }

    func fail(_ failure: ResponseGate.Failure) {
        guard let error = capture?.fail(failure) else { return }
        report { $0.urlProtocol(self, didFailWithError: error) }
    }

    func fail(_ error: URLError) {
        exchange?.failed(ExchangeError(error))
        report { $0.urlProtocol(self, didFailWithError: error) }
    }

    private func report(_ response: HTTPURLResponse, _ data: Data) {
        // Foundation would ask the app for a credential and send it to the URL where the task
        // began.
        let isFinal = redirections > 0 || exchange?.mayBeSent == false
        let response = isFinal ? response.withoutChallenge : response
        report(hasEnd: !response.isChallenge) { client in
            client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            // In one part, because Foundation passes only the last of several parts to a completion
            // handler.
            if !isHead, !data.isEmpty {
                client.urlProtocol(self, didLoad: data)
            }
            client.urlProtocolDidFinishLoading(self)
        }
    }

    private func report(hasEnd: Bool = true, _ events: (any URLProtocolClient) -> Void) {
        phase = .over
        guard let client else { return }
        isOver = hasEnd
        if hasEnd, let task { TaskCapture.forget(task) }
        events(client)
    }
}
