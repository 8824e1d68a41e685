// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite("A queue")
struct FIFOTests {
    @Test("elements leave in the order in which they came, however many wait")
    func order() {
        var queue = FIFO<Int>()
        var (next, expected) = (0, 0)
        for step in 0..<6000 {
            for _ in 0..<(step < 3000 ? 3 : 1) {
                queue.append(next)
                next += 1
            }
            for _ in 0..<(step < 3000 ? 1 : 3) {
                #expect(queue.first == expected)
                #expect(queue.removeFirst() == expected)
                expected += 1
            }
            #expect(queue.count == next - expected)
        }
        #expect(queue.isEmpty && queue.first == nil && queue.removeFirst() == nil)
    }

    @Test("the first element can be replaced, and all can be removed at once")
    func changes() {
        var queue = FIFO<Int>()
        queue.replaceFirst(1)
        #expect(queue.isEmpty)
        for number in 0..<4 { queue.append(number) }
        queue.removeFirst()
        queue.replaceFirst(9)
        #expect(queue.removeAll() == [9, 2, 3])
        #expect(queue.isEmpty)
    }

    @Test("removed elements are released at once")
    func release() {
        final class Held {}
        var queue = FIFO<Held>()
        weak var first: Held?
        do {
            let held = Held()
            first = held
            queue.append(held)
            queue.append(Held())
        }
        #expect(first != nil)
        queue.removeFirst()
        #expect(first == nil && queue.count == 1)
    }
}
