// SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import Testing

@testable import TaplineSystem

@Suite("An event that occurs once", .timeLimit(.minutes(5)))
struct OneShotEventTests {
    private final class Mark: Sendable {
        private let state = Atomic<Bool>(false)
        var isSet: Bool { state.load(ordering: .acquiring) }
        func set() { state.store(true, ordering: .releasing) }
    }

    @Test("is not waited for if it has occurred")
    func openBefore() async {
        let event = OneShotEvent()
        event.signal()
        event.signal()
        let isDone = Mark()
        Task {
            await event.wait()
            await event.wait()
            isDone.set()
        }
        await wait(for: "both waits to end") { isDone.isSet }
    }

    @Test("resumes the task that waits for it")
    func openAfter() async {
        let event = OneShotEvent()
        let (hasBegun, isDone) = (Mark(), Mark())
        let task = Task {
            hasBegun.set()
            await event.wait()
            isDone.set()
        }
        await wait(for: "the task to begin") { hasBegun.isSet }
        #expect(!isDone.isSet)
        event.signal()
        await task.value
        #expect(isDone.isSet)
    }

    @Test("occurs if the waiting task is cancelled")
    func cancelled() async {
        let event = OneShotEvent()
        let isDone = Mark()
        let task = Task {
            await event.wait()
            // It has occurred for others, too.
            await Task.detached { await event.wait() }.value
            isDone.set()
        }
        task.cancel()
        await wait(for: "the cancelled wait to end") { isDone.isSet }
    }
}
