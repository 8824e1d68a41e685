// SPDX-License-Identifier: MIT

import TaplineJSON
import TaplineModel
import Testing

@testable import SQLiteSink

@Suite struct RowEncoderTests {
    private func text(_ write: (inout RowEncoder) -> Void) -> String {
        var encoder = RowEncoder()
        write(&encoder)
        return String(decoding: Array(copying: encoder.writer.bytes), as: UTF8.self)
    }

    @Test func fieldsArePairsInOrder() {
        var exchange = Exchanges.make(0)
        #expect(
            text { $0.fields(exchange) }
                == #"{"request":[["Host","shop.test"],["Accept","*/*"]],"#
                + #""response":[["Content-Type","text/plain"]]}"#
        )
        exchange.response = nil
        exchange.request.trailers = ["a": "x\"\u{0}"]
        exchange.request.fields = FieldSection()
        #expect(
            text { $0.fields(exchange) }
                == #"{"request":[],"request_trailers":[["a","x\"\u0000"]]}"#
        )
    }

    @Test func characterSplitBetweenNameAndValueIsNotText() {
        var fields = FieldSection()
        let name: [UInt8] = [0xC3]
        let value: [UInt8] = [0xA9]
        fields.append(name: name.span, value: value.span)
        #expect(text { $0.section(fields) } == #"[[{"base64":"ww=="},{"base64":"qQ=="}]]"#)
    }

    @Test func tagsKeepTheirOrder() {
        #expect(text { $0.tags(["b": "1", "a": "\n"]) } == #"{"b":"1","a":"\n"}"#)
    }

    @Test func plainExchangesHaveNoExtra() {
        var encoder = RowEncoder()
        let isPlain = !encoder.extra(Exchanges.make(0))
        #expect(isPlain)
        let isFull = encoder.extra(Exchanges.full(0))
        #expect(isFull)
    }
}
