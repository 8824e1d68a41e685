// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplineNet
import TestSupport
import Testing

@Suite struct EventLoopTests {
    @Test func runsTasksOfOtherThreads() throws {
        let seen = Mutex<[[Int]]>(Array(repeating: [], count: 4))
        try withLoops { _, _ in
        } _: { group in
            let loop = group.loops[0]
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for number in 0..<1000 {
                    loop.execute { seen.withLock { $0[thread].append(number) } }
                }
            }
            blockingWait(for: "all calls to run") {
                seen.withLock { $0.allSatisfy { $0.count == 1000 } }
            }
            // In the order of the calls of each thread.
            #expect(seen.withLock { $0.allSatisfy { $0 == Array(0..<1000) } })
        }
    }

    @Test func refusesTasksOnceItHasEnded() throws {
        let group = try EventLoopGroup(threads: 1)
        let ended = DispatchSemaphore(value: 0)
        group.start({ _, _ in }, then: { _ in ended.signal() })
        group.stop()
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(!group.loops[0].execute {})
        group.stop()
    }

    @Test func runsEachLoopOnAThreadOfItsOwn() throws {
        let events = Events()
        try withLoops(3) { loop, number in
            events.add("\(number) \(loop.isCurrent)")
        } _: { group in
            blockingWait(for: "the call of each loop") {
                events.all.sorted() == ["0 true", "1 true", "2 true"]
            }
            #expect(group.loops.allSatisfy { !$0.isCurrent })
        }
    }

    @Test func endsAllLoopsIfOneCannotStart() async throws {
        let group = try EventLoopGroup(threads: 2)
        let error = await #expect(throws: NetError.self) {
            try await group.run { _, number throws in
                if number == 1 { throw NetError(.system, "no") }
            }
        }
        #expect(error?.message == "no")
    }

    @Test func endsWhenItsTaskIsCancelled() async throws {
        let group = try EventLoopGroup(threads: 2)
        let task = Task { try await group.run { _, _ in } }
        task.cancel()
        try await task.value
    }

    @Test func letsConnectionsFinishWhenItDrains() throws {
        let events = Events()
        let ended = DispatchSemaphore(value: 0)
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        let group = try EventLoopGroup(threads: 1)
        group.start(
            { loop, _ in
                _ = try Listener(bound, on: loop) { Echo.serve($0, events) }
            },
            then: { _ in ended.signal() }
        )
        var client: SocketClient? = try SocketClient(port: bound.address.port)
        try client?.send("x")
        #expect(try client?.receive() == Array("x".utf8))
        group.drain(within: Microseconds(60_000_000))
        // It no longer listens, but continues to serve.
        blockingWait(for: "the loop to stop listening") { openResources(of: group.loops[0]) == 1 }
        let port = bound.address.port
        #expect(throws: SocketClient.Failure.self) { _ = try SocketClient(port: port) }
        try client?.send("y")
        #expect(try client?.receive() == Array("y".utf8))
        client = nil
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(events.all == ["end", "closed "])
    }

    @Test func servesConnectionsThatWereOpenedBeforeItDrains() throws {
        let events = Events()
        let (entered, released, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        let group = try EventLoopGroup(threads: 1)
        group.start(
            { loop, _ in
                _ = try Listener(bound, on: loop) { Echo.serve($0, events) }
            },
            then: { _ in ended.signal() }
        )
        group.loops[0].execute {
            entered.signal()
            released.wait()
        }
        entered.wait()
        // The loop is woken for a task first, and finds the connection after it.
        group.loops[0].execute {}
        var client: SocketClient? = try SocketClient(port: bound.address.port)
        group.drain(within: Microseconds(60_000_000))
        released.signal()
        try client?.send("x")
        #expect(try client?.receive() == Array("x".utf8))
        client = nil
        #expect(ended.wait(timeout: .now() + 60) == .success)
    }

    @Test func closesConnectionsThatDoNotFinishInTime() throws {
        let events = Events()
        let ended = DispatchSemaphore(value: 0)
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        let group = try EventLoopGroup(threads: 1)
        group.start(
            { loop, _ in
                _ = try Listener(bound, on: loop) { Echo.serve($0, events) }
            },
            then: { _ in ended.signal() }
        )
        let client = try SocketClient(port: bound.address.port)
        try client.send("x")
        #expect(try client.receive() == Array("x".utf8))
        group.drain(within: Microseconds(50_000))
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(events.all == ["closed "])
        #expect(try client.receive().isEmpty)
    }
}
