// SPDX-License-Identifier: MIT

import CKafka
import TaplineKafkaClient
import TaplineSystem

/// A cluster of librdkafka's mock brokers, in this process, on ports of the loopback interface.
///
/// **Isolation**: any thread; the library guards the cluster.
@safe package final class KafkaMockCluster: @unchecked Sendable {
    /// The client that all clusters of the process belong to; destroying it would take a second.
    @safe private struct Client: @unchecked Sendable {
        let pointer: OpaquePointer?

        static let shared = Client()

        init() {
            let configuration = unsafe rd_kafka_conf_new()
            unsafe rd_kafka_conf_set_log_cb(configuration, nil)
            var text = [CChar](repeating: 0, count: 512)
            unsafe pointer = rd_kafka_new(RD_KAFKA_PRODUCER, configuration, &text, text.count)
        }
    }

    private let cluster: OpaquePointer
    /// The addresses of the brokers, as `bootstrap.servers` lists them.
    package let brokers: String

    /// Starts brokers.
    package init(brokers count: Int32 = 1) throws {
        try SharedLibrary.kafka.load()
        guard let client = unsafe Client.shared.pointer,
            let cluster = unsafe rd_kafka_mock_cluster_new(client, count)
        else { throw KafkaMockError(text: "no cluster") }
        unsafe self.cluster = cluster
        brokers =
            unsafe rd_kafka_mock_cluster_bootstraps(cluster).map {
                unsafe String(cString: $0)
            } ?? ""
    }

    deinit { unsafe rd_kafka_mock_cluster_destroy(cluster) }

    /// Creates a topic.
    package func create(_ topic: String, partitions: Int32 = 1, replicas: Int32 = 1) throws {
        try check(unsafe rd_kafka_mock_topic_create(cluster, topic, partitions, replicas))
    }

    /// Disconnects all clients of a broker and refuses new ones; -1 for all brokers.
    package func setDown(_ broker: Int32 = -1) throws {
        try check(unsafe rd_kafka_mock_broker_set_down(cluster, broker))
    }

    /// Lets clients connect to a broker again; -1 for all brokers.
    package func setUp(_ broker: Int32 = -1) throws {
        try check(unsafe rd_kafka_mock_broker_set_up(cluster, broker))
    }

    /// Makes metadata of a topic report an error.
    package func fail(_ topic: String, with error: Int32) {
        unsafe rd_kafka_mock_topic_set_error(cluster, topic, rd_kafka_resp_err_t(rawValue: error))
    }

    /// Makes the next requests of a kind fail; 0 is produce, 1 fetch, 8 a commit of offsets.
    package func fail(requests kind: Int16, with errors: [Int32]) {
        let codes = errors.map { rd_kafka_resp_err_t(rawValue: $0) }
        unsafe codes.withUnsafeBufferPointer { codes in
            unsafe rd_kafka_mock_push_request_errors_array(
                cluster,
                kind,
                codes.count,
                codes.baseAddress
            )
        }
    }

    /// Makes one broker lead a partition.
    package func lead(_ topic: String, _ partition: Int32, by broker: Int32) throws {
        try check(
            unsafe rd_kafka_mock_partition_set_leader(cluster, topic, partition, broker)
        )
    }

    private func check(_ code: rd_kafka_resp_err_t) throws {
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
        throw KafkaMockError(text: unsafe String(cString: rd_kafka_err2str(code)))
    }
}

/// An error of the mock cluster.
package struct KafkaMockError: Error {
    package let text: String
}
