// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// The result of some work, or nothing when it takes too long; then the work is cancelled, and left
/// to itself.
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

/// The same for work that blocks its thread; it gets a thread of its own.
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

/// A value that is set once, and awaited by one task; what comes later is let go.
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
