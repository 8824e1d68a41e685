// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TaplineSystem
import TestSupport
import Testing

@Suite("A dedicated thread")
struct DedicatedThreadTests {
    /// Takes time to be freed, as a database or an OpenSSL context does.
    private final class Held: Sendable {
        private let gone: Counter

        init(_ gone: Counter) { self.gone = gone }

        deinit {
            usleep(50_000)
            gone.count.add(1, ordering: .sequentiallyConsistent)
        }

        func use() {}
    }

    private final class Counter: Sendable {
        let count = Atomic<Int>(0)
        var value: Int { count.load(ordering: .sequentiallyConsistent) }
    }

    private final class Slot: Sendable {
        let thread = Mutex<DedicatedThread?>(nil)
    }

    private func start(_ gone: Counter) throws -> DedicatedThread {
        let held = Held(gone)
        return try DedicatedThread.start { held.use() }
    }

    @Test("has freed its captured values when it is joined")
    func join() throws {
        let gone = Counter()
        let thread = try start(gone)
        thread.join()
        #expect(gone.value == 1)
        thread.join()
        #expect(gone.value == 1)
    }

    @Test("does not wait for itself")
    func joinItself() throws {
        let gone = Counter()
        let own = Slot()
        let thread = try DedicatedThread.start {
            var mine: DedicatedThread?
            blockingWait(for: "its own reference") {
                mine = own.thread.withLock { $0 }
                return mine != nil
            }
            mine?.join()
            gone.count.add(1, ordering: .sequentiallyConsistent)
        }
        own.thread.withLock { $0 = thread }
        blockingWait(for: "the work to end") { gone.value == 1 }
    }

    @Test("continues without a reference to it")
    func detached() throws {
        let gone = Counter()
        _ = try start(gone)
        blockingWait(for: "the work to end") { gone.value == 1 }
    }
}
