// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// Returns the result of some work, or `nil` if it takes too long; the work is then cancelled and
/// abandoned.
func within<Result: Sendable>(
    _ limit: Duration,
    _ work: @escaping @Sendable () async -> Result
) async -> Result? {
    let once = Once<Result?>()
    let task = Task { once.settle(await work()) }
    let clock = Task {
        try? await Task.sleep(for: limit)
        once.settle(nil)
    }
    let result = await once.value()
    if result == nil { task.cancel() }
    clock.cancel()
    return result
}

/// The same for work that blocks; it runs on its own thread.
func withinOnThread<Result: Sendable>(
    _ limit: Duration,
    _ work: @escaping @Sendable () -> Result
) async -> Result? {
    let once = Once<Result?>()
    DispatchQueue(label: "conformance").async { once.settle(work()) }
    let clock = Task {
        try? await Task.sleep(for: limit)
        once.settle(nil)
    }
    defer { clock.cancel() }
    return await once.value()
}

/// A value that is set once and awaited by one task; later values are ignored.
final class Once<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case settled(Value)
    }

    private let state = Mutex(State.open)

    func settle(_ value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .open:
                state = .settled(value)
                return nil
            case .awaited(let continuation):
                state = .settled(value)
                return continuation
            case .settled: return nil
            }
        }
        waiting?.resume(returning: value)
    }

    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let settled = state.withLock { state -> Value? in
                if case .settled(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let settled { continuation.resume(returning: settled) }
        }
    }
}
