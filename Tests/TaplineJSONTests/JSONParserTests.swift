// SPDX-License-Identifier: MIT

import TaplineJSON
import Testing

@Suite struct JSONParserTests {
    @Test func readsEveryKindOfValue() throws {
        let tree = try parse(#" {"a":[1,-2.5e3,true,false,null],"b":{"":"x\ny"},"e":[],"f":{}} "#)
        #expect(
            tree
                == .object([
                    .init(
                        key: "a",
                        value: .array([
                            .number("1"), .number("-2.5e3"), .bool(true), .bool(false), .null,
                        ])
                    ),
                    .init(key: "b", value: .object([.init(key: "", value: .string("x\ny"))])),
                    .init(key: "e", value: .array([])),
                    .init(key: "f", value: .object([])),
                ])
        )
    }

    @Test(arguments: ["0", "-1", "true", "false", "null", #""""#, #""a""#, "[]", "{}", " \n\t\r1 "])
    func readsBareValues(_ text: String) throws {
        _ = try parse(text)
    }

    @Test func rejectsInvalidUTF8() {
        let cases: [([UInt8], Int)] = [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0x61, 0xC0, 0x80, 0x22], 2),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], 1), ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
            ([0x22, 0x80, 0x22], 1), ([0x22, 0xE2, 0x82, 0x22], 1), ([0xC3, 0xA9], 0),
        ]
        for (bytes, offset) in cases.dropLast() {
            let error = failure(bytes)
            #expect(error?.code == .badUTF8, "\(bytes)")
            #expect(error?.offset == offset, "\(bytes)")
        }
        #expect(failure([0xC3, 0xA9])?.code == .expectedValue)
        #expect(failure([0x22, 0xE2, 0x82])?.code == .truncated)
    }

    @Test func unescapesStrings() throws {
        #expect(
            try parse(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\uD83D\uDE00z""#)
                == .string("\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{20AC}\u{1F600}z")
        )
        #expect(try parse(#""\u0000""#) == .string("\0"))
        // Unescaped strings before, between and after escaped ones keep their bytes.
        #expect(
            try parse(#"["a","\n","b","c\\","d"]"#)
                == .array([.string("a"), .string("\n"), .string("b"), .string("c\\"), .string("d")])
        )
    }

    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\u0041""#, #""\ud800\ud800""#,
        #""\ud800\n""#,
    ])
    func rejectsOrReplacesLoneSurrogates(_ text: String) throws {
        let bytes = Array(text.utf8)
        #expect(failure(bytes)?.code == .loneSurrogate)
        guard case .string(let replaced) = try parse(bytes, surrogates: .replace) else {
            Issue.record("not a string")
            return
        }
        #expect(replaced.hasPrefix("\u{FFFD}"))
    }

    @Test func limitsDepth() throws {
        let deep = [UInt8](repeating: 0x5B, count: 100) + [UInt8](repeating: 0x5D, count: 100)
        _ = try parse(deep, maxDepth: 100)
        #expect(failure(deep, maxDepth: 99)?.code == .tooDeep)
        #expect(failure(deep, maxDepth: 99)?.offset == 99)
        let hostile = [UInt8](repeating: 0x5B, count: 5_000_000)
        #expect(failure(hostile)?.code == .tooDeep)
    }

    @Test func everyTruncationIsAnErrorAtTheEnd() throws {
        let whole = Array(
            #"{"a":[1.5e+3,true,null],"b\n":"\u00e9x\ud83d\ude00","c":{"d":false},"é":"ü"}"#.utf8
        )
        _ = try parse(whole)
        for length in 1..<whole.count {
            let error = failure(Array(whole[..<length]))
            #expect(error?.code == .truncated, "\(length)")
            #expect((error?.offset ?? -1) >= length - 4, "\(length)")
        }
    }

    @Test func survivesAnyOneByteChange() throws {
        let whole = Array(#"{"a":[1,-2.5e3,"x\ny\u0041"],"b":{"k":true},"n":null}"#.utf8)
        var parser = JSONParser()
        var accepted = 0
        for index in whole.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = whole
                changed[index] = byte
                do {
                    let document = try parser.parse(changed.span)
                    _ = Tree(document.root)
                    accepted += 1
                } catch {
                    #expect(error.offset >= 0 && error.offset <= whole.count)
                }
            }
        }
        #expect(accepted > whole.count)
    }

    @Test func reusesTheArena() throws {
        var parser = JSONParser()
        for size in [1, 10_000, 3, 200_000, 2] {
            let text = "[" + Array(repeating: #""a\n""#, count: size).joined(separator: ",") + "]"
            let bytes = Array(text.utf8)
            let document = try parser.parse(bytes.span)
            #expect(document.count == size + 1)
            var elements = document.root.elements
            var count = 0
            while let element = elements.next() {
                if element.matches("a\n") { count += 1 }
            }
            #expect(count == size)
        }
        parser.shrink(toDocumentsOf: 1000)
        let bytes = Array("[1]".utf8)
        let document = try parser.parse(bytes.span)
        #expect(document.count == 2)
    }
}
