// SPDX-License-Identifier: MIT

import TaplineJSON
import TaplineModel
import Testing

@testable import SQLiteSink

@Suite struct RowEncoderExtraTests {
    /// Each part by itself, with its place in the record schema.
    @Test(arguments: [
        (0, #"{"connection":{"reused":false}}"#),
        (1, #"{"tls":{}}"#),
        (2, #"{"request":{"body":{"coding":"br"}}}"#),
        (3, #"{"response":{"version":"HTTP/1.0"}}"#),
        (4, #"{"response":{"interim":[{"status":100,"headers":[]}]}}"#),
        (5, #"{"messages":[{"dir":"down","type":"event","text":""}]}"#),
        (
            6,
            #"{"bytes":{"up":{"line":1,"headers":2,"body":3},"#
                + #""down":{"line":0,"headers":0,"body":0},"exact":false}}"#
        ),
        (7, #"{"original":{"status":404}}"#),
        (9, #"{"request":{"body":{"content_type":"text/csv"}}}"#),
        (10, #"{"har":{"entry":{"comment":""}}}"#),
        (8, #"{"response":{"body":{"truncated":true,"decoded_size":9}}}"#),
    ])
    func eachPartIsWrittenByItself(part: Int, json: String) {
        var exchange = Exchanges.make(0)
        switch part {
        case 0: exchange.connection.isReused = false
        case 1: exchange.connection.tls = TLSInfo()
        case 2: exchange.request.body.coding = "br"
        case 3: exchange.response?.version = "HTTP/1.0"
        case 4: exchange.response?.interim = [InterimResponse(status: 100)]
        case 5: exchange.messages = [StreamMessage(direction: .down, type: "event", bytes: [])]
        case 6: exchange.bytes = ByteCounts(up: .init(line: 1, headers: 2, body: 3))
        case 7: exchange.original.status = 404
        case 9: exchange.request.body.contentType = "text/csv"
        case 10: exchange.har = #"{"entry":{"comment":""}}"#
        default:
            exchange.response?.body.isTruncated = true
            exchange.response?.body.decodedSize = 9
        }
        var encoder = RowEncoder()
        let isThere = encoder.extra(exchange)
        #expect(isThere)
        #expect(String(decoding: Array(copying: encoder.writer.bytes), as: UTF8.self) == json)
    }
}
