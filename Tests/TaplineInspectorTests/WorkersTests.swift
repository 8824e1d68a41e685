// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineStore
import TestSupport
import Testing

@testable import TaplineInspector

@Suite("Threads of the inspector", .timeLimit(.minutes(1)))
struct WorkersTests {
    @Test("drop calls that were cancelled before they begin")
    func cancelled() throws {
        let workers = try Workers(1, CurrentStores())
        let (begun, rest) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let ran = Mutex<[String]>([])
        workers.run { _ in
            begun.signal()
            rest.wait()
        }
        begun.wait()
        let (kept, gone) = (QueryProgress(), QueryProgress())
        workers.run(unlessCancelled: gone) { _ in ran.withLock { $0.append("gone") } }
        workers.run(unlessCancelled: kept) { _ in ran.withLock { $0.append("kept") } }
        #expect(workers.waiting == 2)
        gone.cancel()
        rest.signal()
        blockingWait(for: "the call that was kept") { ran.withLock { $0.contains("kept") } }
        workers.stop()
        #expect(ran.withLock { $0 } == ["kept"])
    }

    @Test("make room for a call by dropping those that were cancelled")
    func room() throws {
        let workers = try Workers(1, limit: 2, CurrentStores())
        let (begun, rest) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        workers.run { _ in
            begun.signal()
            rest.wait()
        }
        begun.wait()
        let calls = [QueryProgress(), QueryProgress()]
        for call in calls { #expect(workers.run(unlessCancelled: call) { _ in }) }
        #expect(!workers.run { _ in })
        calls[0].cancel()
        #expect(workers.run { _ in })
        #expect(workers.waiting == 2)
        rest.signal()
        workers.stop()
        #expect(!workers.run { _ in })
    }
}
