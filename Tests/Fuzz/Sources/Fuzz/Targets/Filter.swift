// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery

/// The filter language: any text is a filter or an error with a place in the text; two evaluations
/// of a filter agree, and its negation returns the opposite.
func fuzzFilter(_ input: inout FuzzInput) {
    let text = input.text
    do throws(FilterError) {
        let filter = try Filter(
            text,
            environment: ["HOST": "shop.test", "N": "200"],
            now: Timestamp(microseconds: 1_795_183_380_123_456),
            inStore: true
        )
        _ = filter.knownAt(bufferingRequest: true, bufferingResponse: true)
        let opposite = try? Filter(
            "not (\(text)\n)",
            environment: ["HOST": "shop.test", "N": "200"],
            now: Timestamp(microseconds: 1_795_183_380_123_456),
            inStore: true
        )
        for exchange in exchanges {
            let answer = filter.matches(exchange)
            require(filter.matches(exchange) == answer, "the second evaluation differs")
            if let opposite {
                require(opposite.matches(exchange) != answer, "'not' did not invert the result")
            }
        }
    } catch {
        let end = error.offset + error.length
        require(error.offset >= 0 && error.length >= 0 && end <= text.utf8.count, "wrong place")
        require(!error.message.isEmpty, "an error without a message")
    }
}

/// An exchange with few parts, one with many parts, and one with unusual bytes.
private let exchanges: [Exchange] = {
    let id = ExchangeID(high: 0x0193_1234_5678_7abc, low: 0x8def_0123_4567_89ab)
    let bare = Exchange(id: id, request: Request(target: "/", authority: "h"))
    var full = bare
    full.source = "proxy"
    full.started = Timestamp(microseconds: 1_795_183_380_123_456)
    full.timing.total = Microseconds(250_000)
    full.request = Request(
        method: "POST",
        target: "/cart/7?x=1&x=%32&debug",
        scheme: "https",
        authority: "shop.test:8443",
        fields: ["Host": "shop.test", "X-A": "1", "x-a": "2"],
        body: Body(Array("{\"a\":\"é\"}".utf8))
    )
    full.response = Response(
        status: 200,
        fields: ["Content-Type": "application/json; charset=utf-8"],
        body: Body(Array("not gzip".utf8))
    )
    full.response?.body.coding = "gzip"
    full.tags = ["team": "checkout"]
    var unusual = full
    unusual.request.target = ByteString([0x2F, 0xFF, 0x3F, 0x25, 0x3D, 0xC3])
    unusual.request.authority = ":"
    unusual.response?.status = -1
    unusual.timing.total = Microseconds(-1)
    return [bare, full, unusual]
}()
