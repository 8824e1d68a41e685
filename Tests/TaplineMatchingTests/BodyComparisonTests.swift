// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineProtobuf
import TestSupport
import Testing

@testable import TaplineMatching

/// The differences of two bodies by their type.
@Suite struct BodyComparisonTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let type: String
        let recorded: String
        let found: String
        let expected: [String]
        let testDescription: String

        init(
            _ name: String,
            _ type: String,
            _ recorded: String,
            _ found: String,
            _ expected: String...
        ) {
            (self.type, self.recorded, self.found) = (type, recorded, found)
            self.expected = expected
            testDescription = name
        }
    }

    private static let json = "application/json"
    private static let form = "application/x-www-form-urlencoded"

    private func texts(
        _ recorded: String,
        _ found: String,
        _ type: String,
        _ rules: ArrayRules = ArrayRules()
    ) -> [String] {
        var comparison = BodyComparison()
        var list = DifferenceList()
        let type = ByteString(type)
        _ = comparison.compare(
            Body(Array(recorded.utf8)),
            type,
            Body(Array(found.utf8)),
            type,
            by: rules,
            into: &list
        )
        return list.all.map { difference in
            let path = String(decoding: difference.path, as: UTF8.self)
            let place = String(decoding: difference.place, as: UTF8.self)
            return "\(path)\(path == place ? "" : " \(place)") \(difference.kind.rawValue) "
                + "\(difference.recorded.shown) \(difference.found.shown)"
        }
    }

    @Test(arguments: [
        Row("equal", json, #"{"a":1}"#, #"{"a":1}"#),
        Row("equal in another notation", json, #"{"a":1.50,"b":"é"}"#, #"{ "b":"é","a":1.5}"#),
        Row("a value", json, #"{"a":{"b":1}}"#, #"{"a":{"b":2}}"#, "$.a.b changed 1 2"),
        Row(
            "large integers",
            json,
            "[9007199254740993]",
            "[9007199254740992]",
            "$[*] $[0] changed 9007199254740993 9007199254740992"
        ),
        Row("a type", json, #"{"a":"1"}"#, #"{"a":1}"#, "$.a type \"1\" 1"),
        Row("null", json, #"{"a":1}"#, #"{"a":null}"#, "$.a type 1 null"),
        Row("booleans", json, #"{"a":true}"#, #"{"a":false}"#, "$.a changed true false"),
        Row("a missing member", json, #"{"a":1,"b":2}"#, #"{"b":2}"#, "$.a missing 1 nothing"),
        Row("a new member", json, #"{"b":2}"#, #"{"a":1,"b":2}"#, "$.a added nothing 1"),
        Row("a new last member", json, #"{"b":2}"#, #"{"b":2,"a":1}"#, "$.a added nothing 1"),
        Row(
            "other order of members",
            json,
            #"{"a":1,"b":2,"c":3}"#,
            #"{"c":3,"a":1,"b":4}"#,
            "$.b changed 2 4"
        ),
        Row(
            "an element",
            json,
            #"{"a":[1,2,3]}"#,
            #"{"a":[1,5,3]}"#,
            "$.a[*] $.a[1] changed 2 5"
        ),
        Row("a missing element", json, "[1,2]", "[1]", "$[*] $[1] missing 2 nothing"),
        Row(
            "another order",
            json,
            #"{"a":[{"x":1},{"x":2}]}"#,
            #"{"a":[{"x":2},{"x":1}]}"#,
            #"$.a order [{"x":1},{"x":2}] [{"x":2},{"x":1}]"#
        ),
        Row(
            "names that look like ids",
            json,
            #"{"17":{"a":1}}"#,
            #"{"17":{"a":2}}"#,
            "$.*.a $.17.a changed 1 2"
        ),
        Row(
            "names with blanks",
            json,
            #"{"a b\"":1}"#,
            #"{"a b\"":2}"#,
            #"$["a b\""] changed 1 2"#
        ),
        Row(
            "JSON of another declared type",
            "text/plain",
            #"{"a":1}"#,
            #"{"a":2}"#,
            "$.a changed 1 2"
        ),
        Row("a scalar", json, "1", "2", "$ changed 1 2"),
        Row(
            "JSON and text",
            json,
            #"{"a":1}"#,
            "oops",
            #"text[*] text[1] changed "{"a":1}" "oops""#
        ),
        Row(
            "a form",
            form,
            "a=1&b=2",
            "b=2&a=3&c=",
            "form.a changed \"1\" \"3\"",
            "form.c added nothing \"\""
        ),
        Row("the order of a form", form, "a=1&b=2", "b=2&a=1"),
        Row(
            "an XML element",
            "application/xml",
            "<o><i id='1'>a</i><i>b</i></o>",
            "<o>\n <i id=\"1\">a</i>\n <i>c</i></o>",
            "xml.o.i xml.o.i[1] changed \"b\" \"c\""
        ),
        Row(
            "an XML attribute",
            "image/svg+xml",
            "<o id='1'/>",
            "<o id='2'/>",
            "xml.o.@id changed \"1\" \"2\""
        ),
        Row(
            "a missing XML element",
            "text/xml",
            "<o><a>1</a><b>2</b></o>",
            "<o><b>2</b></o>",
            "xml.o.a missing \"1\" nothing"
        ),
        Row(
            "the text of a page",
            "text/html",
            "<body><script>1</script><p class=a>Price <b>10</b><br>net",
            "<body><script>2</script><p class=b>Price <b>12</b><br>net",
            "html.body.p.b changed \"10\" \"12\""
        ),
        Row(
            "scripts in upper case",
            "text/html",
            "<BODY><SCRIPT>a</b></SCRIPT><P>10</P>",
            "<BODY><SCRIPT>c</SCRIPT ><P>99</P>",
            "html.body.p changed \"10\" \"99\""
        ),
        Row(
            "a new script",
            "text/html",
            "<body>a<p>b</p>c",
            "<body>a<script>1</script><p>b</p>c"
        ),
        Row("a line", "text/plain", "a\nb\nc", "a\nx\ny", "text[*] text[2] changed \"b\" \"x\""),
        Row(
            "an image",
            "image/png",
            "abcd",
            "abxd!",
            "body changed image/png, 4 bytes, sha256 88d4266fd4e6338d13b845fcf289579d "
                + "image/png, 5 bytes, sha256 adf8dca32b856d0564fc3d015a972e97, "
                + "first difference at byte 2"
        ),
        Row(
            "a multipart body",
            "multipart/form-data; boundary=x",
            "--x\r\na",
            "--x\r\nb",
            "text[*] text[2] changed \"a\" \"b\""
        ),
    ])
    func differences(row: Row) {
        #expect(texts(row.recorded, row.found, row.type) == row.expected)
    }

    @Test func anArrayIsComparedInAnyOrderByRule() {
        var rules = ArrayRules()
        rules[Array("$.a".utf8)] = .unordered
        let recorded = #"{"a":[{"n":1,"p":1},{"n":2,"p":2},3]}"#
        #expect(texts(recorded, #"{"a":[3,{"n":2,"p":2},{"p":1,"n":1}]}"#, Self.json, rules) == [])
        // What has no equal is paired with what has the most in common.
        #expect(
            texts(recorded, #"{"a":[3,{"n":2,"p":9},{"n":1,"p":1},4]}"#, Self.json, rules)
                == ["$.a[*].p changed 2 9", "$.a[*] added nothing 4"]
        )
    }

    @Test func anArrayIsComparedByKey() {
        var rules = ArrayRules()
        rules[Array("$".utf8)] = .key("n")
        #expect(
            texts(
                #"[{"n":1,"p":1},{"n":2,"p":2}]"#,
                #"[{"n":3,"p":3},{"n":1,"p":5}]"#,
                Self.json,
                rules
            ) == [
                "$[*].p changed 1 5", #"$[*] missing {"n":2,"p":2} nothing"#,
                #"$[*] added nothing {"n":3,"p":3}"#,
            ]
        )
    }

    @Test func codedBodiesAreDecoded() {
        var comparison = BodyComparison()
        // `{"a":1}` and `{"a":2}` in gzip, stored without compression.
        func gzip(_ digit: UInt8, crc: [UInt8]) -> Body {
            let content = Array("{\"a\":".utf8) + [digit] + Array("}".utf8)
            let bytes: [UInt8] =
                [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 7, 0, 0xF8, 0xFF] + content + crc
                + [7, 0, 0, 0]
            return Body(bytes: bytes, size: bytes.count, coding: "gzip")
        }
        let plain = Body(Array(#"{"a":2}"#.utf8))
        let type: ByteString = "application/json"
        let coded = gzip(0x31, crc: [0xAF, 0xAC, 0x1B, 0x56])
        let found = comparison.differences(coded, type, plain, type)
        #expect(found.map { String(decoding: $0.path, as: UTF8.self) } == ["$.a"])
    }

    @Test func bodiesThatAreNotKeptAreNotCompared() {
        var comparison = BodyComparison()
        func isWhole(_ recorded: Body, _ found: Body) -> (Bool, Int) {
            var list = DifferenceList()
            let isWhole = comparison.compare(
                recorded,
                "text/plain",
                found,
                "text/plain",
                by: ArrayRules(),
                into: &list
            )
            return (isWhole, list.count)
        }
        let whole = Body(Array("abcdef".utf8))
        let cut = Body(bytes: Array("abc".utf8), size: 6, isTruncated: true)
        let unseen = Body(bytes: [], size: 6, isTruncated: true)
        #expect(isWhole(whole, whole) == (true, 0))
        #expect(isWhole(whole, cut) == (false, 0))
        #expect(isWhole(whole, unseen) == (false, 0))
        #expect(isWhole(Body(Array("abx".utf8)), cut) == (false, 1))
        #expect(isWhole(Body(), Body()) == (true, 0))
    }

    @Test func documentsBeyondTheLimitAreComparedInPart() {
        var comparison = BodyComparison()
        var list = DifferenceList()
        let start = String(repeating: "<\(String(repeating: "n", count: 1000))>", count: 300)
        let recorded = start + String(repeating: "<b>x</b>", count: 1000)
        let isWhole = comparison.compare(
            Body(Array(recorded.utf8)),
            "text/xml",
            Body(Array("\(recorded)<b>y</b>".utf8)),
            "text/xml",
            by: ArrayRules(),
            into: &list
        )
        #expect(!isWhole && list.isEmpty)
    }

    @Test func manyDifferencesAreCountedWithoutTheirValues() {
        var comparison = BodyComparison()
        let recorded = Body(Array("[\((1...2000).map { "\($0)" }.joined(separator: ","))]".utf8))
        let found = Body(Array("[\((1...2000).map { "\($0)0" }.joined(separator: ","))]".utf8))
        let differences = comparison.differences(recorded, "", found, "")
        #expect(differences.count == DifferenceList.limit)
    }
}

/// Protobuf is compared by the names of fields, or by their numbers.
@Suite struct ProtobufComparisonTests {
    private static let fixtures = "\(TestFiles.repository)/Tests/TaplineProtobufTests/Fixtures"

    @Test func messagesOfKnownTypesDifferByName() throws {
        let descriptors = try TestFiles.bytes(of: "\(Self.fixtures)/shop.binpb")
        var options = ComparisonOptions()
        options.schema = try ProtobufSchema(descriptors.span)
        func exchange(_ messages: [[UInt8]], body: [UInt8]) -> Exchange {
            var exchange = Exchange(id: ExchangeID(high: 1, low: 2))
            exchange.request.target = "/shop.v1.Orders/Get"
            exchange.request.fields = ["Content-Type": "application/grpc"]
            exchange.response = Response(fields: ["Content-Type": "application/grpc"])
            exchange.response?.body = Body(body)
            exchange.messages = messages.map {
                StreamMessage(direction: .down, type: "grpc", bytes: $0)
            }
            return exchange
        }
        func paths(_ left: Exchange, _ right: Exchange) -> [String] {
            var comparison = ExchangeComparison(options)
            var list = DifferenceList()
            _ = comparison.compare(
                left,
                right,
                for: left.request.target,
                by: ArrayRules(),
                into: &list
            )
            return list.all.map { String(decoding: $0.path, as: UTF8.self) }
        }
        // `order_id: "a", color: RED` and `order_id: "b", color: GREEN`.
        let left: [UInt8] = [0x0A, 1, 0x61, 0x30, 0]
        let right: [UInt8] = [0x0A, 1, 0x62, 0x30, 1]
        let frame = { (message: [UInt8]) in [0, 0, 0, 0, UInt8(message.count)] + message }
        let streams = paths(exchange([left], body: []), exchange([right], body: []))
        #expect(streams == ["messages[*].orderId", "messages[*].color"])
        let bodies = paths(exchange([], body: frame(left)), exchange([], body: frame(right)))
        #expect(bodies == ["$[*].orderId", "$[*].color"])
    }

    private func paths(_ recorded: [UInt8], _ found: [UInt8], _ type: String) -> [String] {
        var comparison = BodyComparison()
        let differences = comparison.differences(
            Body(recorded),
            ByteString(type),
            Body(found),
            ByteString(type)
        )
        return differences.map { String(decoding: $0.path, as: UTF8.self) }
    }

    @Test func messagesDifferAtFields() {
        // `1: {2: "a"}, 3: 5` and `1: {2: "b"}, 3: 6`.
        let left: [UInt8] = [0x0A, 3, 0x12, 1, 0x61, 0x18, 5]
        let right: [UInt8] = [0x0A, 3, 0x12, 1, 0x62, 0x18, 6]
        #expect(paths(left, right, "application/x-protobuf") == ["$.*.*", "$.*"])
        #expect(paths(left, left, "application/x-protobuf").isEmpty)
        let framed = { (message: [UInt8]) in [0, 0, 0, 0, UInt8(message.count)] + message }
        let found = paths(
            framed(left) + framed(left),
            framed(left) + framed(right),
            "application/grpc"
        )
        #expect(found == ["$[*].*.*", "$[*].*"])
    }

    @Test func messagesInAnotherNotationAreEqual() {
        // A varint of two bytes for 5.
        #expect(paths([0x18, 5], [0x18, 0x85, 0x00], "application/protobuf").isEmpty)
    }
}
