// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@Suite struct RecordKeysTests {
    func losses(_ line: String) throws -> [String] {
        var reader = NDJSONReader(countsUnknown: true)
        let bytes = Array(line.utf8)
        _ = try reader.read(bytes.span)
        return reader.losses.losses.map { "\($0.field) \($0.count)" }
    }

    @Test func skippedKeysAreCounted() throws {
        let found = try losses(
            #"{"v":1,"x":1,"a=b":1,"n":null,"request":{"method":"G","url":"u","y":1,"#
                + #""body":{"sha256":"00","z":1}},"response":{"status":200,"interim":["#
                + #"{"status":100,"q":1},{"q":2}]},"messages":[{"dir":"up","w":1}],"#
                + #""tls":{"handshake":{"up":1,"h":1}},"timing":{"t":1},"tags":{"any":"x"}}"#
        )
        #expect(
            found == [
                "x 1", "* 1", "request.y 1", "request.body.z 1",
                "response.interim.q 2", "timing.t 1", "tls.handshake.h 1", "messages.w 1",
            ]
        )
    }

    @Test func unknownKeysOfRarePartsAreCounted() throws {
        let found = try losses(
            #"{"v":1,"request":{"method":"G","url":"u"},"messages":[{"event":"a","id":"1"}],"#
                + #""provenance":[{"stage":"a","x":1,"changes":[{"part":"url","c":1}],"#
                + #""details":[{"name":"rule","d":1}]}],"notes":[{"y":1},{"y":2}],"grpc":{"z":1},"#
                + #""replay":{"of":"01930000-0000-7abc-8000-000000000001","r":1},"#
                + #""stream":{"client":{"id":1,"c":1,"fields":{"f":1}},"s":{}}}"#
        )
        #expect(
            found == [
                "replay.r 1", "stream.s 1", "grpc.z 1", "provenance.x 1", "notes.y 2",
                "provenance.changes.c 1", "provenance.details.d 1", "stream.client.c 1",
                "stream.client.fields.f 1",
            ]
        )
    }

    /// Every written key is known.
    @Test func allWrittenKeysAreKnown() throws {
        var exchange = fullExchange()
        exchange.har = #"{"entry":{"any":1}}"#
        var writer = NDJSONWriter()
        writer.write(try #require(seal(exchange)))
        #expect(try losses(text(writer.bytes)).isEmpty)
    }
}
