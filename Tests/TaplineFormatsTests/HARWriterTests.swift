// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineJSON
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct HARWriterTests {
    /// Content of `har` without a place in the entry.
    @Test(arguments: [
        (#"{"other":1}"#, "har.*"), (#"{"entry":[1]}"#, "har.entry"), (#"{"log":1}"#, "har.log"),
        (#"{"entry":{"request":1}}"#, "har.entry"), (#"{"entry":{"timings":[]}}"#, "har.entry"),
        (#"{"entry":{"response":{"content":"x"}}}"#, "har.entry"),
        (#"{"entry":{"request":{"postData":1}}}"#, "har.entry"),
        (#"{"entry":{"request":{"headers":{"a":1}}}}"#, "har.entry"),
        (#"{"entry":{"request":{"headers":[{"at":7,"name":"A","value":{"c":1}}]}}}"#, "har.entry"),
        (#"{"entry":{"request":{"headers":[{"at":0,"name":"B","value":{"c":1}}]}}}"#, "har.entry"),
        (
            #"{"entry":{"request":{"headers":[{"at":0,"name":"A","value":{"c":1}},1]}}}"#,
            "har.entry"
        ),
        (#"{"entry":{"response":{"cookies":[{"at":0,"name":"A","value":{}}]}}}"#, "har.entry"),
        (#"{"entry":{"request":{"headers":[{"at":0,"name":"A","value":{"c":1}}]}}}"#, ""),
        (#"{"entry":{"request":{"headers":[{"at":0,"name":"A"}],"postData":{}}}}"#, ""),
    ])
    func detailsWithoutAPlaceAreCounted(_ har: String, _ loss: String) throws {
        var exchange = HARLossesTests.plain
        exchange.request.fields = ["A": "1"]
        exchange.har = ByteString(har)
        let (_, losses) = try HARRoundTripTests.write([exchange])
        #expect(losses.losses.map(\.field) == (loss.isEmpty ? [] : [loss]))
    }

    /// Equivalent names may be spelled in two ways.
    @Test func detailsMatchACookieSpelledDifferently() throws {
        let text =
            #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h/","headers":[{"name":"#
            + #""Cookie","value":"%20x=1"}],"cookies":[{"name":" x","value":"1","comment":"c"}]}}]}}"#
        let (exchanges, losses) = try HARRoundTripTests.read(text)
        let (written, unwritten) = try HARRoundTripTests.write(exchanges)
        #expect(losses.isEmpty && unwritten.isEmpty)
        let entry = try JSONTree(written)["log"]?["entries"]?.elements[0]
        #expect(entry?["request"]?["cookies"]?.elements[0]["comment"]?.string == "c")
    }

    func write(_ exchanges: [Exchange]) throws -> (String, LossReport) {
        var writer = HARWriter(capacity: 1)
        var whole: [UInt8] = []
        writer.begin(version: "0.1")
        for exchange in exchanges {
            writer.write(try #require(seal(exchange)))
            // Writing piece by piece produces the same file.
            whole.append(copying: writer.bytes)
            writer.removeAll()
        }
        writer.end()
        whole.append(copying: writer.bytes)
        return (String(decoding: whole, as: UTF8.self), writer.losses)
    }

    func read(_ text: String) throws -> [Exchange] {
        var exchanges: [Exchange] = []
        var reader = RecordingReader(file: "f.har")
        let bytes = Array(text.utf8)
        try reader.read(bytes.span) { exchanges.append(try $0.get()) }
        try reader.finish { exchanges.append(try $0.get()) }
        return exchanges
    }

    @Test func whatHARRepresentsRoundTrips() throws {
        var full = fullExchange()
        full.request.fields.removeAll("X-Odd")
        let back = try #require(try read(write([full]).0).first)
        #expect(back.id == full.id)
        #expect(back.started == full.started)
        #expect(back.state == full.state)
        #expect(back.tags == full.tags)
        #expect(back.timing == full.timing)
        #expect(back.request.method == full.request.method)
        #expect(back.request.url == full.request.url)
        #expect(back.request.fields == full.request.fields)
        #expect(back.request.body.bytes == full.request.body.bytes)
        #expect(back.request.body.size == full.request.body.size)
        #expect(back.response?.status == full.response?.status)
        #expect(back.response?.reason == full.response?.reason)
        #expect(back.response?.fields == full.response?.fields)
        #expect(back.response?.body.size == full.response?.body.size)
        #expect(back.error?.message == full.error?.message)
        #expect(back.messages.map(\.bytes) == full.messages.map(\.bytes))
        #expect(back.messages.map(\.direction) == full.messages.map(\.direction))
        #expect(back.messages.map(\.type) == full.messages.map(\.type))
        #expect(back.messages.map(\.event) == full.messages.map(\.event))
        #expect(back.messages.map(\.eventID) == full.messages.map(\.eventID))
        #expect(back.extra == full.extra)
    }

    @Test func everyFileIsJSON() throws {
        for exchanges in [[], [fullExchange()], [fullExchange(), fullExchange()]] {
            let bytes = Array(try write(exchanges).0.utf8)
            var parser = JSONParser()
            let document = try parser.parse(bytes.span)
            let entries = document.root.member("log")?.member("entries")?.kind
            #expect(entries == .array)
            #expect(try read(String(decoding: bytes, as: UTF8.self)).count == exchanges.count)
        }
    }
}
