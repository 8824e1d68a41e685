// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Stands between Foundation's protocol object and its client: looks at what passes, and lets the
/// stages change it.
///
/// A body passes here for completion handlers alone, whole and just before the end; delegates and
/// files get theirs another way.
/// **Isolation**: the queue on which Foundation loads.
final class LoadingObserver: NSObject, URLProtocolClient, @unchecked Sendable {
    private let client: any URLProtocolClient
    private let capture: TaskCapture
    private var exchange: CapturedExchange? { capture.exchange }
    private let task: URLSessionTask
    /// Takes over where a stage has answered in the place of what Foundation has loaded; it holds this.
    private unowned let owner: CapturingProtocol
    /// Whether the body passes here.
    private var seesBody: Bool
    private var body: Data?
    /// The head that Foundation is told, once it is known.
    private var response: HTTPURLResponse?
    /// Whether the app has been told the end, after which nothing is told any more.
    private(set) var isOver = false
    /// The pause before the end that a stage has asked for when a delegate heard of the head.
    private var delay: Microseconds?
    /// What the app gets when the pause is over that a stage has asked for.
    private var held: (() -> Void)?

    init(
        _ client: any URLProtocolClient,
        _ capture: TaskCapture,
        _ task: URLSessionTask,
        owner: CapturingProtocol
    ) {
        self.client = client
        self.capture = capture
        seesBody = capture.sight == .handler || capture.sight == .handlerOrDelegate
        self.task = task
        self.owner = owner
    }

    private var isChallenged: Bool { response?.isChallenge == true }

    /// The pause is over: the app gets what it waits for.
    func release() {
        let events = held.take()
        events?()
    }

    /// Nobody waits for the end any more.
    func giveUp() { held = nil }

    /// The app has been told the end by somebody else.
    func end() { isOver = true }

    /// Foundation has cancelled what a stage has broken off.
    func tellBroken(_ protocol: URLProtocol) {
        if let broken = capture.broken { urlProtocol(`protocol`, didFailWithError: broken) }
    }

    /// Notes the head of the response, which Foundation tells only where a delegate wants it.
    private func note(_ response: URLResponse?) {
        guard self.response == nil, let response = response as? HTTPURLResponse,
            !response.isInterim
        else { return }
        self.response = response
        exchange?.received(Response(response))
        if !seesBody, capture.sight != .elsewhere { exchange?.receivesUnseenContent() }
    }

    func urlProtocol(
        _ protocol: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        if capture.answered != nil { return }
        if capture.sight == .handlerOrDelegate { seesBody = false }
        note(response)
        if self.response != nil { exchange?.firstByteCame() }
        var passed = response
        if !seesBody, self.response != nil, let exchange {
            let next = exchange.runResponseHooks(body: nil)
            delay = next.delay
            switch next.step {
            case .pass: break
            case .replace(let changed):
                // Whether Foundation asks for a credential hangs on the server's.
                if task.delegate is any URLSessionDataDelegate {
                    passed = HTTPURLResponse(changed, url: response.url) ?? response
                } else {
                    exchange.responseStaysAsItWas()
                }
            // More of it may be on its way.
            case .abort: return capture.breakOff(task, exchange, after: next.delay)
            }
        }
        client.urlProtocol(`protocol`, didReceive: passed, cacheStoragePolicy: policy)
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
        guard !isOver, capture.isPassedOn else { return }
        if seesBody {
            body = data
        } else {
            if capture.sight == .handlerOrDelegate { exchange?.received(data.span) }
            client.urlProtocol(`protocol`, didLoad: data)
        }
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        guard !isOver, !capture.isBrokenOff else { return }
        if let answered = capture.answered { return owner.answer(answered, behind: 1) }
        note(FoundationTask.response(of: task))
        let next = responseStep(of: `protocol`)
        guard next.delay.count > 0 else { return finish(`protocol`, next.step) }
        let pause = FoundationProtocol.pause(next.delay, task)
        held = { [self] in
            if let error = pause.error {
                urlProtocol(`protocol`, didFailWithError: error)
            } else {
                finish(`protocol`, next.step)
            }
        }
        owner.comesBack.after(pause.delay, task)
    }

    /// What the stages make of a response that is whole.
    private func responseStep(of protocol: URLProtocol) -> Paused<ResponseStep> {
        guard let exchange else { return Paused(.pass) }
        guard seesBody else {
            // Where a delegate has heard of the head they have had their say.
            if let delay { return Paused(.pass, delay: delay) }
            return exchange.runResponseHooks(body: nil)
        }
        // Foundation's own class hands a body to each handler; where it does not, nobody has asked for it.
        if body == nil, response?.expectedContentLength != 0,
            type(of: `protocol`) == FoundationProtocol.http
        {
            exchange.receivesUnseenContent()
        }
        let data = body ?? Data()
        exchange.received(data.span)
        return exchange.runResponseHooks(body: WholeBody(data))
    }

    private func finish(_ protocol: URLProtocol, _ step: ResponseStep) {
        switch step {
        case .pass: break
        case .abort: return abort(`protocol`)
        case .replace where !seesBody: exchange?.responseStaysAsItWas()
        case .replace(let response):
            if let request = task.currentRequest {
                return owner.answer(TaskCapture.Answered(response, to: request))
            }
        }
        isOver = !isChallenged
        if seesBody || capture.sight != .elsewhere { exchange?.completed() }
        // No delegate is told of the end of what passes here, which would have it forgotten.
        if isOver, seesBody { TaskCapture.forget(task) }
        if seesBody, let body { client.urlProtocol(`protocol`, didLoad: body) }
        client.urlProtocolDidFinishLoading(`protocol`)
    }

    private func abort(_ protocol: URLProtocol) {
        isOver = true
        let error = exchange?.aborted()
        client.urlProtocol(`protocol`, didFailWithError: URLError(error))
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        guard !isOver else { return }
        isOver = true
        note(FoundationTask.response(of: task))
        exchange?.ended(error)
        if seesBody { TaskCapture.forget(task) }
        client.urlProtocol(`protocol`, didFailWithError: capture.broken ?? error)
    }

    func urlProtocol(
        _ protocol: URLProtocol,
        wasRedirectedTo request: URLRequest,
        redirectResponse: URLResponse
    ) {
        client.urlProtocol(`protocol`, wasRedirectedTo: request, redirectResponse: redirectResponse)
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid response: CachedURLResponse) {
        client.urlProtocol(`protocol`, cachedResponseIsValid: response)
    }

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        client.urlProtocol(`protocol`, didReceive: challenge)
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
        client.urlProtocol(`protocol`, didCancel: challenge)
    }
}
