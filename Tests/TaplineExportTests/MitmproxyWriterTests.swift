// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import TaplineExport

@Suite("Flows of mitmproxy")
struct MitmproxyWriterTests {
    @Test("are tagged netstrings")
    func values() {
        #expect(
            TNetString.dictionary([("a", TNetString.list([TNetString.null]))])
                == Array("10:1:a;3:0:~]}".utf8)
        )
        #expect(TNetString.bool(true) == Array("4:true!".utf8))
        #expect(TNetString.integer(-12) == Array("3:-12#".utf8))
        #expect(TNetString.bytes([0, 0x3A]) == [0x32, 0x3A, 0, 0x3A, 0x2C])
        #expect(TNetString.text("ü") == Array("2:ü;".utf8))
        #expect(TNetString.seconds(microseconds: 1_000_050) == Array("8:1.000050^".utf8))
        #expect(TNetString.seconds(microseconds: -50) == Array("9:-0.000050^".utf8))
    }

    @Test(
        "are read by mitmproxy",
        .enabled(if: Tool.mitmproxyPython != nil, "mitmproxy is not installed")
    )
    func read() throws {
        var exchange = Exchange.shop("POST", "/a", ["Content-Encoding": "gzip"], body: "plain")
        exchange.connection.client = "[::1]:5000"
        exchange.connection.tls = TLSInfo(version: "TLSv1.3", sni: "shop.test", alpn: "h2")
        exchange.request.trailers = ["T": "1"]
        var failed = Exchange.shop()
        failed.response = nil
        failed.error = ExchangeError(code: "reset", message: "it's ü")
        var socket = Exchange.shop()
        socket.messages = [
            StreamMessage(direction: .up, at: Microseconds(5), bytes: Array("hi".utf8)),
            StreamMessage(direction: .down, type: "close", code: 1000, bytes: []),
        ]
        let folder = try TemporaryFolder()
        let flows = try folder.write(
            Exported(.mitmproxy, [exchange, failed, socket]).bytes,
            to: "flows"
        )
        let program = TestFiles.fixture("read_flows.py")
        #expect(
            try Tool.run([Tool.mitmproxyPython ?? "", program, flows], home: folder.path) == """
                https://shop.test/a plain {'T': '1'} ('::1', 5000)
                None it's ü
                hi 1000 False

                """
        )
    }
}
