// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineModel

@Suite struct FieldSectionPackingTests {
    @Test func copiesOnlyBytesOfFields() {
        var fields: FieldSection = ["A": "1", "Secret": "hidden", "B": "2", "a": ""]
        fields.removeAll("Secret")
        fields.set("B", to: "longer than before")
        let packed = FieldSection(packing: fields.entrySpan, of: fields.byteSpan)
        #expect(packed == fields)
        #expect(packed.storage.bytes == Array("A1Blonger than beforea".utf8))
    }
}
