// SPDX-License-Identifier: MIT

import Foundation
import TaplineConnections
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

/// The place where a request arrives.
enum RequestPlace: String, CaseIterable {
    /// To a forward proxy.
    case forward
    /// To a forward proxy that reads tunnels.
    case forwardReading
    /// To a reverse proxy.
    case reverse
    /// To a reverse proxy with `intercept`, which has no tunnels to read.
    case reverseReading
    /// To a reverse proxy with `preserve_host`.
    case reversePreserving
    /// In SOCKS, after another request in plain HTTP.
    case socks
    /// In a tunnel that is read, after another request in plain HTTP.
    case tunnel
    /// In a tunnel that is read, in TLS.
    case secureTunnel
    /// In a tunnel that is not read.
    case unreadTunnel

    fileprivate var isReverse: Bool {
        self == .reverse || self == .reverseReading || self == .reversePreserving
    }

    fileprivate var isForward: Bool { self == .forward || self == .forwardReading }
}

/// A form of a request's target; `B` is not the proxy's upstream.
enum WrittenTarget: String, CaseIterable {
    case path = "/x"
    case url = "http://B/x"
    case urlWithoutPath = "http://B"
    case otherScheme = "ftp://B/x"
    case authority = "B"
    case authorityWithoutPort = "localhost"
    case asterisk = "*"
}

