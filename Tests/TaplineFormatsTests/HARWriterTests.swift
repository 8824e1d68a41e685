// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineJSON
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct HARWriterTests {
    func write(_ exchanges: [Exchange]) throws -> (String, LossReport) {
        var writer = HARWriter(capacity: 1)
        var whole: [UInt8] = []
        writer.begin(version: "0.1")
        for exchange in exchanges {
            writer.write(try #require(seal(exchange)))
            // What is handed on piece by piece makes the same file.
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

    @Test func whatHARHasComesBack() throws {
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
