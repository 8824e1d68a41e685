// SPDX-License-Identifier: MIT

import TaplineMultiPattern
import Testing

@Suite("A set of literals")
struct LiteralSetTests {
    @Test("needs at least one literal")
    func empty() {
        #expect(throws: LiteralSetError.self) { try LiteralSet([]) }
    }

    @Test("reports the index of the invalid literal")
    func index() {
        for bytes in [[], [UInt8](repeating: 0x61, count: 256)] {
            let error = #expect(throws: LiteralSetError.self) {
                try LiteralSet([.init("abc"), .init(bytes)])
            }
            #expect(error?.index == 1)
            #expect(error?.description == "found \(bytes.count) bytes, expected 1 to 255")
        }
    }

    @Test("accepts literals of any bytes and any length up to the limit")
    func anyBytes() throws {
        let all = (0...255).map { LiteralSet.Literal([UInt8($0)]) }
        let set = try LiteralSet(all + [.init([UInt8](repeating: 0, count: 255))])
        #expect(set.longest == 255)
        #expect(set.memoryBytes > 0)
    }
}
