// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TestSupport
import Testing

@testable import ProxySource

@Suite("The hosts that a source answers for", .timeLimit(.minutes(2)))
struct AnsweringHostsTests {
    @Test("refuses other hosts than this machine and recorded ones, unless it is a proxy")
    func hosts() async throws {
        let mock = try Mock([Mock.exchange("GET", "http://api.test:8000/a", "first")])
        mock.settings.answers?.checksHost = true
        let proxy = await mock.start()
        for host in ["evil.test", "127.0.0.1.evil.test", "localhost.evil.test:80", "10.0.0.1"] {
            let text = try await proxy.get("/a", "-H", "Host: \(host)")
            #expect(text.contains("recorded hosts") && text.contains("|421|"), "\(host): \(text)")
        }
        for host in ["localhost:1", "LOCALHOST", "127.0.0.2", "[::1]:80", "api.test", "Api.test:1"]
        {
            let text = try await proxy.get("/a", "-H", "Host: \(host)")
            #expect(text == "first|200|text/plain", "\(host)")
        }
        #expect(try await proxy.curl("http://api.test:8000/a") == "first")
        #expect(try await proxy.curl("http://evil.test/a").contains("host: recorded"))
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.filter { $0.error?.code == "misdirected_request" }.count == 4)
    }

    @Test("compares the host that a stream names, as it compares that of a URL")
    func streams() async throws {
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let mock = try Mock([Mock.exchange("GET", "http://api.test:8000/a", "first")])
        mock.settings.http2.hosts = [Glob("*")]
        mock.settings.answers?.checksHost = true
        mock.settings.answers?.onMiss = .pass
        let proxy = await mock.start()
        let own = proxy.address
        #expect(try await proxy.http2("api.test:8000", "get", "/a").hasPrefix("200 first "))
        #expect(try await proxy.http2("\(own)", "get", "/a").hasPrefix("200 first "))
        #expect(try await proxy.http2("evil.test:\(own.port)", "get", "/a").hasPrefix("421 "))
        // It names a server that was not recorded, and is asked.
        #expect(try await proxy.http2("\(server.address)", "get", "/a").hasPrefix("200 ok "))
        let miss = try await proxy.http2("\(own)", "get", "/b")
        #expect(miss.hasPrefix("404 ") && miss.contains("names only this source"))
        _ = await proxy.stop()
    }

    @Test("treats the mapped port of a container as its own, unless servers are asked")
    func mappedPort() async throws {
        let mock = try Mock([
            Mock.exchange("GET", "http://api.test:8000/a", "first"),
            Mock.exchange("GET", "http://localhost:8001/b", "second"),
        ])
        mock.settings.http2.hosts = [Glob("*")]
        mock.settings.answers?.checksHost = true
        let proxy = await mock.start()
        let port = proxy.address.port ^ 1
        #expect(try await proxy.http2("localhost:\(port)", "get", "/a").hasPrefix("200 first "))
        #expect(try await proxy.http2("localhost:\(port)", "get", "/b").hasPrefix("200 second "))
        #expect(try await proxy.http2("evil.test:\(port)", "get", "/a").hasPrefix("421 "))
        #expect(try await proxy.http2("api.test:8000", "get", "/a").hasPrefix("200 first "))
        #expect(try await proxy.http2("api.test:8000", "get", "/b").hasPrefix("404 "))
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.request.url == ByteString("http://localhost:\(port)/a"))
        #expect(exchanges.first?.extra?.replay != nil)
    }

    @Test("says what is missing if there is no server for what has no recording")
    func noServer() async throws {
        let mock = try Mock([Mock.exchange("GET", "http://api.test/a", "recorded")])
        let hint = "it cannot be sent to a server, since the request names only this source"
        for policy in [AnswerSettings.MissPolicy.pass, .record, .notFound] {
            mock.settings.answers?.onMiss = policy
            let proxy = await mock.start()
            let text = try await proxy.get("/b")
            #expect(text.contains(hint) == (policy != .notFound), "\(text)")
            #expect(text.hasSuffix("|404|text/plain; charset=utf-8"))
            _ = await proxy.stop()
        }
    }
}
