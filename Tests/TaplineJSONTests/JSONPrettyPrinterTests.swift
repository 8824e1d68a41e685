// SPDX-License-Identifier: MIT

import TaplineJSON
import Testing

@Suite struct JSONPrettyPrinterTests {
    func pretty(_ json: String, indent: Int = 2, limit: Int = 1 << 24) throws -> (String, Bool) {
        var parser = JSONParser()
        let bytes = Array(json.utf8)
        let document = try parser.parse(bytes.span)
        var writer = JSONWriter(capacity: 1)
        let whole = writer.pretty(document.root, indent: indent, limit: limit)
        return (text(writer.bytes), whole)
    }

    @Test func indentsLines() throws {
        let (json, whole) = try pretty(
            #"{"b":[1,2.50,{"x":null}],"a":{},"e":[],"t":true,"o":{"k":"v"}}"#
        )
        #expect(whole)
        #expect(
            json == """
                {
                  "b": [
                    1,
                    2.50,
                    {
                      "x": null
                    }
                  ],
                  "a": {},
                  "e": [],
                  "t": true,
                  "o": {
                    "k": "v"
                  }
                }
                """
        )
    }

    @Test(arguments: ["1", #""x""#, "[]", "{}", "null"])
    func scalarsAreUnchanged(_ json: String) throws {
        #expect(try pretty(json).0 == json)
    }

    @Test func escapesEveryControlCharacter() throws {
        let (json, _) = try pretty(
            #"["\u001b[31m","\#u{7F}a\#u{9B}31m","é\u0000\#u{85}"]"#,
            indent: 0
        )
        #expect(
            json == "[\n\"\\u001b[31m\",\n\"\\u007fa\\u009b31m\",\n\"é\\u0000\\u0085\"\n]"
        )
    }

    @Test func printsPartOfADocument() throws {
        var parser = JSONParser()
        let bytes = Array(#"{"a":[1],"b":{"c":[2]},"d":3}"#.utf8)
        let document = try parser.parse(bytes.span)
        var writer = JSONWriter()
        writer.beginArray()
        if let member = document.root.member("b") { writer.pretty(member, indent: 0) }
        if let member = document.root.member("d") { writer.pretty(member, indent: 0) }
        writer.endArray()
        #expect(text(writer.bytes) == "[{\n\"c\": [\n2\n]\n},3]")
    }

    @Test func stopsAtTheLimitAndNeedsNoStack() throws {
        let depth = 1000
        let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let (json, whole) = try pretty(deep, limit: 5000)
        #expect(!whole)
        #expect(json.utf8.count < 8000)
        #expect(try pretty(deep).1)
    }
}
