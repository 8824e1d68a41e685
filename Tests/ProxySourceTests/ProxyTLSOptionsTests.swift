// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineConfig
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineTLS
import Testing

@testable import ProxySource

@Suite("The proxy's TLS options")
struct ProxyTLSOptionsTests {
    @Test("intercept all HTTPS, that of some hosts, or none")
    func intercept() throws {
        for (value, hosts) in [
            ("true", ["*"]), ("[\"*.a.test\", b.test]", ["*.a.test", "b.test"]),
            ("\"*.a.test\"", ["*.a.test"]),
        ] {
            let built = buildProxy("{ intercept: \(value), passthrough: [c.test] }")
            let rules = try #require(built.settings?.interception, "\(built.problems)")
            #expect(rules.hosts.map(\.pattern) == hosts)
            #expect(rules.passthrough.map(\.pattern) == ["c.test"])
        }
        #expect(buildProxy("{ intercept: false }").settings != nil)
        #expect(buildProxy("{ intercept: false }").settings?.interception == nil)
        #expect(buildProxy("{}").settings?.servers.verify == true)
    }

    @Test("set the folder of the authority")
    func authority() {
        #expect(
            buildProxy("{ intercept: true }").settings?.authority?.folder
                == "/home/u/.local/share/tapline/ca"
        )
        #expect(
            buildProxy("{ intercept: true, ca: ./ca }").settings?.authority?.folder
                == "/etc/tapline/./ca"
        )
        let withoutFolder = buildProxy("{ intercept: true }", environment: [:])
        #expect(withoutFolder.settings == nil)
        #expect(withoutFolder.problems.contains("there is no folder for the certificate authority"))
    }

    @Test("are refused with their position if a file cannot be used")
    func files() {
        let missing = buildProxy("{ authorities: missing.pem }")
        #expect(missing.settings == nil)
        #expect(missing.problems.hasPrefix("p.yaml:1:16: error: cannot load certificates"))
        #expect(missing.problems.contains("/etc/tapline/missing.pem"))
        let lonely = buildProxy("{ client_key: key.pem }")
        #expect(lonely.problems.contains("a key is given without its certificate"))
    }
}
