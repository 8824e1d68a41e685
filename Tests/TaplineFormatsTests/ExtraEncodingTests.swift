// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineJSON
import TaplineModel
import Testing

@Suite struct ExtraEncodingTests {
    private func written(_ extra: ExchangeExtra) -> String {
        var json = JSONWriter()
        json.beginObject()
        ExtraEncoding.members(extra, to: &json)
        json.endObject()
        return text(json.bytes)
    }

    @Test func unknownPartsAreLeftOut() {
        #expect(written(ExchangeExtra()) == "{}")
        var extra = ExchangeExtra()
        extra.grpc = GRPCFacts(status: 0)
        #expect(written(extra) == #"{"grpc":{"status":0}}"#)
        extra.grpc = nil
        extra.stream = StreamLegs(server: StreamLegs.Leg(id: 1))
        #expect(written(extra) == #"{"stream":{"server":{"id":1}}}"#)
        extra.stream = nil
        extra.notes = [ExchangeNote()]
        #expect(written(extra) == #"{"notes":[{}]}"#)
    }
}
