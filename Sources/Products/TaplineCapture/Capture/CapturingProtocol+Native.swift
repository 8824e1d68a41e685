// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// What Foundation loads.
extension CapturingProtocol {
    /// Starts Foundation's own loading.
    func load() {
        guard let task, let capture else { return }
        guard let type = FoundationProtocol.type(for: request, of: task) else {
            return fail(URLError(.unsupportedURL))
        }
        let visibility = capture.visibility
        let seesBody = visibility == .handler || visibility == .handlerOrDelegate
        let load = NativeLoad(self, seesBody: seesBody)
        let native = type.init(task: task, cachedResponse: cachedResponse, client: load)
        phase = .native(native, load)
        native.startLoading()
    }

    /// Records the response head, which Foundation passes on only if a delegate wants it.
    private func note(_ response: URLResponse?, of native: URLProtocol, _ load: NativeLoad) {
        guard load.response == nil, let response = response as? HTTPURLResponse,
            !response.isInterim
        else { return }
        load.response = response
        noteHiddenRedirections(of: native, load)
        exchange?.received(Response(response))
        if !load.seesBody, capture?.visibility != .elsewhere { exchange?.receivesUnseenContent() }
    }

    /// Ends the exchange of a request that was redirected, and begins that of the last request, if
    /// Foundation has followed redirections without asking a delegate of Tapline.
    func noteHiddenRedirections(of native: URLProtocol, _ load: NativeLoad) {
        guard let task, let capture, let exchange else { return }
        var count = FoundationProtocol.redirections(of: native, from: self.request, task)
        guard count > capture.hops, !(task.delegate is TapDelegate),
            let request = task.currentRequest
        else { return }
        // The app did not want to follow the last one, or has not answered yet.
        let isAsked =
            task.delegate != nil
            && (load.response.map { request.following($0) != nil }
                ?? (request.url == self.request.url))
        if isAsked { count -= 1 }
        let hidden = min(count, Redirection.limit) - capture.hops
        guard hidden > 0 else { return }
        let next = exchange.redirected(to: Request(request, of: task), hidden: hidden)
        capture.beginHops(hidden, next)
    }

    /// Foundation has received a response head.
    func loaded(
        _ response: URLResponse,
        _ policy: URLCache.StoragePolicy,
        by native: URLProtocol,
        _ load: NativeLoad
    ) {
        guard let task, let capture, !capture.dropsBody else { return }
        if capture.visibility == .handlerOrDelegate { load.seesBody = false }
        note(response, of: native, load)
        var passed = response
        if load.response != nil {
            exchange?.firstByteCame()
            if !load.seesBody {
                // The server's response determines whether Foundation asks for a credential.
                let takesData = task.delegate is any URLSessionDataDelegate
                switch capture.runResponseHooks(takesData ? .head : .unchangedHead, of: task) {
                case .replaceHead(let head):
                    passed = HTTPURLResponse(head, url: response.url) ?? response
                // More of the response may still arrive.
                case .abort(let delay): return capture.scheduleAbortion(of: task, after: delay)
                default: break
                }
            }
        }
        client?.urlProtocol(native, didReceive: passed, cacheStoragePolicy: policy)
    }

    /// Foundation has received content.
    func loaded(_ data: Data, by native: URLProtocol, _ load: NativeLoad) {
        guard let capture, !isOver, !capture.dropsBody else { return }
        if load.seesBody {
            load.body = data
            return
        }
        if capture.visibility == .handlerOrDelegate { exchange?.received(data.span) }
        client?.urlProtocol(native, didLoad: data)
    }

    /// Foundation has loaded the whole response.
    func finishedLoading(_ native: URLProtocol, _ load: NativeLoad) {
        guard let task, let capture, !isOver else { return }
        switch capture.responseEnded() {
        case .runHooks:
            note(FoundationTask.response(of: task), of: native, load)
            carryOut(runResponseHooks(capture, task, native, load))
        case .replace(let response):
            // A stage has answered the request that Foundation was redirected to.
            guard let request = capture.takeAnsweredRequest() else { return }
            redirections += 1
            setSent(request)
            answer(response, from: request.url)
        case let action: carryOut(action)
        }
    }

    private func runResponseHooks(
        _ capture: TaskCapture,
        _ task: URLSessionTask,
        _ native: URLProtocol,
        _ load: NativeLoad
    ) -> ResponseGate.Action {
        guard load.seesBody else { return capture.runResponseHooks(.unchangedWhole, of: task) }
        // Foundation's own class passes a body to each handler; without one, the task has no
        // handler.
        if load.body == nil, load.response?.expectedContentLength != 0,
            type(of: native) == FoundationProtocol.http
        {
            exchange?.receivesUnseenContent()
        }
        let data = load.body ?? Data()
        exchange?.received(data.span)
        return capture.runResponseHooks(.whole, of: task, body: WholeBody(data))
    }

    /// Passes the end of the response to the app, and its body if the app has not received it.
    func deliver(_ native: URLProtocol, _ load: NativeLoad) {
        guard let task, let client else { return }
        // After a challenge, Foundation asks for a credential, and the task goes on.
        isOver = load.response?.isChallenge != true
        if load.seesBody || capture?.visibility != .elsewhere { exchange?.completed() }
        // There is no delegate that is notified of the end and would remove the task from the
        // table.
        if isOver, load.seesBody { TaskCapture.forget(task) }
        if load.seesBody, let body = load.body { client.urlProtocol(native, didLoad: body) }
        client.urlProtocolDidFinishLoading(native)
    }

    func failedLoading(_ native: URLProtocol, _ load: NativeLoad, _ error: any Error) {
        guard let task, let client else { return }
        note(FoundationTask.response(of: task), of: native, load)
        noteHiddenRedirections(of: native, load)
        isOver = true
        exchange?.ended(error)
        capture?.close()
        if load.seesBody { TaskCapture.forget(task) }
        client.urlProtocol(native, didFailWithError: capture?.error ?? error)
    }
}
