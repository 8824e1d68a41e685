// SPDX-License-Identifier: MIT

import Testing

import TaplineYAML

@Suite
struct YAMLParserTests {
    private func kinds(_ text: String) throws -> [YAMLEvent.Kind] {
        let parser = try YAMLParser(Array(text.utf8))
        var kinds: [YAMLEvent.Kind] = []
        while let event = try parser.next() {
            kinds.append(event.kind)
        }
        return kinds
    }

    @Test func eventsOfASmallText() throws {
        let expected: [YAMLEvent.Kind] = [
            .streamStart, .documentStart(isImplicit: true), .mappingStart(isFlow: false),
            .scalar("a", .plain), .sequenceStart(isFlow: true), .scalar("1", .plain),
            .scalar("2", .singleQuoted), .sequenceEnd, .scalar("b", .doubleQuoted),
            .alias("x"), .mappingEnd, .documentEnd, .streamEnd,
        ]
        #expect(try kinds("a: [1, '2']\n\"b\": *x\n") == expected)
    }
}
