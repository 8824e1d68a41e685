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
              max_resets: 4, max_pings: 5, max_settings: 6, max_empty_frames: 7, max_head: 8KiB,
              max_priorities: 8, max_window_updates: 9, header_table: 10B, sent_header_table: 1MiB }
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
            #expect(limits.frames.ignored == 8)
            #expect(limits.frames.windowUpdates == 9)
            #expect(limits.receivedTable == 10)
            #expect(limits.sentTable == 1 << 20)
            #expect(limits.messages.head == 8192)
            #expect(limits.announcesExtendedConnect)
        }
        #expect(settings.http2.clients.firstWindow == 65_535)
        #expect(settings.http2.servers.firstWindow == 16 << 10)
    }

    @Test("have the names that errors use", arguments: HTTP2FrameBudget.Kind.allCases)
    func names(kind: HTTP2FrameBudget.Kind) throws {
        let frames = try #require(
            buildProxy("{ \(kind.option): 77 }").settings?.http2.clients.frames
        )
        let values = [
            frames.resets, frames.pings, frames.settings, frames.ignored, frames.windowUpdates,
            frames.empty,
        ]
        #expect(values[kind.rawValue] == 77)
    }

    @Test(
        "are refused at their place if they are out of range",
        arguments: [
            ("stream_window: 10B", "'10B', expected a size from 65535B to 2147483647B"),
            ("connection_window: 3GiB", "'3GiB', expected a size from 65535B to 2147483647B"),
            ("header_table: 2MiB", "'2MiB', expected a size from 0B to 1MiB"),
            ("sent_header_table: 1GiB", "'1GiB', expected a size from 0B to 1MiB"),
            ("max_priorities: 0", "found 0, expected a whole number from 1"),
            ("max_window_updates: 0", "found 0, expected a whole number from 1"),
        ]
    )
    func ranges(option: String, problem: String) throws {
        let problems = buildProxy("{ \(option) }").problems
        let column = option.prefix { $0 != " " }.utf8.count + 4
        #expect(problems.hasPrefix("p.yaml:1:\(column): error: "), "\(problems)")
        #expect(problems.contains(problem), "\(problems)")
    }

    @Test("allow the largest windows of RFC 9113")
    func windows() throws {
        let built = buildProxy("{ stream_window: 65535B, connection_window: 2147483647B }")
        let limits = try #require(built.settings?.http2.clients)
        #expect(limits.streamWindow == 65_535)
        #expect(limits.connectionWindow == Int(Int32.max))
    }

    @Test("do not switch it off for a server that speaks nothing else")
    func contradiction() {
        let problems = buildProxy("{ upstream: \"h2c://a.test\", http2: false }").problems
        #expect(problems.hasPrefix("p.yaml:1:36: error: 'http2' switches it off"), "\(problems)")
        #expect(buildProxy("{ upstream: \"http://a.test\", http2: false }").problems.isEmpty)
        #expect(buildProxy("{ upstream: \"h2c://a.test\", http2: [a.test] }").problems.isEmpty)
    }
}
