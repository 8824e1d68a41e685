// SPDX-License-Identifier: MIT

internal import Foundation
internal import TaplineModel

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The request, until it is sent.
extension CapturingProtocol {
    func begin() {
        guard let task else { return }
        let intake = Self.captures(task) ? TapRegistry.intake(of: Self.slot) : nil
        guard let exchange = intake?.begin(Request(request, of: task)) else {
            // The guards around Foundation's traps also apply to a task that is not captured.
            capture = TaskCapture(upload: .none, visibility: .elsewhere)
            return load()
        }
        let capture = TaskCapture.of(task, sending: request)
        capture.begin(exchange)
        capture.queueHop = queueHop
        queueHop.begin(for: self)
        self.capture = capture
        take(exchange.runRequestHooks(body: requestBody(capture, exchange)))
    }

    /// Passes on the body of the request; returns `nil` if it is not known completely.
    private func requestBody(_ capture: TaskCapture, _ exchange: CapturedExchange) -> WholeBody? {
        switch capture.upload {
        case .data(let data): return exchange.sends(data)
        case .none where request.httpBodyStream == nil:
            return exchange.sends(request.httpBody ?? Data())
        case .file(let file):
            exchange.sends(file)
            return nil
        case .stream:
            exchange.sendsStream()
            return nil
        case .none, .unseen:
            exchange.sendsUnseenContent()
            return nil
        }
    }

    /// Whether the body of the request is available for sending it another way.
    private var isBodyAvailable: Bool {
        if redirections > 0 { return true }
        return switch capture?.upload {
        case .some(.none), .data: true
        case .stream: request.httpBodyStream != nil
        case nil, .file, .unseen: false
        }
    }

    /// Carries out what the request hooks want, after the delay that they want.
    func take(_ next: Paused<RequestStep>) {
        // Nearly all requests continue at once, and a closure would cost as much as starting them.
        guard next.delay.count > 0, let task else { return take(next.step) }
        let pause = FoundationProtocol.pause(next.delay, task)
        phase = .pausing { [unowned self] in
            if let error = pause.error { fail(error) } else { take(next.step) }
        }
        queueHop.after(pause.delay, task)
    }

    private func take(_ step: RequestStep) {
        // Foundation accepts no file from here, and a body that is not visible would be lost.
        let isDownload = task is URLSessionDownloadTask
        switch step {
        case .forward where redirections > 0: sendSubstitute(sent)
        case .forward: load()
        case .abort: fail(.aborted)
        case .answer(let response) where !isDownload: answer(response, from: sent.url)
        case .send(let changed) where !isDownload && isBodyAvailable: send(changed)
        case .answer, .send:
            guard exchange?.mayBeSent != false else { return fail(.notAnswerable) }
            exchange?.staysAsItWas()
            load()
        }
    }

    /// Sends a changed request instead of this one.
    private func send(_ changed: Request) {
        guard let request = URLRequest(changed, in: sent) else { return fail(URLError(.badURL)) }
        isChanged = true
        sendSubstitute(request)
    }

    func sendSubstitute(_ request: URLRequest) {
        guard let task else { return }
        guard Self.isLoadable(request) else { return fail(URLError(.unsupportedURL)) }
        sent = request
        let configuration = FoundationProtocol.configuration(of: task, addsFields: !isChanged)
        let substitute = SubstituteRequest(request, in: configuration) { [queueHop] in
            queueHop.after(Microseconds(0), task)
        }
        phase = .substituting(substitute)
        substitute.start()
    }
}
