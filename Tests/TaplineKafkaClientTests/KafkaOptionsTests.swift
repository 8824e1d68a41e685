// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineKafkaClient

@Suite("Settings of Kafka clients")
struct KafkaOptionsTests {
    private static let schema = OptionSchema(
        KafkaOptions.brokers,
        KafkaOptions.security,
        KafkaOptions.properties
    )

    /// Reads options; returns the settings by name, and the problems as text.
    private func read(_ text: String) -> (settings: [String: String]?, problems: String) {
        let environment = Environment(["KAFKA_PASSWORD": "geheim-7"])
        var diagnostics = Diagnostics()
        let node = ConfigReader().read(Array(text.utf8), name: "p.yaml", into: &diagnostics)
        let options = node.flatMap {
            Self.schema.decode($0, owner: "kafka", into: &diagnostics, environment: environment)
        }
        var context = BuildContext(id: "kafka", environment: environment)
        context.diagnostics = diagnostics
        let properties = options.flatMap { KafkaOptions.read($0, &context, []) }
        let settings = properties.map { properties in
            Dictionary(properties.map { ($0.name, $0.value) }) { _, last in last }
        }
        return (settings, context.diagnostics.rendered)
    }

    @Test("brokers are joined, and own settings come last")
    func plain() throws {
        let (settings, problems) = read(
            "{ brokers: ['a:1', 'b:2,c:3'], properties: { client.id: mine, linger.ms: 20 } }"
        )
        let found = try #require(settings)
        #expect(found["bootstrap.servers"] == "a:1,b:2,c:3")
        #expect(found["client.id"] == "mine" && found["linger.ms"] == "20")
        #expect(found["security.protocol"] == nil && problems.isEmpty)
    }

    @Test("TLS and a user become the library's settings")
    func security() throws {
        let (settings, problems) = read(
            """
            brokers: a:1
            security:
              tls: true
              authorities: /ca.pem
              client_certificate: /c.pem
              client_key: /k.pem
              sasl: scram-sha-512
              user: me
              password_env: KAFKA_PASSWORD
            """
        )
        let found = try #require(settings)
        #expect(found["security.protocol"] == "sasl_ssl")
        #expect(found["ssl.ca.location"] == "/ca.pem")
        #expect(found["ssl.certificate.location"] == "/c.pem")
        #expect(found["ssl.key.location"] == "/k.pem")
        #expect(found["sasl.mechanisms"] == "SCRAM-SHA-512")
        #expect(found["sasl.username"] == "me" && found["sasl.password"] == "geheim-7")
        #expect(problems.isEmpty)
        for (name, value) in found where !name.hasPrefix("ssl.") {
            #expect(KafkaProperty(name, value).problem == nil, "\(name)")
        }
    }

    @Test(
        "what cannot work is an error with its place",
        arguments: [
            ("{ brokers: 'a:1,' }", "this is not a broker"),
            ("{ brokers: a:1, properties: { lingerms: 1 } }", "no such configuration property"),
            ("{ brokers: a:1, properties: { linger.ms: soon } }", "invalid value"),
            ("{ brokers: a:1, properties: { group.id: x } }", "the option 'group' sets it"),
            ("{ brokers: a:1, properties: { acks: '1' } }", "all replicas in sync have it"),
            (
                "{ brokers: a:1, properties: { delivery.report.only.error: true } }",
                "waits for all reports"
            ),
            ("{ brokers: a:1, properties: { plugin.library.paths: x } }", "are not loaded"),
            (
                """
                { brokers: a:1, properties: { partition.assignment.strategy: cooperative-sticky } }
                """,
                "before version 2.3 it aborts"
            ),
            ("{ brokers: a:1, security: { client_key: k.pem } }", "needs 'tls: true'"),
            ("{ brokers: a:1, security: { sasl: plain } }", "belong together"),
            (
                "{ brokers: a:1, security: { sasl: plain, user: u, password_env: NO } }",
                "is not set"
            ),
        ]
    )
    func refused(text: String, expected: String) {
        let (settings, problems) = read(text)
        #expect(settings == nil)
        #expect(problems.contains(expected), "\(problems)")
        #expect(problems.contains("p.yaml:1:"), "\(problems)")
    }

    @Test("a plain password over a connection without TLS is a warning")
    func plainPassword() {
        let (settings, problems) = read(
            "{ brokers: a:1, security: { sasl: plain, user: u, password_env: KAFKA_PASSWORD } }"
        )
        #expect(settings?["security.protocol"] == "sasl_plaintext")
        #expect(problems.contains("can read the password"))
    }

    @Test("no problem shows the value of a secret")
    func secrets() {
        for name in ["sasl.password\\0", "ssl.key.password\\0", "ssl.key.pem\\0"] {
            let (settings, problems) = read(
                "{ brokers: a:1, properties: { \"\(name)\": geheim-7 } }"
            )
            #expect(settings == nil && !problems.isEmpty)
        }
        let (settings, problems) = read(
            "{ brokers: a:1, properties: { sasl.password: \"geheim-7\\0\" } }"
        )
        #expect(settings == nil)
        #expect(problems.contains("its value is not shown here"), "\(problems)")
        #expect(!problems.contains("geheim"), "\(problems)")
    }
}
