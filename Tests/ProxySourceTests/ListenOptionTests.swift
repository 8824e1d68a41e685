// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import Testing

@testable import ProxySource

@Suite struct ListenOptionTests {
    private func parsed(_ yaml: String) -> [ProxyListener]? {
        buildProxy(yaml).settings?.listeners
    }

    @Test func anAddressIsAListenerOfAProxy() throws {
        let listeners = try #require(parsed("{ listen: ['127.0.0.1:8080', '[::1]:8080'] }"))
        #expect(listeners.map { "\($0.address)" } == ["127.0.0.1:8080", "[::1]:8080"])
        #expect(listeners.allSatisfy { !$0.isRedirecting })
        #expect(parsed("{}")?.map { "\($0.address)" } == ["127.0.0.1:8080"])
    }

    @Test func oneMappingIsATransparentListener() throws {
        let yaml = "{ listen: { mode: transparent, address: '127.0.0.1:15001', tproxy: true } }"
        let listener = try #require(parsed(yaml)?.first)
        #expect(listener.mode == .transparent(isTproxy: true))
        #expect(listener.isRedirecting)
        #expect(listener.namespace == nil)
    }

    @Test func bothKindsStandInOneList() throws {
        let yaml =
            "{ listen: ['127.0.0.1:8080', { mode: transparent, address: '127.0.0.1:15001' }] }"
        let listeners = try #require(parsed(yaml))
        #expect(listeners.map(\.isRedirecting) == [false, true])
    }

    @Test func aNamespaceNeedsNoAddress() throws {
        let yaml = "{ listen: { mode: namespace, host_loopback: false, untrusted: fail } }"
        let built = buildProxy(yaml, hasNamespace: true)
        let settings = try #require(built.settings)
        #expect(settings.listeners.first?.namespace?.reachesHostLoopback == false)
        #expect(!settings.passesUntrusted)
        #expect(settings.clientLegs(nil, nil).distrust == nil)
    }

    @Test(arguments: [
        ("{ listen: { mode: transparent } }", "needs an address"),
        ("{ listen: { mode: transparent, address: '0.0.0.0:15001' } }", "no 'allow_clients'"),
        (
            "{ listen: { mode: transparent, address: '0.0.0.0:1' }, auth: { user: u, password_env: P } }",
            "no 'allow_clients'"
        ),
        (
            "{ listen: { mode: transparent, address: '127.0.0.1:1' }, upstream: 'http://a.test' }",
            "found 'upstream'"
        ),
        ("{ listen: { mode: other } }", "unknown value"),
        ("{ listen: { mode: namespace } }", "p.yaml:1:19: error: there is no namespace"),
        ("{ listen: { port: 1 } }", "unknown option"), ("{ listen: [] }", "listen"),
    ])
    func aWrongListenerIsRefused(yaml: String, message: String) {
        let problems = buildProxy(yaml, environment: ["HOME": "/home/u", "P": "p"]).problems
        #expect(problems.contains(message), "\(problems)")
    }

    @Test func theTargetOfARedirectedClientHasTheNameThatWasLookedUp() throws {
        let address = try #require(SocketAddress("203.0.113.7:443"))
        let named = RedirectedTarget(address, named: ["shop.test"])
        #expect(named.authority == "shop.test:443")
        #expect(named.origin.host == "203.0.113.7")
        #expect(named.origin.serverName == "shop.test")
        #expect(named.tag == "shop.test")
        #expect(RedirectedTarget(address).authority == "203.0.113.7:443")
        #expect(RedirectedTarget(address).tag == nil)
        // With several names, nobody knows which one is meant.
        let ambiguous = RedirectedTarget(address, named: ["a.test", "b.test"])
        #expect(ambiguous.authority == "203.0.113.7:443")
        #expect(ambiguous.origin.serverName == nil)
        #expect(ambiguous.tag == "a.test, b.test")
        let mapped = try #require(SocketAddress("[::ffff:203.0.113.7]:443"))
        #expect(RedirectedTarget(mapped).origin.host == "203.0.113.7")
    }
}
