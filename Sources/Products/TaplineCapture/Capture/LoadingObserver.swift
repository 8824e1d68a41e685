// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Observes the callbacks between Foundation's protocol object and its client, and lets the stages
/// change them.
///
/// Only the body for a completion handler passes here, whole and just before the end; delegates and
/// files receive theirs another way.
/// **Isolation**: the queue on which Foundation loads.
final class LoadingObserver: NSObject, URLProtocolClient, @unchecked Sendable {
    private let client: any URLProtocolClient
    private let capture: TaskCapture
    private var exchange: CapturedExchange? { capture.exchange }
    private let task: URLSessionTask
    /// Takes over if a stage has answered instead of what Foundation has loaded; it owns this
    /// object.
    private unowned let owner: CapturingProtocol
    /// Whether the body passes through this object.
    private var seesBody: Bool
    private var body: Data?
    /// The response head that Foundation passes on, once it is known.
    private var response: HTTPURLResponse?
    /// Whether the app has been notified of the end, after which there are no more callbacks.
    private(set) var isOver = false
    /// The delay before the end that a stage requested when a delegate received the head.
    private var delay: Microseconds?
    /// The callbacks that follow when the delay requested by a stage is over.
    private var held: (() -> Void)?

    init(
        _ client: any URLProtocolClient,
        _ capture: TaskCapture,
        _ task: URLSessionTask,
        owner: CapturingProtocol
    ) {
        self.client = client
        self.capture = capture
        seesBody = capture.visibility == .handler || capture.visibility == .handlerOrDelegate
        self.task = task
        self.owner = owner
    }

    private var isChallenged: Bool { response?.isChallenge == true }

    /// Ends the delay: passes the held callbacks to the app.
    func release() {
        let events = held.take()
        events?()
    }

    /// Discards the held callbacks, because the app no longer waits for the end.
    func giveUp() { held = nil }

    /// Notes that another object has notified the app of the end.
    func end() { isOver = true }

    /// Reports the error of a task that Foundation has cancelled because a stage aborted it.
    func reportBroken(_ protocol: URLProtocol) {
        if let broken = capture.broken { urlProtocol(`protocol`, didFailWithError: broken) }
    }

    /// Notes the response head, which Foundation passes on only if a delegate wants it.
    private func note(_ response: URLResponse?) {
        guard self.response == nil, let response = response as? HTTPURLResponse,
            !response.isInterim
        else { return }
        self.response = response
        exchange?.received(Response(response))
        if !seesBody, capture.visibility != .elsewhere { exchange?.receivesUnseenContent() }
    }

    func urlProtocol(
        _ protocol: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        if capture.answered != nil { return }
        if capture.visibility == .handlerOrDelegate { seesBody = false }
        note(response)
        if self.response != nil { exchange?.firstByteCame() }
        var passed = response
        if !seesBody, self.response != nil, let exchange {
            let next = exchange.runResponseHooks(body: nil)
            delay = next.delay
            switch next.step {
            case .pass: break
            case .replace(let changed):
                // The server's response determines whether Foundation asks for a credential.
                if task.delegate is any URLSessionDataDelegate {
                    passed = HTTPURLResponse(changed, url: response.url) ?? response
                } else {
                    exchange.responseStaysAsItWas()
                }
            // More of the response may still arrive.
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
            if capture.visibility == .handlerOrDelegate { exchange?.received(data.span) }
            client.urlProtocol(`protocol`, didLoad: data)
        }
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        guard !isOver, !capture.isBrokenOff else { return }
        if let answered = capture.answered { return owner.answer(answered, after: 1) }
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
        owner.queueHop.after(pause.delay, task)
    }

    /// Runs the stages on a complete response.
    private func responseStep(of protocol: URLProtocol) -> Paused<ResponseStep> {
        guard let exchange else { return Paused(.pass) }
        guard seesBody else {
            // If a delegate has received the head, the stages have already run.
            if let delay { return Paused(.pass, delay: delay) }
            return exchange.runResponseHooks(body: nil)
        }
        // Foundation's own class passes a body to each handler; without one, the task has no
        // handler.
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
        if seesBody || capture.visibility != .elsewhere { exchange?.completed() }
        // There is no delegate that is notified of the end and would remove the task from the
        // table.
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
