// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct ShortNameTests {
    private static func name(
        _ name: String,
        before rest: String = "\":1,\"another\":2"
    ) -> ShortName? {
        let text = Array((name + rest).utf8)
        return ShortName(text.span, 0..<name.utf8.count)
    }

    /// Two names are equal if all their bytes are, whatever follows them.
    @Test func namesAreEqualByAllTheirBytes() throws {
        var names = ["ID", "Id", "id"]
        for count in 3...15 {
            names.append(String(repeating: "a", count: count))
            for place in 0..<count {
                var bytes = [UInt8](repeating: 0x61, count: count)
                bytes[place] = 0
                names.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        for (position, left) in names.enumerated() {
            let known = try #require(Self.name(left))
            #expect(known == Self.name(left, before: "\" : \"something else\""))
            #expect(known != .none)
            #expect(0..<ShortName.slots ~= known.slot)
            for right in names[(position + 1)...] { #expect(known != Self.name(right), "\(left)") }
        }
    }

    @Test func otherNamesAreNotRead() {
        #expect(Self.name("") == nil)
        #expect(Self.name("sixteen letters.") == nil)
        // Sixteen bytes must be available.
        #expect(Self.name("name", before: "\": \"0123456") == nil)
        #expect(Self.name("name", before: "\": \"01234567") != nil)
        #expect(ShortName([UInt8]().span, 0..<0) == nil)
        let text = Array("{\"name\":\"0123456789\"}".utf8)
        #expect(ShortName(text.span, 2..<6) == Self.name("name"))
    }
}
