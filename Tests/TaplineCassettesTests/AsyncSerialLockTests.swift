// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import TaplineCassettes

/// Access to process-wide resources passes from one test to the next.
@Suite struct AsyncSerialLockTests {
    private final class Order: Sendable {
        private let numbers = Mutex<[Int]>([])

        var all: [Int] { numbers.withLock { $0 } }

        func append(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    /// A waiting turn begins when the previous one ends, and not earlier.
    @Test func turnsFollowOneAnother() async {
        let turns = AsyncSerialLock()
        let order = Order()
        await turns.begin()
        await withTaskGroup { group in
            for number in 1...2 {
                group.addTask {
                    await turns.begin()
                    order.append(number)
                    turns.end()
                }
            }
            for _ in 0..<1000 { await Task.yield() }
            order.append(0)
            turns.end()
        }
        #expect(order.all.first == 0)
        #expect(order.all.sorted() == [0, 1, 2])
    }

    @Test func aThreadWaitsForItsTurn() async {
        let turns = AsyncSerialLock()
        let order = Order()
        await turns.begin()
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                turns.beginBlocking()
                order.append(1)
                turns.end()
                continuation.resume()
            }
            order.append(0)
            turns.end()
        }
        #expect(order.all == [0, 1])
    }
}
