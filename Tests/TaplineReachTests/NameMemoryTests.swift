// SPDX-License-Identifier: MIT

import TaplineNet
import TaplineReach
import Testing

@Suite struct NameMemoryTests {
    @Test func anAddressHasTheLastFewOfItsNames() {
        let memory = NameMemory()
        let address = IPAddress(v4: 1)
        #expect(memory.names(of: address).isEmpty)
        memory.remember("a.test", at: [address])
        memory.remember("b.test", at: [address, IPAddress(v4: 2)])
        #expect(memory.names(of: address) == ["a.test", "b.test"])
        #expect(memory.names(of: IPAddress(v4: 2)) == ["b.test"])
        memory.remember("a.test", at: [address])
        #expect(memory.names(of: address) == ["b.test", "a.test"])
        for name in ["c.test", "d.test", "e.test"] { memory.remember(name, at: [address]) }
        #expect(memory.names(of: address) == ["a.test", "c.test", "d.test", "e.test"])
    }

    @Test func theOldestAddressesAreForgotten() {
        let memory = NameMemory(limit: 3)
        for number: UInt32 in 1...5 {
            memory.remember("\(number).test", at: [IPAddress(v4: number)])
        }
        let names = (1...5).map { memory.names(of: IPAddress(v4: $0)) }
        #expect(names == [[], [], ["3.test"], ["4.test"], ["5.test"]])
    }
}
