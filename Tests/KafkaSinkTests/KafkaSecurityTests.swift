// SPDX-License-Identifier: MIT

import StreamTestSupport
import TaplineModel
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import KafkaSink

/// The mock brokers speak neither TLS nor SASL, so a relay in front of them does.
@Suite("Secured connections of kafka", .timeLimit(.minutes(3)))
struct KafkaSecurityTests {
    private let folder: TemporaryFolder
    private let cluster: KafkaMockCluster
    private let server: LoopbackCertificate

    init() throws {
        folder = try TemporaryFolder()
        cluster = try KafkaMockCluster(brokers: 1)
        try cluster.create("traffic")
        server = try LoopbackCertificate(in: folder)
    }

    /// Starts a relay that speaks TLS.
    private func relay(_ settings: [String: String] = [:]) throws -> KafkaRelay {
        let tls = ["certificate": server.file, "key": server.key]
        return try KafkaRelay(to: cluster, settings.merging(tls) { $1 })
    }

    /// Publishes two records through a relay; returns the error message, if there is one, and what
    /// was logged.
    private func publish(
        _ security: String,
        to relay: KafkaRelay,
        timeout: String = "30s"
    ) throws -> (String?, String) {
        let log = CollectedLog()
        let built = BuiltPlugin(
            SinkPlugin.kafka,
            """
            brokers: "\(relay.address)"
            topic: traffic
            timeout: \(timeout)
            security: \(security)
            """,
            environment: ["KAFKA_PASSWORD": "planted-7"]
        )
        let factory = try #require(built.component, "\(built.problems)")
        let context = SinkContext(id: "kafka", log: log.log) { Timestamp(microseconds: 0) }
        let sink = try factory.open(context)
        var failure: String?
        do { _ = try sink.write(records(Exchange.examples(2))) } catch { failure = "\(error)" }
        try? sink.close()
        return (failure, log.text)
    }

    @Test("records are published over TLS if the certificate of the broker is trusted")
    func trusted() throws {
        let (failure, log) =
            try publish("{ tls: true, authorities: '\(server.file)' }", to: relay())
        #expect(failure == nil, "\(log)")
        #expect(try ReadMessage.all(of: "traffic", at: cluster.brokers).count == 2)
    }

    @Test("a broker whose certificate is not trusted gets nothing, and the error says why")
    func untrusted() throws {
        let other = try TemporaryFolder()
        let authority = try LoopbackCertificate(in: other)
        let (failure, log) = try publish(
            "{ tls: true, authorities: '\(authority.file)' }",
            to: relay(),
            timeout: "2s"
        )
        let text = (failure ?? "") + log
        #expect(failure != nil && text.contains("certificate verify failed"), "\(text)")
    }

    @Test("a client shows its certificate to a broker that asks for one")
    func clientCertificate() throws {
        let own = try TemporaryFolder()
        let client = try LoopbackCertificate(in: own)
        let relay = try relay(["authority": client.file])
        let (failure, log) = try publish(
            """
            { tls: true, authorities: '\(server.file)', client_certificate: '\(client.file)',
              client_key: '\(client.key)' }
            """,
            to: relay
        )
        #expect(failure == nil, "\(log)")
    }

    @Test("a user authenticates", arguments: ["plain", "scram-sha-512"])
    func user(mechanism: String) throws {
        let relay = try relay([
            "mechanism": mechanism.uppercased(), "user": "tapline", "password": "planted-7",
        ])
        let (failure, log) = try publish(
            """
            { tls: true, authorities: '\(server.file)', sasl: \(mechanism), user: tapline,
              password_env: KAFKA_PASSWORD }
            """,
            to: relay
        )
        #expect(failure == nil, "\(log)")
    }

    @Test("a wrong password is an error that does not contain it")
    func wrongPassword() throws {
        let relay = try relay([
            "mechanism": "SCRAM-SHA-512", "user": "tapline", "password": "another",
        ])
        let (failure, log) = try publish(
            """
            { tls: true, authorities: '\(server.file)', sasl: scram-sha-512, user: tapline,
              password_env: KAFKA_PASSWORD }
            """,
            to: relay,
            timeout: "2s"
        )
        let text = (failure ?? "") + log
        #expect(failure != nil && text.contains("SASL authentication error"), "\(text)")
        #expect(!text.contains("planted-7"))
    }
}
