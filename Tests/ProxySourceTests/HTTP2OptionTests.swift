// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import Testing

@testable import ProxySource

@Suite("The options for HTTP/2")
struct HTTP2OptionTests {
    private func covers(_ settings: ProxySettings, _ host: String) -> Bool {
        settings.http2.covers(host.utf8.span)
    }

    @Test("use it with all hosts by default, and with those that are named")
    func hosts() throws {
        let all = try #require(buildProxy("{}").settings)
        #expect(covers(all, "shop.test"))
        let none = try #require(buildProxy("{ http2: false }").settings)
        #expect(!none.http2.isOn)
        let some = try #require(buildProxy("{ http2: [\"*.shop.test\"] }").settings)
        #expect(covers(some, "api.SHOP.test"))
        #expect(!covers(some, "other.test"))
    }

    @Test("match the host that the client names in TLS, if it names one")
    func serverName() {
        var rules = HTTP2Rules()
        rules.hosts = [Glob("*.shop.test")]
        func covers(_ host: ByteString, _ name: ByteString?) -> Bool {
            rules.covers(Origin(isSecure: true, host: host, port: 443, serverName: name))
        }
        #expect(covers("203.0.113.7", "a.shop.test"))
        #expect(!covers("a.shop.test", "other.test"))
        #expect(covers("a.shop.test", nil) && !covers("203.0.113.7", nil))
    }

    @Test("make an upstream of h2c a server of HTTP/2 without TLS")
    func upstream() throws {
        let settings = try #require(buildProxy("{ upstream: \"h2c://a.test:81\" }").settings)
        let upstream = try #require(settings.upstream)
        #expect(upstream.authority == "a.test:81" && !upstream.isSecure)
        #expect(settings.http2.covers(upstream))
        // Another server with the same name is not known to use it.
        #expect(try !settings.http2.covers(#require(Origin(url: "http://a.test:81"))))
        let plain = try #require(buildProxy("{ upstream: \"http://a.test\" }").settings)
        #expect(try !plain.http2.covers(#require(plain.upstream)))
        #expect(buildProxy("{ upstream: \"h2c://a.test/x\" }").problems.contains("h2c://host"))
    }

    @Test("set the limits for clients and servers")
    func limits() throws {
        let built = buildProxy(
            """
            { max_streams: 1, stream_window: 1MiB, connection_window: 2MiB, max_continuations: 3,
              max_resets: 4, max_pings: 5, max_settings: 6, max_empty_frames: 7, max_head: 8KiB }
            """
        )
        let settings = try #require(built.settings, "\(built.problems)")
        for limits in [settings.http2.clients, settings.http2.servers] {
            #expect(limits.streams == 1)
            #expect(limits.streamWindow == 1 << 20)
            #expect(limits.connectionWindow == 2 << 20)
            #expect(limits.continuations == 3)
            #expect(limits.frames.resets == 4)
            #expect(limits.frames.pings == 5)
            #expect(limits.frames.settings == 6)
            #expect(limits.frames.empty == 7)
            #expect(limits.messages.head == 8192)
            #expect(limits.announcesExtendedConnect)
        }
        #expect(settings.http2.clients.firstWindow == 65_535)
        #expect(settings.http2.servers.firstWindow == 16 << 10)
    }

    @Test("allow windows that RFC 9113 allows")
    func windows() throws {
        let small = try #require(buildProxy("{ stream_window: 1B }").settings)
        #expect(small.http2.clients.streamWindow == 65_535)
        let large = try #require(buildProxy("{ connection_window: 8GiB }").settings)
        #expect(large.http2.clients.connectionWindow == Int(Int32.max))
    }
}
