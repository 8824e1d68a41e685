// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TaplineNet
import Testing

/// The number of threads that called `markThread` and have freed their thread-local storage.
private let endedThreads = Atomic<Int>(0)

/// A key whose destructor runs late at the end of a thread, as OpenSSL's does.
private let key: pthread_key_t = {
    var key = pthread_key_t()
    unsafe pthread_key_create(&key) { _ in
        usleep(50_000)
        endedThreads.add(1, ordering: .sequentiallyConsistent)
    }
    return key
}()

private func markThread() { unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }

@Suite("A group of loops", .serialized)
struct EventLoopGroupTests {
    @Test("leaves no thread after it has run", arguments: [1, 3])
    func run(count: Int) async throws {
        let before = endedThreads.load(ordering: .sequentiallyConsistent)
        let group = try EventLoopGroup(threads: count)
        try await group.run { _, _ in
            markThread()
            group.stop()
        }
        #expect(endedThreads.load(ordering: .sequentiallyConsistent) - before == count)
    }

    @Test("leaves no thread if one of its loops cannot start")
    func failure() async throws {
        let before = endedThreads.load(ordering: .sequentiallyConsistent)
        let group = try EventLoopGroup(threads: 3)
        await #expect(throws: NetError.self) {
            try await group.serve { _, number throws in
                markThread()
                if number == 1 { throw NetError(.system, "no") }
            }
        }
        #expect(endedThreads.load(ordering: .sequentiallyConsistent) - before == 3)
    }

    @Test("continues to serve when its task is cancelled")
    func cancellation() async throws {
        let group = try EventLoopGroup(threads: 1)
        let task = Task { try await group.serve { _, _ in } }
        task.cancel()
        try await Task.sleep(for: .milliseconds(50))
        #expect(group.loops[0].execute {})
        group.stop()
        try await task.value
    }
}
