// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineConnections
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTLS
import Testing

@testable import TaplineUpstream

private let parentProxy = ParentProxyOptions("other proxy", summary: "A proxy.")

private let schema = OptionSchema(
    parentProxy.parent,
    ServerTLSOptions.verify,
    ServerTLSOptions.authorities,
    ServerTLSOptions.clientCertificate,
    ServerTLSOptions.clientKey
)

/// Decodes options in YAML.
private func decode(_ yaml: String) throws -> (options: Options, context: BuildContext) {
    let source = ConfigSource(name: "p.yaml", bytes: Array(yaml.utf8), folder: "/etc/tapline")
    var diagnostics = Diagnostics()
    let node = ConfigReader().read(source, into: &diagnostics)
    let environment = Environment(["PW": "right", "EMPTY": ""])
    let options = node.flatMap {
        schema.decode($0, owner: "proxy", into: &diagnostics, environment: environment)
    }
    let context = BuildContext(id: "proxy", environment: environment, diagnostics: diagnostics)
    return (try #require(options, "\(diagnostics.rendered)"), context)
}

@Suite("The options of TLS towards servers")
struct ServerTLSOptionsTests {
    @Test("verify servers by default, and set the files")
    func values() throws {
        var (options, context) = try decode("{}")
        #expect(ServerTLSOptions.read(options, &context) == TLSClientOptions())
        (options, context) = try decode(
            "{ verify: false, authorities: a.pem, client_certificate: c.pem, client_key: k.pem }"
        )
        let tls = ServerTLSOptions.read(options, &context)
        #expect(!tls.verify && tls.authorityFiles == ["/etc/tapline/a.pem"])
        #expect(tls.certificateFile == "/etc/tapline/c.pem" && tls.keyFile == "/etc/tapline/k.pem")
    }

    @Test("report each file that cannot be used once, at its place")
    func files() throws {
        var (options, context) = try decode(
            "{ authorities: a.pem, client_certificate: c.pem, client_key: k.pem }"
        )
        _ = ServerTLSOptions.read(options, &context)
        let problems = context.diagnostics.sorted
        #expect(problems.count == 2)
        let text = context.diagnostics.rendered
        #expect(text.contains("p.yaml:1:16: error: cannot load certificates"))
        #expect(text.contains("p.yaml:1:43: error: "))
    }

    @Test("need a certificate for a key")
    func lonelyKey() throws {
        var (options, context) = try decode("{ client_key: k.pem }")
        _ = ServerTLSOptions.read(options, &context)
        #expect(context.diagnostics.rendered.hasPrefix("p.yaml:1:15: error: "))
        #expect(context.diagnostics.rendered.contains("a key is given without its certificate"))
    }
}

@Suite("The options of a parent proxy")
struct ParentProxyOptionsTests {
    private func read(_ yaml: String) throws -> (parent: ParentProxy?, problems: String) {
        var (options, context) = try decode("{ parent: \(yaml) }")
        let given = try #require(options[parentProxy.parent])
        let parent = parentProxy.read(given, &context)
        return (parent, context.diagnostics.rendered)
    }

    @Test("set its address, credentials and exceptions")
    func values() throws {
        let (parent, problems) = try read(
            "{ url: http://p.test:3128, user: me, password_env: PW, except: '*.in' }"
        )
        #expect(problems == "")
        #expect(parent?.origin.hostPort == "p.test:3128")
        #expect(parent?.authorization == "Basic bWU6cmlnaHQ=")
        #expect(parent?.exceptions.map(\.pattern) == ["*.in"])
        #expect(parent?.credentialsAdvice == ": see 'parent.user' and 'parent.password_env'")
        #expect(try read("{ url: http://p.test }").parent?.authorization == nil)
    }

    @Test(
        "are refused with the problem",
        arguments: [
            ("{ url: https://p.test }", "this is not a proxy; found 'https://p.test'"),
            ("{ url: http://p.test, user: me }", "go together; found only one of them"),
            ("{ url: http://p.test, password_env: PW }", "go together; found only one of them"),
            ("{ url: http://p.test, user: 'a:b', password_env: PW }", "or contain a colon"),
            ("{ url: http://p.test, user: '', password_env: PW }", "or contain a colon"),
            ("{ url: http://p.test, user: me, password_env: EMPTY }", "not set or is empty"),
            ("{ url: http://p.test, user: me, password_env: NO }", "not set or is empty"),
        ]
    )
    func wrong(yaml: String, problem: String) throws {
        let problems = try read(yaml).problems
        #expect(problems.contains(problem), "\(problems)")
        #expect(!problems.contains("right"))
    }

    @Test("are described in the words of their source")
    func summaries() {
        #expect(parentProxy.url.summary == "The other proxy: http://host:port.")
        #expect(parentProxy.parent.summary == "A proxy.")
    }
}
