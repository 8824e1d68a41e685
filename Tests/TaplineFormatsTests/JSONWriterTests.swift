// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineJSON
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct JSONWriterTests {
    @Test func writesFieldsAndRecordsInsideOtherJSON() throws {
        let exchange = fullExchange()
        let record = try #require(seal(exchange))
        var writer = JSONWriter()
        writer.beginArray()
        writer.fields(exchange.request.fields)
        writer.record(record)
        writer.fields(FieldSection())
        writer.endArray()
        let json = text(writer.bytes)
        #expect(
            json.hasPrefix(
                #"[[["Host","shop.test:8443"],["X-A","1"],["x-a","2"],["E",""],"#
                    + #"["X-Odd",{"base64":"Yf/+"}]],{"v":1,"#
            )
        )
        #expect(json.hasSuffix("},[]]"))
    }

    @Test func bytesAreTextIfTheyAreUTF8() throws {
        let cases: [([UInt8], String)] = [
            ([], #""""#), ([0x61, 0x22], #""a\"""#), (Array("é€😀".utf8), #""é€😀""#),
            ([0xFF], #"{"base64":"/w=="}"#), ([0xC3], #"{"base64":"ww=="}"#),
            (
                [UInt8](repeating: 0x61, count: 20) + [0x80],
                #"{"base64":"YWFhYWFhYWFhYWFhYWFhYWFhYWGA"}"#
            ),
        ]
        for (bytes, expected) in cases {
            var fields = FieldSection()
            fields.append(name: "n".utf8.span, value: bytes.span)
            var writer = JSONWriter()
            writer.fields(fields)
            #expect(text(writer.bytes) == #"[["n",\#(expected)]]"#)
        }
    }
}
