// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import Testing

@testable import ProxySource

@Suite("The proxy's limits")
struct LimitOptionsTests {
    @Test("are set by options")
    func named() throws {
        let built = buildProxy(
            """
            { max_line: 1KiB, max_head: 2KiB, max_fields: 3, max_chunk_line: 4KiB,
              max_chunk_extensions: 5KiB, max_trailers: 6KiB, max_interim: 7, max_messages: 8,
              max_decoded_message: 9KiB, max_connections: 10, max_connections_per_client: 11, max_captured_per_client: 1MiB,
              connect_timeout: 12s, head_timeout: 13s, idle_timeout: 14s, exchange_timeout: 15s,
              tunnel_timeout: 16s, keep_alive: 17s, min_rate: 2KiB, min_rate_window: 30s, threads: 18, via: false, preserve_host: true }
            """
        )
        let settings = try #require(built.settings, "\(built.problems)")
        let limits = HTTPLimits(
            line: 1024,
            head: 2048,
            fields: 3,
            chunkLine: 4096,
            chunkExtensions: 5120,
            trailers: 6144
        )
        #expect(settings.limits == limits)
        #expect(settings.http2.clients.messages == limits)
        #expect(settings.http2.servers.messages == limits)
        #expect(settings.maxInterim == 7)
        #expect(settings.maxMessages == 8)
        #expect(settings.maxDecodedMessage == 9216)
        #expect(settings.maxConnections == 10)
        #expect(settings.maxConnectionsPerClient == 11)
        #expect(settings.maxCapturedPerClient == 1 << 20)
        let rate = RateWatch.Limit(bytesPerSecond: 2048, window: Microseconds(30_000_000))
        #expect(settings.minRate == rate)
        let times = settings.timeouts
        let seconds = [
            times.connect, times.head, times.idle, times.exchange, times.tunnel, times.keepAlive,
        ].map { ($0?.count ?? 0) / 1_000_000 }
        #expect(seconds == [12, 13, 14, 15, 16, 17])
        #expect(settings.threads == 18)
        #expect(!settings.addsVia && settings.preservesHost)
    }

    @Test("have defaults; 'auto' is accepted as the number of threads")
    func defaults() throws {
        let settings = try #require(buildProxy("{}").settings)
        #expect(settings.limits == HTTPLimits())
        #expect(settings.timeouts.exchange == nil)
        #expect(settings.minRate == RateWatch.Limit())
        #expect(try #require(buildProxy("{ min_rate: 0B }").settings).minRate == nil)
        #expect(settings.threads == nil)
        #expect(buildProxy("{ threads: 2 }").settings?.threads == 2)
        let automatic = buildProxy("{ threads: auto }")
        #expect(automatic.settings != nil && automatic.settings?.threads == nil)
        let wrong = buildProxy("{ threads: many }")
        #expect(wrong.settings == nil)
        #expect(wrong.problems.contains("expected a whole number from 1 to 256, or 'auto'"))
    }

    @Test(
        "apply to chunks too: the connection is closed",
        arguments: [
            ("5;\(String(repeating: "x", count: 40))\r\nhello\r\n0\r\n\r\n", 400),
            (String(repeating: "1;abcdefghi\r\na\r\n", count: 4) + "0\r\n\r\n", 400),
            ("5;x\r\nhello\r\n0\r\n\r\n", 200),
        ]
    )
    func chunks(body: String, status: Int) async throws {
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        var settings = try #require(
            buildProxy("{ max_chunk_line: 32B, max_chunk_extensions: 32B }").settings
        )
        settings.threads = 1
        let proxy = await ProxyHarness.start(settings)
        let output = try await exchangeBytes(
            with: proxy.address,
            "POST http://\(server.address)/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 \(status) "))
        #expect(exchanges.map(\.error?.code) == [status == 200 ? nil : "malformed_request"])
    }
}
