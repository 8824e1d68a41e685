// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A request that a stage has changed, on its way through a session of its own.
///
/// The response is waited for whole.
/// **Isolation**: any thread; `start` and `cancel` return at once, as Foundation's queue needs it.
final class Relay: Sendable {
    private static let queue = DispatchQueue(label: "tapline.relay", attributes: .concurrent)

    private let request: URLRequest
    private let session: URLSession
    private let done: @Sendable () -> Void
    private let holder = TaskHolder()
    private let state = Mutex<Result<(HTTPURLResponse, Data), any Error>?>(nil)

    /// A relay in a session of that configuration; `done` is called once there is a result.
    init(
        _ request: URLRequest,
        in configuration: URLSessionConfiguration,
        done: @escaping @Sendable () -> Void
    ) {
        self.request = request
        session = URLSession(configuration: configuration)
        self.done = done
    }

    /// What came of it; nothing while it is on its way.
    var result: Result<(HTTPURLResponse, Data), any Error>? { state.withLock { $0 } }

    /// Sends the request.
    func start() {
        // Foundation blocks where a task is made or cancelled on the queue on which it loads.
        Self.queue.async { [self] in
            let task = session.dataTask(with: request) { [self] data, response, error in
                finish(data, response, error)
            }
            session.finishTasksAndInvalidate()
            holder.run(task)
        }
    }

    /// Gives it up.
    func cancel() { holder.cancel() }

    private func finish(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        state.withLock { state in
            if let response = response as? HTTPURLResponse, error == nil {
                state = .success((response, data ?? Data()))
            } else {
                state = .failure(error ?? URLError(.badServerResponse))
            }
        }
        done()
    }
}
