// SPDX-License-Identifier: MIT

package import TestSupport

/// A relay in front of the only broker of a mock cluster, which itself speaks neither TLS nor SASL.
///
/// `Fixtures/kafkarelay.py` describes the settings.
package final class KafkaRelay: PythonServer, @unchecked Sendable {
    /// Starts the relay.
    ///
    /// - Parameters:
    ///   - cluster: The cluster, of one broker.
    ///   - settings: What the relay asks of clients.
    /// - Throws: If it does not start.
    package init(to cluster: KafkaMockCluster, _ settings: [String: String]) throws {
        let port = cluster.brokers.split(separator: ":").last.map { String($0) } ?? ""
        let members = settings.map { "\"\($0)\": \"\($1)\"" }.joined(separator: ", ")
        try super.init("kafkarelay", arguments: [port, "{\(members)}"], of: #filePath)
    }

    /// The address, as `bootstrap.servers` has it.
    package var address: String { "127.0.0.1:\(port)" }
}
