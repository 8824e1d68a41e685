// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

@Suite("Byte counts")
struct AccountingTests {
    @Test("equal those of a relay in front of the proxy")
    func relay() async throws {
        let server = try ScriptedServer { request, _ in
            let path = request.split(separator: " ").dropFirst().first ?? ""
            switch path {
            case "/chunked":
                return .send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
                        + "5\r\nhello\r\n7;a=b\r\n, world\r\n0\r\nX-T: 1\r\n\r\n"
                )
            case "/empty": return .send("HTTP/1.1 204 No Content\r\n\r\n")
            case "/close": return .sendAndClose("HTTP/1.1 200 OK\r\n\r\nuntil the end")
            case "/interim":
                return .send(
                    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                        + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                )
            default:
                let length = request.hasPrefix("HEAD") ? "" : "0123456789"
                return .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n\(length)")
            }
        }
        let proxy = await ProxyHarness.start()
        let output = try await Python.run(
            "counting_relay",
            ["\(proxy.address.port)", "\(server.address.port)"]
        )
        let (_, exchanges) = await proxy.stop()
        var up = 0
        var down = 0
        for exchange in exchanges {
            let bytes = try #require(exchange.bytes)
            #expect(bytes.isExact)
            up += bytes.up.line + bytes.up.headers + bytes.up.body
            down += bytes.down.line + bytes.down.headers + bytes.down.body
        }
        #expect(exchanges.count == 16)
        #expect(output == "\(up) \(down)\n")
    }
}
