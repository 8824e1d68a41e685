// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplineNet
import TaplinePlugin
import Testing

@testable import ProxySource

@Suite("The proxy's options about TLS")
struct ProxyTLSOptionsTests {
    /// What options in YAML come to, and what is wrong with them.
    private func build(
        _ yaml: String,
        environment: [String: String] = ["HOME": "/home/u"]
    ) -> (settings: ProxySettings?, problems: String) {
        var diagnostics = Diagnostics()
        let source = ConfigSource(name: "p.yaml", bytes: Array(yaml.utf8), folder: "/etc/tapline")
        guard let node = ConfigReader().read(source, into: &diagnostics),
            let options = ProxyOptions.schema.decode(
                node,
                owner: "proxy",
                into: &diagnostics,
                environment: Environment()
            )
        else { return (nil, diagnostics.rendered) }
        var context = BuildContext(
            id: "proxy",
            folder: "/etc/tapline",
            environment: Environment(environment),
            diagnostics: diagnostics
        )
        let built = ProxyOptions.build(options, &context) as? ProxySource
        return (built?.settings, context.diagnostics.rendered)
    }

    @Test("read all HTTPS, that of some hosts, or none")
    func intercept() throws {
        for (value, hosts) in [
            ("true", ["*"]), ("[\"*.a.test\", b.test]", ["*.a.test", "b.test"]),
            ("\"*.a.test\"", ["*.a.test"]),
        ] {
            let built = build("{ intercept: \(value), passthrough: [c.test] }")
            let rules = try #require(built.settings?.interception, "\(built.problems)")
            #expect(rules.hosts.map(\.pattern) == hosts)
            #expect(rules.passthrough.map(\.pattern) == ["c.test"])
        }
        #expect(build("{ intercept: false }").settings != nil)
        #expect(build("{ intercept: false }").settings?.interception == nil)
        #expect(build("{}").settings?.servers.verify == true)
    }

    @Test("place the authority")
    func authority() {
        #expect(
            build("{ intercept: true }").settings?.authority?.folder
                == "/home/u/.local/share/tapline/ca"
        )
        #expect(
            build("{ intercept: true, ca: ./ca }").settings?.authority?.folder
                == "/etc/tapline/./ca"
        )
        let homeless = build("{ intercept: true }", environment: [:])
        #expect(homeless.settings == nil)
        #expect(homeless.problems.contains("there is no place for the certificate authority"))
    }

    @Test("are refused where a file cannot be used, at its place")
    func files() {
        let missing = build("{ authorities: missing.pem }")
        #expect(missing.settings == nil)
        #expect(missing.problems.hasPrefix("p.yaml:1:16: error: cannot load certificates"))
        #expect(missing.problems.contains("/etc/tapline/missing.pem"))
        let lonely = build("{ client_key: key.pem }")
        #expect(lonely.problems.contains("a key is given without its certificate"))
    }
}
