// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

@testable import TaplineServe

@Suite struct ServerSentEventsTests {
    @Test("an event has its type, its id and its data in lines")
    func event() {
        let bytes = ServerSentEvents.event("head", id: "7", data: Array("{\"a\":1}".utf8))
        #expect(String(decoding: bytes, as: UTF8.self) == "id: 7\nevent: head\ndata: {\"a\":1}\n\n")
        let lines = ServerSentEvents.event("x", data: Array("a\nb\r".utf8))
        #expect(
            String(decoding: lines, as: UTF8.self) == "event: x\ndata: a\ndata: b\ndata: \n\n"
        )
    }
}

@Suite struct StaticFileTests {
    /// `hello` in gzip.
    private static let file = StaticFile(
        type: "text/plain",
        compressed: [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6,
            0x10, 0x36, 5, 0, 0, 0,
        ]
    )

    @Test(
        "a file has the coding that the client accepts",
        arguments: [
            ("gzip, br", true), ("br;q=1.0, gzip;q=0.5", true), ("GZIP", true),
            ("gzip;q=0", false), ("gzip; q=0.000", false), ("br", false), ("", false),
        ]
    )
    func coding(_ accepted: String, _ isCompressed: Bool) throws {
        let request = try request("/", "Host: h", "Accept-Encoding: \(accepted)")
        let response = Self.file.response(to: request)
        #expect(response.fields.contains("Content-Encoding") == isCompressed)
        #expect(response.fields.first("Vary") == "Accept-Encoding")
        #expect(response.body == (isCompressed ? Self.file.compressed : Array("hello".utf8)))
    }

    @Test("a file that is not compressed has no plain form")
    func damaged() {
        #expect(StaticFile(type: "x", compressed: [1, 2, 3]).plain == nil)
    }
}
