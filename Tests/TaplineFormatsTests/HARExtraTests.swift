// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@Suite struct HARExtraTests {
    @Test func allPartsRoundTrip() throws {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1), response: Response())
        exchange.extra = fullExtra()
        exchange.timing.firstEvent = Microseconds(1500)
        let (text, losses) = try HARRoundTripTests.write([exchange])
        #expect(losses.isEmpty)
        #expect(text.contains(#""_tapline":{"first_event_ms":1.5,"provenance":["#))
        let (again, lost) = try HARRoundTripTests.read(text)
        #expect(lost.isEmpty)
        #expect(again.first?.extra == fullExtra())
        #expect(again.first?.timing.firstEvent == Microseconds(1500))
        #expect(again.first?.har.isEmpty == true)
    }

    @Test func exchangesWithoutPartsHaveNoMember() throws {
        let exchange = Exchange(id: ExchangeID(high: 0, low: 1), response: Response())
        #expect(try !HARRoundTripTests.write([exchange]).0.contains("_tapline"))
    }

    @Test(arguments: ["5", #"{"notes":"x"}"#])
    func unexpectedFormsAreKept(_ value: String) throws {
        let member = #""_tapline":\#(value)"#
        let file =
            #"{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-11-20T14:03:00Z","#
            + #""time":1,"request":{"method":"GET","url":"http://a/"},"#
            + #""response":{"status":200},\#(member)}]}}"#
        var (exchanges, _) = try HARRoundTripTests.read(file)
        #expect(exchanges.first?.extra == nil)
        #expect(try HARRoundTripTests.write(exchanges).0.contains(member))
        exchanges[0].extra = fullExtra()
        let (text, losses) = try HARRoundTripTests.write(exchanges)
        #expect(text.contains(member))
        #expect(losses.losses.map(\.field) == ["_tapline"])
    }
}
