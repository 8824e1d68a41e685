// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TaplineSystem
import TestSupport
import Testing

@Suite("A parallel map")
struct ParallelMapTests {
    private struct Failure: Error, Equatable { let number: Int }

    /// Returns the numbers from 0 on.
    private func numbers(_ count: Int) -> () -> Int? {
        var next = 0
        return {
            defer { next += 1 }
            return next < count ? next : nil
        }
    }

    @Test("passes results in the order of the values", arguments: [1, 2, 7])
    func order(threads: Int) throws {
        let used = Mutex<Set<ThreadID>>([])
        @Sendable func slowly(_ number: Int) -> Int {
            usleep(UInt32(number * 7919 % 5) * 300)
            used.withLock { _ = $0.insert(.current) }
            return number * 2
        }
        var results: [Int] = []
        try ParallelMap.run(
            threads: threads,
            next: numbers(60),
            transform: slowly,
            makeTransform: { { slowly($0) } },
            body: { results.append($0) }
        )
        #expect(results == (0..<60).map { $0 * 2 })
        let threadsUsed = used.withLock { $0 }
        #expect(threadsUsed.contains(.current))
        #expect(threads == 1 ? threadsUsed.count == 1 : threadsUsed.count > 1)
    }

    @Test("starts no thread for few values, or if only the calling thread can transform")
    func calling() throws {
        for (count, isAlone) in [(0, false), (2, false), (50, true)] {
            var threads: Set<ThreadID> = []
            let make: (@Sendable () throws -> (Int) throws -> Int)? = {
                Issue.record("started a thread")
                return { $0 }
            }
            var results = 0
            try ParallelMap.run(
                threads: 4,
                next: numbers(count),
                transform: {
                    threads.insert(.current)
                    return $0
                },
                makeTransform: isAlone ? nil : make,
                body: { _ in results += 1 }
            )
            #expect(results == count)
            #expect(threads == (count == 0 ? [] : [.current]))
        }
    }

    @Test("ends with the first error in the order of the values, and all threads with it")
    func errors() throws {
        var results: [Int] = []
        let running = Atomic<Int>(0)
        #expect(throws: Failure(number: 20)) {
            try ParallelMap.run(
                threads: 4,
                next: numbers(1000),
                transform: { $0 },
                makeTransform: {
                    { number in
                        running.add(1, ordering: .relaxed)
                        defer { running.subtract(1, ordering: .relaxed) }
                        // A later value fails first.
                        if number == 20 { usleep(20_000) }
                        if number >= 20 { throw Failure(number: number) }
                        return number
                    }
                },
                body: { results.append($0) }
            )
        }
        #expect(results == Array(0..<20))
        #expect(running.load(ordering: .relaxed) == 0)
    }

    @Test("ends if a thread cannot be prepared, or a result cannot be taken")
    func otherErrors() throws {
        #expect(throws: Failure(number: 1)) {
            try ParallelMap.run(
                threads: 3,
                next: numbers(100),
                transform: { $0 },
                makeTransform: { throw Failure(number: 1) },
                body: { (_: Int) in }
            )
        }
        var taken = 0
        #expect(throws: Failure(number: 2)) {
            try ParallelMap.run(
                threads: 3,
                next: numbers(100),
                transform: { $0 },
                makeTransform: { { $0 } },
                body: { (number: Int) in
                    if number == 40 { throw Failure(number: 2) }
                    taken += 1
                }
            )
        }
        #expect(taken == 40)
    }

    @Test("asks for values again after each result, so that results can lead to more")
    func more() throws {
        // Each value from 4 on leads to its half.
        var waiting = [64, 40, 7]
        var results: [Int] = []
        try ParallelMap.run(
            threads: 2,
            next: { waiting.popLast() },
            transform: { $0 },
            makeTransform: { { $0 } },
            body: { (number: Int) in
                results.append(number)
                if number >= 4 { waiting.append(number / 2) }
            }
        )
        #expect(results.sorted() == [2, 2, 3, 4, 5, 7, 8, 10, 16, 20, 32, 40, 64])
    }

    @Test("is never far ahead of the results that were taken")
    func lead() throws {
        var begun = 0
        var taken = 0
        var most = 0
        try ParallelMap.run(
            threads: 3,
            next: {
                guard begun < 200 else { return nil }
                begun += 1
                most = max(most, begun - taken)
                return begun
            },
            transform: { $0 },
            makeTransform: { { $0 } },
            body: { (_: Int) in taken += 1 }
        )
        #expect(taken == 200)
        #expect(most <= 12)
    }
}
