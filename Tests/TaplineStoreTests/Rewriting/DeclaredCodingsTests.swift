// SPDX-License-Identifier: MIT

import TaplineCodings
import Testing

@testable import TaplineStore

@Suite("The codings that exchanges declare for bodies")
struct DeclaredCodingsTests {
    @Test("Each body has its lists, of which equal ones are stored once")
    func lists() {
        var declared = DeclaredCodings()
        for body in Int64(0)..<1000 {
            declared.add([.gzip], of: body)
            declared.add([.gzip], of: body)
            if body % 2 == 0 { declared.add([.gzip, .brotli], of: body) }
        }
        #expect(declared.sets.count == 2)
        let one: [[ContentCoding]] = [[.gzip]]
        let both: Set<[ContentCoding]> = [[.gzip], [.gzip, .brotli]]
        #expect(declared.lists(of: 1) == one)
        #expect(Set(declared.lists(of: 2)) == both)
        #expect(declared.lists(of: 1000).isEmpty)
    }
}
