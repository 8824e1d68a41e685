// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineSystem

/// Threads that still end what stopped stages have used, such as other programs; the end of a run
/// waits for them.
///
/// **Isolation**: any thread.
package final class EndingThreads: Sendable {
    private let threads = Mutex<[DedicatedThread]>([])

    /// Creates an empty set of threads.
    package init() {}

    /// Whether no thread is left.
    package var isEmpty: Bool { threads.withLock { $0.isEmpty } }

    /// Adds a thread that ends within a bounded time, and forgets those that have ended.
    package func add(_ thread: DedicatedThread) {
        let ended = threads.withLock { threads in
            var ended: [DedicatedThread] = []
            threads.removeAll { thread in
                guard thread.hasReturned else { return false }
                ended.append(thread)
                return true
            }
            threads.append(thread)
            return ended
        }
        for thread in ended { thread.join() }
    }

    /// Waits until all threads have ended; blocks the thread.
    package func join() {
        while let thread = threads.withLock({ $0.popLast() }) { thread.join() }
    }
}
