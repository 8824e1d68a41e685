// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineNet

@Suite("The spare arrays of a loop")
struct SpareBuffersTests {
    private func array(capacity: Int) -> [UInt8] {
        var array: [UInt8] = []
        array.reserveCapacity(capacity)
        array.append(7)
        return array
    }

    @Test("come back empty, with their capacity")
    func reuse() {
        var spares = SpareBuffers()
        spares.giveBack(array(capacity: 5000))
        let taken = spares.take()
        #expect(taken.isEmpty && taken.capacity >= 5000)
        #expect(spares.take().capacity == 0)
    }

    @Test("are not kept if they are large or have no capacity")
    func limits() {
        var spares = SpareBuffers()
        spares.giveBack(array(capacity: 1 << 20))
        spares.giveBack([])
        #expect(spares.take().capacity == 0)
    }

    @Test("are at most eight")
    func count() {
        var spares = SpareBuffers()
        for _ in 0..<10 { spares.giveBack(array(capacity: 100)) }
        let taken = (0..<10).map { _ in spares.take() }
        #expect(taken.count { $0.capacity > 0 } == 8)
    }

    @Test("include one for plaintext, which has the requested length")
    func plaintext() {
        var spares = SpareBuffers()
        var taken = spares.takePlaintext(100)
        #expect(taken.count == 100)
        taken[0] = 9
        spares.giveBack(plaintext: taken)
        #expect(spares.takePlaintext(50).count == 50)
        // It is still there, with the former content.
        #expect(spares.takePlaintext(100).first == 9)
        #expect(spares.takePlaintext(100).first == 0)
    }
}
