// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineOperations
import Testing

@testable import ClientReplaySource

@Suite struct ReplayTargetsTests {
    private func targets(_ hosts: [(String, String)], unsafe: Bool = false) -> ReplayTargets {
        ReplayTargets(
            targets: hosts.compactMap { hosts, url in
                Origin(url: url).map {
                    ReplayTargets.Target(hosts: Glob(hosts, ignoringCase: true), origin: $0)
                }
            },
            allowsUnsafe: unsafe
        )
    }

    @Test(
        "the first pattern that matches the host, or the host with its port, decides",
        arguments: [
            ("api.shop.test", 1), ("API.shop.test:8443", 1), ("img.shop.test", 2),
            ("other.test:99", 3), ("other.test", nil), ("", nil),
        ] as [(String, UInt16?)]
    )
    func map(authority: String, port: UInt16?) {
        let targets = targets([
            ("api.shop.test", "http://127.0.0.1:1"), ("*.shop.test", "http://127.0.0.1:2"),
            ("other.test:99", "http://127.0.0.1:3"),
        ])
        let request = Request(authority: ByteString(authority))
        #expect(targets.origin(for: request)?.port == port)
    }

    @Test("a single target gets all requests")
    func all() {
        let targets = targets([("*", "https://127.0.0.1")])
        #expect(targets.origin(for: Request(authority: ""))?.port == 443)
        #expect(targets.origin(for: Request(authority: "[::1]:80"))?.isSecure == true)
    }

    @Test(
        "unsafe methods are sent to this machine, elsewhere only if that is allowed",
        arguments: [
            ("GET", "http://shop.test", false, nil), ("HEAD", "http://shop.test", false, nil),
            ("OPTIONS", "http://shop.test", false, nil),
            ("POST", "http://shop.test", false, .unsafeMethod),
            ("DELETE", "http://10.0.0.1", false, .unsafeMethod),
            ("get", "http://shop.test", false, .unsafeMethod),
            ("POST", "http://127.0.0.1:1", false, nil), ("POST", "http://[::1]:1", false, nil),
            ("POST", "http://localhost", false, nil), ("POST", "http://a.localhost", false, nil),
            ("POST", "http://localhost.shop.test", false, .unsafeMethod),
            ("POST", "http://shop.test", true, nil),
        ] as [(ByteString, String, Bool, ReplayObstacle?)]
    )
    func unsafe(method: ByteString, url: String, allowed: Bool, obstacle: ReplayObstacle?) throws {
        let origin = try #require(Origin(url: url))
        let found = targets([], unsafe: allowed)
            .obstacle(to: Request(method: method), at: origin, through: nil)
        #expect(found == obstacle)
    }

    @Test("localhost is another machine if it is reached through a proxy")
    func unsafeThroughProxy() throws {
        let origin = try #require(Origin(url: "http://localhost:1"))
        var parent = ParentProxy(try #require(Origin(url: "http://proxy.test:3128")))
        let request = Request(method: "POST")
        #expect(targets([]).obstacle(to: request, at: origin, through: parent) == .unsafeMethod)
        parent.exceptions = [Glob("localhost")]
        #expect(targets([]).obstacle(to: request, at: origin, through: parent) == nil)
    }
}
