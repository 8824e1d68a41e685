// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import TaplineModel
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The response that follows a credential, for a task with a completion handler.
///
/// No delegate receives it, and none of Tapline's protocol objects loads it. The stages see it
/// here, complete.
extension TapSession {
    /// Wraps a completion handler of the app.
    func observed(
        _ handler: @escaping DataHandler,
        _ capture: TaskCapture
    ) -> DataHandler {
        { [session] data, response, error in
            guard !capture.isObserved else { return handler(data, response, error) }
            defer { capture.forget() }
            guard let exchange = capture.exchange, error == nil,
                let head = response as? HTTPURLResponse
            else {
                capture.exchange?.ended(error)
                return handler(data, response, capture.broken ?? error)
            }
            let body = data ?? Data()
            exchange.received(Response(head))
            exchange.received(body.span)
            let next = exchange.runResponseHooks(body: WholeBody(body))
            let pause = capture.pause(next.delay)
            let deliver: @Sendable () -> Void = {
                switch next.step {
                case _ where pause.error != nil:
                    exchange.ended(pause.error)
                    handler(nil, nil, pause.error)
                case .abort: handler(nil, nil, URLError(exchange.aborted()))
                case .replace(let changed):
                    exchange.completed()
                    let head = HTTPURLResponse(changed, url: head.url) ?? head
                    handler(Data(changed.body.bytes), head, nil)
                case .pass:
                    exchange.completed()
                    handler(data, response, nil)
                }
            }
            guard pause.delay.count > 0 else { return deliver() }
            DispatchQueue.global().after(pause.delay) {
                session.delegateQueue.addOperation(deliver)
            }
        }
    }

    /// The same for a download, which cannot be delayed because Foundation removes its file.
    func observed(
        _ handler: @escaping FileHandler,
        _ capture: TaskCapture
    ) -> FileHandler {
        { file, response, error in
            defer { capture.forget() }
            let exchange = capture.exchange
            if let file { exchange?.received(file) }
            guard !capture.isObserved, let exchange, error == nil,
                let head = response as? HTTPURLResponse
            else {
                exchange?.ended(error)
                return handler(file, response, capture.broken ?? error)
            }
            exchange.received(Response(head))
            let next = exchange.runResponseHooks(body: nil)
            if next.step == .abort { return handler(nil, nil, URLError(exchange.aborted())) }
            exchange.completed()
            guard case .replace(let changed) = next.step else {
                return handler(file, response, nil)
            }
            handler(file, HTTPURLResponse(changed, url: head.url) ?? head, nil)
        }
    }
}