@Suite("Each method and target form at each place")
struct TargetTableTests {
    /// Registered methods, other methods, and some that only resemble registered ones.
    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "PROPFIND",
        "M-SEARCH", "FOO", "connect", "get",
    ]

    /// The table in README.md.
    private func expected(
        _ method: String,
        _ form: WrittenTarget,
        at place: RequestPlace,
        _ a: String,
        _ b: String
    ) -> String {
        let isConnect = method == "CONNECT"
        let target = form.rawValue.replacing("B", with: b)
        let host = form == .path || form == .asterisk ? a : b
        if place == .unreadTunnel { return "200 a \(method) \(target) \(host)" }
        // RFC 9112 §3.2: the form is not allowed with the method.
        let goesWithConnect = form == .authority
        if isConnect != goesWithConnect || form == .authorityWithoutPort { return "400" }
        if form == .asterisk, method != "OPTIONS" { return "400" }
        if isConnect { return place.isForward ? "200" : "405 allow" }
        if form == .otherScheme { return "501" }
        if place.isForward, form == .path || form == .asterisk { return "400" }
        // RFC 9112 §3.2.4: a URL without a path means the server as a whole.
        let isWhole = form == .asterisk || (form == .urlWithoutPath && method == "OPTIONS")
        let path = isWhole ? "*" : form == .urlWithoutPath ? "/" : "/x"
        let name = place.isForward ? "b" : "a"
        let sent = place == .reverse || place == .reverseReading ? a : host
        return "200 \(name) \(method) \(path) \(sent)"
    }

    private func settings(_ place: RequestPlace, _ a: SecureOrigin) -> ProxySettings {
        switch place {
        case .forward, .socks, .unreadTunnel: return a.settings()
        case .forwardReading, .tunnel, .secureTunnel: return a.intercepting()
        case .reverse, .reverseReading, .reversePreserving:
            var settings = a.upstream(isSecure: false)
            settings.preservesHost = place == .reversePreserving
            guard place == .reverseReading else { return settings }
            let reading = a.intercepting()
            settings.interception = reading.interception
            settings.authority = reading.authority
            return settings
        }
    }

    @Test("is answered as the reference page says", arguments: RequestPlace.allCases)
    func table(place: RequestPlace) async throws {
        let isSecure = place == .secureTunnel
        let a = try await SecureOrigin(program: "target_server", argument: isSecure ? "a tls" : "a")
        let b = try await SecureOrigin(program: "target_server", argument: "b")
        let proxy = await ProxyHarness.start(settings(place, a))
        let (aHost, bHost) = ("localhost:\(a.port)", "localhost:\(b.port)")
        var requests: [[String]] = []
        var expected: [String] = []
        for method in Self.methods {
            for form in WrittenTarget.allCases {
                let target = form.rawValue.replacing("B", with: bHost)
                let host = form == .path || form == .asterisk ? aHost : bHost
                requests.append([method, target, host])
                expected.append(self.expected(method, form, at: place, aHost, bHost))
            }
        }
        let rows = try #require(
            String(data: JSONEncoder().encode(requests), encoding: .utf8)
        )
        let output = try await Python.run(
            "target_client",
            [place.rawValue, "\(proxy.address.port)", aHost, a.authority, rows]
        )
        let (report, exchanges) = await proxy.stop()
        let results = try JSONDecoder().decode([String].self, from: Data(output.utf8))
        #expect(results.count == requests.count)
        for (row, result) in zip(requests.indices, results) {
            #expect(result == expected[row], "\(place): \(requests[row])")
        }
        #expect(report.isBalanced)
        // Every request that reached a server is recorded with the server's name.
        for exchange in exchanges where exchange.response?.status == 200 && !place.isForward {
            #expect(exchange.request.authority == ByteString(aHost))
        }
        let refused = exchanges.filter { $0.error?.code == "method_not_allowed" }
        #expect(refused.count == expected.count { $0.hasPrefix("405") })
        #expect(refused.allSatisfy { $0.request.authority == ByteString(bHost) })
    }

    @Test("a refused CONNECT ends its connection, so that nothing after it is read as a request")
    func smuggled() async throws {
        let server = try await SecureOrigin(program: "target_server", argument: "a")
        let proxy = await ProxyHarness.start(server.upstream(isSecure: false))
        let output = try await exchangeBytes(
            with: proxy.address,
            "CONNECT localhost:1 HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 405 "))
        #expect(output.contains("a reverse proxy opens no tunnels"))
        #expect(output.contains("\r\nConnection: close\r\n"))
        #expect(output.components(of: "HTTP/1.1 ") == 1)
        #expect(exchanges.map(\.error?.code) == ["method_not_allowed"])
    }

    @Test("hooks do not see a refused CONNECT, and cannot accept it")
    func hooks() async throws {
        let server = try await SecureOrigin(program: "target_server", argument: "a")
        let proxy = await ProxyHarness.start(
            server.upstream(isSecure: false),
            stages: [liveStage(request: .respond(Response(status: 204)))]
        )
        let output = try await exchangeBytes(
            with: proxy.address,
            "CONNECT localhost:\(server.port) HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        _ = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 405 "))
    }

    @Test(
        "an unsupported scheme is refused with advice for the place",
        arguments: [
            (RequestPlace.forward, "ftp", "CONNECT for everything else"),
            (.reverse, "ftp", "a reverse proxy supports only http:// and https://"),
            (.reversePreserving, "ws", "a reverse proxy supports only http:// and https://"),
            (.tunnel, "ftp", "if the tunnel's server is a proxy, add it to 'passthrough'"),
        ]
    )
    func advice(place: RequestPlace, scheme: String, text: String) async throws {
        let a = try await SecureOrigin(program: "target_server", argument: "a")
        let proxy = await ProxyHarness.start(settings(place, a))
        let host = "localhost:\(a.port)"
        let connect = "CONNECT \(host) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
        let output = try await exchangeBytes(
            with: proxy.address,
            (place == .tunnel ? connect : "")
                + "GET \(scheme)://b.test/x HTTP/1.1\r\nHost: b.test\r\n\r\n"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.contains("HTTP/1.1 501 "))
        #expect(output.contains(text))
        #expect(output.contains("CONNECT") == (place == .forward))
        #expect(exchanges.map(\.error?.code) == ["unsupported_scheme"])
    }

    @Test(
        "an unusable URL from a hook is reported as the hook's",
        arguments: [RequestPlace.forward, .reverse],
        [
            ("ftp", "b.test", "unsupported_scheme", "a stage has sent the request to a URL whose"),
            ("http", "", "no_target", "a stage has sent the request to a URL that names no server"),
        ]
    )
    func movedToNoServer(
        place: RequestPlace,
        row: (scheme: ByteString, authority: ByteString, code: String, text: String)
    ) async throws {
        let a = try await SecureOrigin(program: "target_server", argument: "a")
        let stage = Topology.Stage(
            id: "s",
            ScriptedStage(request: { exchange, _ in
                exchange.request.scheme = row.scheme
                exchange.request.authority = row.authority
                return .proceed
            })
        )
        let proxy = await ProxyHarness.start(settings(place, a), stages: [stage])
        let output = try await exchangeBytes(
            with: proxy.address,
            "GET http://localhost:\(a.port)/x HTTP/1.1\r\nHost: localhost:\(a.port)\r\n\r\n"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.contains(row.text))
        #expect(exchanges.map(\.error?.code) == [row.code])
    }

    @Test(
        "the asterisk form is recorded as requested",
        arguments: [
            (RequestPlace.reverse, "*"), (.forward, "http://localhost:P"),
            (.reverse, "http://localhost:P"),
        ]
    )
    func asterisk(place: RequestPlace, target: String) async throws {
        let a = try await SecureOrigin(program: "target_server", argument: "a")
        let proxy = await ProxyHarness.start(settings(place, a))
        let target = target.replacing("P", with: "\(a.port)")
        let output = try await exchangeBytes(
            with: proxy.address,
            "OPTIONS \(target) HTTP/1.1\r\nHost: localhost:\(a.port)\r\n\r\n"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.contains("X-Seen: a OPTIONS * "))
        let request = try #require(exchanges.first).request
        // RFC 9112 §3.3: the path of `*` is empty.
        #expect(request.url == ByteString("http://localhost:\(a.port)"))
        #expect(request.target == (place == .forward ? request.url : "*"))
    }

    @Test(
        "an inspected tunnel passes unread if its first request has no standard method",
        arguments: [("PROPFIND", "CONNECT"), ("CONNECT", "CONNECT"), ("TRACE", "TRACE")]
    )
    func firstMethod(method: String, recorded: ByteString) async throws {
        let server = try await SecureOrigin(program: "target_server", argument: "a")
        let proxy = await ProxyHarness.start(server.intercepting())
        let target = method == "CONNECT" ? "b.test:80" : "/x"
        let output = try await exchangeBytes(
            with: proxy.address,
            "CONNECT localhost:\(server.port) HTTP/1.1\r\nHost: x\r\n\r\n"
                + "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.contains("X-Seen: a \(method) \(target) x\r\n"))
        #expect(exchanges.map(\.request.method) == [recorded])
    }
}
