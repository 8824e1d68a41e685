// SPDX-License-Identifier: MIT

import TaplineJSON
import TestSupport
import Testing

@Suite struct JSONWriterTests {
    func written(_ fill: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 1)
        fill(&writer)
        return text(writer.bytes)
    }

    @Test func insertsCommasAndColons() {
        let json = written { writer in
            writer.beginObject()
            writer.key("a")
            writer.beginArray()
            writer.integer(1)
            writer.null()
            writer.beginArray()
            writer.endArray()
            writer.string("x" as StaticString)
            writer.endArray()
            writer.key("k\"".utf8.span)
            writer.bool(true)
            writer.key("o")
            writer.beginObject()
            writer.endObject()
            writer.key("last")
            writer.bool(false)
            writer.endObject()
            writer.separator(0x0A)
            writer.beginObject()
            writer.endObject()
        }
        #expect(json == "{\"a\":[1,null,[],\"x\"],\"k\\\"\":true,\"o\":{},\"last\":false}\n{}")
    }

    @Test func escapesWhatJSONRequires() {
        let json = written { writer in
            writer.string("\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F} \"\\/\u{7F}é\u{2028}😀")
        }
        #expect(
            json == #""\u0000\u0001\b\t\n\u000b\f\r\u001f \"\\/"# + "\u{7F}é\u{2028}😀\""
        )
    }

    @Test func escapesAtEveryPosition() throws {
        for length in 0..<40 {
            for position in 0..<max(length, 1) {
                for special: UInt8 in [0x22, 0x5C, 0x00, 0x1F, 0x20, 0x21, 0x7F] {
                    var bytes = [UInt8](repeating: 0x61, count: length)
                    if length > 0 { bytes[position] = special }
                    var writer = JSONWriter()
                    writer.string(bytes.span)
                    let back = try parse(array(writer.bytes))
                    #expect(back == .string(String(decoding: bytes, as: UTF8.self)))
                }
            }
        }
    }

    @Test func anyTextRoundTrips() throws {
        var random = Random(seed: 7)
        for _ in 0..<2000 {
            var string = ""
            for _ in 0..<Int.random(in: 0..<60, using: &random) {
                let limit: UInt32 = Bool.random(using: &random) ? 0x80 : 0x11_0000
                if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &random)) {
                    string.unicodeScalars.append(scalar)
                }
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.key(string.utf8.span)
            writer.string(string)
            writer.endObject()
            let back = try parse(array(writer.bytes))
            #expect(back == .object([.init(key: string, value: .string(string))]))
        }
    }

    @Test func writesNumbers() {
        #expect(written { $0.integer(Int64.min) } == "-9223372036854775808")
        #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
        for power in 0..<19 {
            var value: Int64 = 1
            for _ in 0..<power { value *= 10 }
            #expect(written { $0.integer(value) } == "\(value)")
            #expect(written { $0.integer(value - 1) } == "\(value - 1)")
            #expect(written { $0.integer(-value) } == "\(-value)")
        }
        #expect(written { $0.double(0.1) } == "0.1")
        #expect(written { $0.double(-1.5e300) } == "-1.5e+300")
        #expect(written { $0.double(100) } == "100")
        #expect(written { $0.double(.nan) } == "null")
        #expect(written { $0.double(.infinity) } == "null")
    }

    @Test(arguments: [
        (Int64(12345), "12.345"), (12300, "12.3"), (12000, "12"), (0, "0"), (5, "0.005"),
        (-5, "-0.005"), (120, "0.12"), (-12_340, "-12.34"), (101, "0.101"),
        (Int64.min, "-9223372036854775.808"),
    ])
    func writesThousandths(_ value: Int64, _ expected: String) {
        #expect(written { $0.thousandths(value) } == expected)
    }

    @Test func doublesRoundTripExactly() throws {
        var random = Random(seed: 11)
        var parser = JSONParser()
        for _ in 0..<5000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            var writer = JSONWriter()
            writer.double(value)
            let bytes = array(writer.bytes)
            let document = try parser.parse(bytes.span)
            #expect(document.root.asDouble == value)
        }
    }

    @Test func writesBase64AndRaw() {
        let json = written { writer in
            writer.beginArray()
            for bytes: [UInt8] in [[], [1], [1, 2], [0xFF, 0xFE, 0xFD]] {
                writer.base64(bytes.span)
            }
            let json = Array("{\"a\":1}".utf8)
            writer.raw(json.span)
            writer.integer(2)
            writer.endArray()
        }
        #expect(json == #"["","AQ==","AQI=","//79",{"a":1},2]"#)
    }

    @Test func removesAllAndTruncates() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.integer(1)
        let mark = writer.count
        writer.integer(2)
        writer.truncate(to: mark, afterValue: true)
        writer.integer(3)
        writer.endArray()
        #expect(text(writer.bytes) == "[1,3]")
        writer.removeAll()
        #expect(writer.count == 0)
        writer.null()
        #expect(text(writer.bytes) == "null")
    }

    @Test("writes objects, arrays and members as closures and values")
    func members() {
        let json = written { writer in
            writer.object { json in
                json.member("text", "a\"b")
                json.member("number", 1)
                json.member("large", Int64.min)
                json.member("flag", true)
                json.key("list")
                json.array { $0.object { $0.member("empty", "") } }
            }
        }
        let expected =
            #"{"text":"a\"b","number":1,"large":-9223372036854775808,"flag":true,"#
            + #""list":[{"empty":""}]}"#
        #expect(json == expected)
    }
}
