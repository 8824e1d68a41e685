// SPDX-License-Identifier: MIT

import TaplineNet
import TaplineReach
import Testing

@Suite struct NameMemoryTests {
    @Test func theLastNameOfAnAddressCounts() {
        let memory = NameMemory()
        let address = IPAddress(v4: 1)
        #expect(memory.name(of: address) == nil)
        memory.remember("a.test", at: [address])
        memory.remember("b.test", at: [address, IPAddress(v4: 2)])
        #expect(memory.name(of: address) == "b.test")
        #expect(memory.name(of: IPAddress(v4: 2)) == "b.test")
    }

    @Test func theOldestAddressesAreForgotten() {
        let memory = NameMemory(limit: 3)
        for number: UInt32 in 1...5 {
            memory.remember("\(number).test", at: [IPAddress(v4: number)])
        }
        let names = (1...5).map { memory.name(of: IPAddress(v4: $0)) }
        #expect(names == [nil, nil, "3.test", "4.test", "5.test"])
    }
}
