// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// The requests that were read ahead: one thread adds them and waits while there are too many, the
/// loop takes them.
///
/// **Limits**: the number of requests, and their memory.
final class RequestBuffer: Sendable {
    private struct State {
        var requests: [ReplayRequest] = []
        var memory = 0
        var isEnded = false
        var isClosed = false
        var error: (any Error)?
        /// Whether the loop waits for requests, as it does from the start.
        var isAwaited = true
        /// Whether the reader waits for room.
        var isBlocked = false
    }

    private let maxCount: Int
    private let maxMemory: Int
    private let state = Mutex(State())
    /// The initial value is 0: Dispatch crashes if a semaphore is destroyed below its initial
    /// value.
    private let room = DispatchSemaphore(value: 0)

    init(maxCount: Int = 4096, maxMemory: Int = 32 << 20) {
        self.maxCount = maxCount
        self.maxMemory = maxMemory
    }

    // MARK: The reader

    /// Adds a request; waits while there are too many.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - arrived: Called if the loop waits for requests.
    /// - Returns: `false` if no more requests are wanted.
    func append(_ request: ReplayRequest, _ arrived: () -> Void) -> Bool {
        while true {
            enum Outcome { case added, awaited, full, closed }
            let outcome: Outcome = state.withLock { state in
                if state.isClosed { return .closed }
                let isFull = state.requests.count >= maxCount || state.memory >= maxMemory
                guard !isFull else {
                    state.isBlocked = true
                    return .full
                }
                state.requests.append(request)
                state.memory += request.memory
                guard state.isAwaited else { return .added }
                state.isAwaited = false
                return .awaited
            }
            switch outcome {
            case .added: return true
            case .awaited:
                arrived()
                return true
            case .full: room.wait()
            case .closed: return false
            }
        }
    }

    /// Ends the requests, with an error if they could not be read.
    func end(_ error: (any Error)?, _ arrived: () -> Void) {
        state.withLock {
            $0.isEnded = true
            $0.error = error
            $0.isAwaited = false
        }
        arrived()
    }

    // MARK: The loop

    /// Takes all requests; if there are none, the loop is notified when there are.
    func take() -> (requests: [ReplayRequest], isEnded: Bool) {
        let (requests, isEnded, isBlocked) = state.withLock { state in
            let (requests, isBlocked) = (state.requests, state.isBlocked)
            state.requests = []
            state.memory = 0
            state.isBlocked = false
            state.isAwaited = requests.isEmpty && !state.isEnded
            return (requests, state.isEnded, isBlocked)
        }
        if isBlocked { room.signal() }
        return (requests, isEnded)
    }

    /// Drops all requests; the reader then ends.
    func close() {
        state.withLock {
            $0.isClosed = true
            $0.requests = []
            $0.memory = 0
        }
        room.signal()
    }

    /// Why the requests could not be read; `nil` if they could.
    var error: (any Error)? { state.withLock { $0.error } }
}
