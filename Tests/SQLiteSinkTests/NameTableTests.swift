// SPDX-License-Identifier: MIT

import Testing

@testable import SQLiteSink

@Suite struct NameTableTests {
    @Test func findsInsertedNames() {
        var table = NameTable(limit: 3)
        for (id, name) in ["", "a", "b"].enumerated() { table.insert(name.utf8.span, Int64(id)) }
        #expect(table.find("a".utf8.span) == 1)
        #expect(table.find("".utf8.span) == 0)
        #expect(table.find("c".utf8.span) == nil)
        table.insert("c".utf8.span, 9)
        #expect(table.count == 1)
        #expect(table.find("c".utf8.span) == 9)
    }
}
