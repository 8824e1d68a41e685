// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineCassettes

/// A new recording that replaces a former one.
@Suite struct RecordedMergeTests {
    private static let former: Exchange = {
        var request = Request(method: "GET")
        request.setURL("http://shop.test/a".utf8.span)
        request.fields.append(name: "Accept", value: "a")
        var response = Response(status: 200)
        response.fields.append(name: "Date", value: "then")
        response.fields.append(name: "ETag", value: "1")
        response.body = Body(Array("one".utf8))
        return Exchange(
            id: ExchangeID(high: 0, low: 1),
            state: .completed,
            request: request,
            response: response
        )
    }()

    private static let changes: [@Sendable (inout Exchange) -> Void] = [
        { $0.request.fields.append(name: "Accept", value: "b") },
        { $0.response?.status = 201 },
        { $0.response?.body = Body(Array("two".utf8)) },
        { $0.response?.fields.append(name: "ETag", value: "2") },
        { $0.messages = [StreamMessage(direction: .up, type: "text", bytes: [1])] },
        { $0.tags["team"] = "cart" },
        { $0.state = .cancelled },
        { $0.error = ExchangeError(code: "reset", message: "gone") },
    ]

    @Test(arguments: changes.indices) func changedRecordingsReplaceTheFormerOnes(index: Int) {
        var new = Self.former
        Self.changes[index](&new)
        let merged = RecordedMerge.merge([new], into: [Self.former])
        new.id = merged[0].id
        #expect(merged == [new])
    }

    @Test func aNewDateIsNotAChange() {
        var new = Self.former
        _ = new.response?.fields.removeAll("Date")
        new.response?.fields.append(name: "Date", value: "now")
        var former = Self.former
        let merged = RecordedMerge.merge([new], into: [former])
        former.id = merged[0].id
        #expect(merged == [former])
    }

    /// Swift's dictionaries have another order in each run.
    @Test func anotherNotationIsNotAChange() {
        var former = Self.former
        var new = Self.former
        let json = [#"{"a":1,"b":{"c":2,"d":3}}"#, #"{"b": {"d":3,"c":2}, "a":1}"#]
        let boundaries = ["one", "two"]
        func merged() -> [Exchange] { RecordedMerge.merge([new], into: [former]) }
        former.response?.body = Body(Array(json[0].utf8))
        new.response?.body = Body(Array(json[1].utf8))
        former.request.body = Body(Array(json[0].utf8))
        new.request.body = Body(Array(json[1].utf8))
        #expect(merged().first?.request.body == former.request.body)
        #expect(merged().first?.response?.body == former.response?.body)
        former.request.body = Body(Array("--one\r\n\r\nx\r\n--one--".utf8))
        new.request.body = Body(Array("--two\r\n\r\nx\r\n--two--".utf8))
        let type = "multipart/form-data; boundary="
        former.request.fields.append(name: "Content-Type", value: "\(type)\(boundaries[0])")
        new.request.fields.append(name: "Content-Type", value: "\(type)\(boundaries[1])")
        #expect(merged().first?.request == former.request)
        new.request.body = Body(Array("--two\r\n\r\ny\r\n--two--".utf8))
        #expect(merged().first?.request == new.request)
    }

    @Test func aQueryItemThatAReplayIgnoresIsNotAChange() {
        var new = Self.former
        new.request.setURL("http://shop.test/a?time=2".utf8.span)
        var former = Self.former
        former.request.setURL("http://shop.test/a?time=1".utf8.span)
        let kept = RecordedMerge.merge([new], into: [former], ignoringQueryItems: ["time"])
        #expect(kept.first?.request.url == former.request.url)
        let changed = RecordedMerge.merge([new], into: [former])
        #expect(changed.first?.request.url == new.request.url)
    }

    @Test func recordingsOfOneRequestHaveDistinctIds() {
        let merged = RecordedMerge.merge([Self.former, Self.former], into: [])
        #expect(Set(merged.map(\.id)).count == 2)
        #expect(RecordedMerge.merge(merged, into: merged).map(\.id) == merged.map(\.id))
    }

    /// The notes and times that Tapline adds differ in each run.
    @Test func aFixtureIsTimeless() {
        var exchange = Self.former
        exchange.started = Timestamp(microseconds: 7)
        exchange.tags = ["tapline.redacted": "json token", "team": "cart"]
        exchange.messages = [StreamMessage(direction: .up, type: "text", bytes: [1])]
        var timeless = Self.former
        timeless.tags = ["team": "cart"]
        timeless.messages = exchange.messages
        #expect(exchange.timeless == timeless)
    }
}
