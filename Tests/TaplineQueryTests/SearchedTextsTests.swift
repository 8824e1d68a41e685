// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TestSupport
import Testing

@testable import TaplineQuery

@Suite("What 'any' searches")
struct SearchedTextsTests {
    private func texts(_ exchange: Exchange) -> [String] {
        var texts: [String] = []
        SearchedTexts.forEach(in: exchange) { text in
            texts.append(String(decoding: Array(copying: text), as: UTF8.self))
        }
        return texts
    }

    @Test("has the URL, fields, trailers, decoded bodies and messages")
    func parts() throws {
        var exchange = Exchange(id: ExchangeID(high: 1, low: 2))
        exchange.request = Request(
            method: "POST",
            target: "/items/3",
            scheme: "http",
            authority: "shop.test",
            fields: ["X-A": "one"]
        )
        exchange.request.trailers = ["X-B": "two"]
        exchange.response = Response(status: 200, body: Body(bytes: Array("answer".utf8), size: 6))
        exchange.response?.trailers = ["X-C": "three"]
        var coded: [UInt8] = []
        try ContentEncoder(.gzip).encodeWhole("question".utf8.span, appendingTo: &coded)
        exchange.request.body = Body(bytes: coded, size: coded.count, coding: "gzip")
        exchange.messages = [StreamMessage(direction: .up, bytes: Array("hello".utf8))]
        let found = texts(exchange)
        for text in ["X-A", "one", "X-B", "two", "X-C", "three", "question", "answer", "hello"] {
            #expect(found.contains(text))
            #expect(try Filter("any contains \"\(text)\"").matches(exchange))
        }
        #expect(found.first == "http://shop.test/items/3")
        exchange.request.body.coding = "x-own"
        #expect(!texts(exchange).contains("question"))
        exchange.response = nil
        #expect(!texts(exchange).contains("answer"))
    }
}
