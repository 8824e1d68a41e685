// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

@Suite struct LuaStageTests {
    private static let coded: [UInt8] = [
        // `printf hello | gzip -n`
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9,
        0x07, 0x00, 0x86, 0xA6, 0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
    ]

    private func exchange(_ body: Body) -> Exchange {
        var exchange = Exchange.sample
        exchange.response?.body = body
        return exchange
    }

    @Test func anEncodedBodyIsReadDecoded() throws {
        let coded = exchange(Body(bytes: Self.coded, size: 25, coding: "gzip"))
        #expect(
            try Bench.log("log(ex.response.body, ex.response.body_size)", of: coded) == ["hello 25"]
        )
        #expect(try Bench.edit("local b = ex.response.body", of: coded) == coded)
    }

    @Test func anAssignedBodyIsNotEncoded() throws {
        let coded = exchange(Body(bytes: Self.coded, size: 25, coding: "gzip"))
        let body = try Bench.edit("ex.response.body = ex.response.body .. '!'", of: coded).response?
            .body
        #expect(body == Body(bytes: Array("hello!".utf8), size: 25))
    }

    @Test func readingADamagedBodyIsAnError() throws {
        let damaged = exchange(Body(bytes: Array("nonsense".utf8), size: 8, coding: "gzip"))
        #expect(
            Bench.failure("return ex.response.body", of: damaged)?.message
                == "the body of ex.response is encoded and cannot be decoded"
        )
        let unknown = exchange(Body(bytes: Array("nonsense".utf8), size: 8, coding: "compress"))
        #expect(Bench.failure("return ex.response.body", of: unknown)?.code == .fault)
        #expect(Bench.failure("log(ex.response.status)", of: damaged) == nil)
    }

    @Test func codingNamesAreCaseInsensitive() throws {
        let coded = exchange(Body(bytes: Self.coded, size: 25, coding: "gzip"))
        #expect(try Bench.log("log(ex.response['bo' .. 'dy'])", of: coded) == ["hello"])
    }

    @Test func readingATruncatedBodyIsAnError() throws {
        let cut = exchange(Body(bytes: Array("hel".utf8), size: 5, isTruncated: true))
        let error = Bench.failure("return ex.response.body", of: cut)
        #expect(error?.message.contains("'…'") == false)
        #expect(error?.message.hasPrefix("the body of ex.response was truncated") == true)
        #expect(try Bench.log("log(ex.response.body_truncated)  -- body", of: cut) == ["true"])
    }

    /// A proxy marks a streamed body as truncated, because none of its bytes have arrived yet.
    @Test(arguments: [nil, Body(bytes: [], size: nil, isTruncated: true)])
    func readingAStreamedBodyNamesTheOption(_ body: Body?) throws {
        let bench = try Bench("function request(ex) return ex.request.body end")
        var exchange = Exchange.sample
        if let body { exchange.request.body = body }
        var context = ExchangeContext()
        let error = #expect(throws: ScriptError.self) {
            _ = try bench.stage.request(&exchange, &context)
        }
        #expect(error?.message.contains("set 'buffer: [request]' on this stage") == true)
    }

    @Test func anAssignedBodyIsReadable() throws {
        let cut = exchange(Body(bytes: Array("hel".utf8), size: 5, isTruncated: true))
        let lines = try Bench.log(
            "ex.response.body = 'x' log(ex.response.body, ex.response.body_truncated)",
            of: cut
        )
        #expect(lines == ["x false"])
    }

    @Test func jsonReadsTheCurrentBody() throws {
        let lines = try Bench.log(
            """
            local r = ex.request
            log(r:json().n) r.body = '{"n":1}' log(r:json().n) r.body = nil log(#r.body)
            """
        )
        #expect(lines == ["9007199254740993", "1", "0"])
    }

    @Test func aBodyIsCachedForOneCallOnly() throws {
        let bench = try Bench("function record(ex) log(ex.response.body, ex.request:json().n) end")
        var first = Exchange.sample
        try bench.run("record", &first)
        first.response?.body = Body(Array("second".utf8))
        first.request.body = Body(Array(#"{"n":2}"#.utf8))
        try bench.run("record", &first)
        #expect(bench.log == ["hello 9007199254740993", "second 2"])
    }
}
