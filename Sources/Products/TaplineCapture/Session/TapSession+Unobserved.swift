// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import TaplineModel

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
                return handler(data, response, capture.error ?? error)
            }
            let body = data ?? Data()
            exchange.received(Response(head))
            exchange.received(body.span)
            @Sendable func deliver(_ action: ResponseGate.Action) {
                switch action {
                case .pause(let delay):
                    DispatchQueue.global().after(delay) {
                        session.delegateQueue.addOperation { deliver(capture.pauseOver()) }
                    }
                case .fail(let failure): handler(nil, nil, capture.fail(failure))
                case .replace(let changed):
                    exchange.completed()
                    let head = HTTPURLResponse(changed, url: head.url) ?? head
                    handler(Data(changed.body.bytes), head, nil)
                default:
                    exchange.completed()
                    handler(data, response, nil)
                }
            }
            let task = capture.task
            var action = capture.runResponseHooks(.whole, of: task, body: WholeBody(body))
            // The hooks have run on the head, when the server refused the credential.
            if action == .none { action = capture.responseEnded() }
            deliver(action)
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
                return handler(file, response, capture.error ?? error)
            }
            exchange.received(Response(head))
            switch capture.runResponseHooks(.file, of: nil) {
            case .fail(let failure): handler(nil, nil, capture.fail(failure))
            case .replace(let changed):
                exchange.completed()
                handler(file, HTTPURLResponse(changed, url: head.url) ?? head, nil)
            default:
                exchange.completed()
                handler(file, response, nil)
            }
        }
    }
}
