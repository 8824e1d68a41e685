// SPDX-License-Identifier: MIT

import TaplineYAML
import Testing

/// libyaml's events, marks and errors.
@Suite
struct YAMLParserTests {
    private func events(_ text: String) throws -> [YAMLEvent] {
        let parser = try YAMLParser(Array(text.utf8))
        var events: [YAMLEvent] = []
        while let event = try parser.next() {
            events.append(event)
        }
        return events
    }

    @Test func eventsOfASmallText() throws {
        let expected: [YAMLEvent.Kind] = [
            .streamStart, .documentStart(isImplicit: true), .mappingStart(isFlow: false),
            .scalar("a", .plain), .sequenceStart(isFlow: true), .scalar("1", .plain),
            .scalar("2", .singleQuoted), .sequenceEnd, .scalar("b", .doubleQuoted),
            .alias("x"), .mappingEnd, .documentEnd, .streamEnd,
        ]
        #expect(try events("a: [1, '2']\n\"b\": *x\n").map(\.kind) == expected)
    }

    @Test func stylesAnchorsAndTags() throws {
        let events = try events("---\n- &a !x |\n  b\n- !!str >\n  c\n- &m {}\n- !s []\n")
        #expect(events[1].kind == .documentStart(isImplicit: false))
        let nodes = events.filter { $0.anchor != nil || $0.tag != nil }
        #expect(
            nodes.map(\.kind) == [
                .scalar("b\n", .literal), .scalar("c\n", .folded), .mappingStart(isFlow: true),
                .sequenceStart(isFlow: true),
            ]
        )
        #expect(nodes.map(\.anchor) == ["a", nil, "m", nil])
        #expect(nodes.map(\.tag) == ["!x", "tag:yaml.org,2002:str", nil, "!s"])
    }

    @Test func marksCountScalars() throws {
        let scalar = try #require(
            events("\u{E4}\u{1F600}: b\n").first { $0.kind == .scalar("b", .plain) }
        )
        #expect(scalar.start == YAMLMark(index: 4, line: 0, column: 4))
        #expect(scalar.end == YAMLMark(index: 5, line: 0, column: 5))
    }

    @Test func zeroBytesInText() throws {
        #expect(try events("\"a\\0b\"")[2].kind == .scalar("a\0b", .doubleQuoted))
    }

    @Test func emptyInput() throws {
        #expect(try events("").map(\.kind) == [.streamStart, .streamEnd])
    }

    @Test func errorsEndTheStream() throws {
        let parser = try YAMLParser(Array("a: [1\nb: 2\n".utf8))
        var error: YAMLError?
        do {
            while try parser.next() != nil {}
        } catch let caught {
            error = caught
        }
        #expect(error?.problem == "did not find expected ',' or ']'")
        #expect(error?.context == "while parsing a flow sequence")
        #expect(
            error?.description == "did not find expected ',' or ']' while parsing a flow sequence"
        )
        #expect(error?.mark == YAMLMark(index: 7, line: 1, column: 1))
        #expect(error?.contextMark == YAMLMark(index: 3, line: 0, column: 3))
        #expect(try parser.next() == nil)
    }

    @Test func invalidBytesAreReportedByOffset() throws {
        #expect {
            try events("a: \u{1}\n")
        } throws: { error in
            (error as? YAMLError)?.byteOffset == 3
        }
        let parser = try YAMLParser([0x61, 0xFF])
        #expect(throws: YAMLError.self) {
            while try parser.next() != nil {}
        }
    }

    @Test func parsersCanBeInterleavedAndStoppedEarly() throws {
        let first = try YAMLParser(Array("[a, b, &c d".utf8))
        let second = try YAMLParser(Array("x: y".utf8))
        _ = try first.next()
        _ = try second.next()
        #expect(try first.next()?.kind == .documentStart(isImplicit: true))
        #expect(try second.next()?.kind == .documentStart(isImplicit: true))
        #expect(try first.next()?.kind == .sequenceStart(isFlow: true))
    }
}
