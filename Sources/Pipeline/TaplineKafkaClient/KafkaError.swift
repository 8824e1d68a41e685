// SPDX-License-Identifier: MIT

internal import CKafka

/// An error of librdkafka or of a broker.
package struct KafkaError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The number of the error; those of the library itself are negative.
    package let code: Int32
    /// The problem in the library's words; contains names of brokers and topics, but no messages.
    package let message: String

    init(_ code: rd_kafka_resp_err_t, _ message: String? = nil) {
        self.code = code.rawValue
        self.message = message ?? (unsafe String(cString: rd_kafka_err2str(code)))
    }

    init(_ message: String) {
        self.init(RD_KAFKA_RESP_ERR__INVALID_ARG, message)
    }

    package var description: String { message }

    /// Whether a message is larger than the client, the topic or the broker allows, or is refused by
    /// the rules of the topic, so that sending it again cannot succeed.
    package var isRefusal: Bool {
        switch rd_kafka_resp_err_t(rawValue: code) {
        case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_INVALID_RECORD: true
        default: false
        }
    }

    /// Whether the client's own queue has no room.
    package var isQueueFull: Bool { code == RD_KAFKA_RESP_ERR__QUEUE_FULL.rawValue }

    /// Whether the client cannot go on and has to be replaced.
    package var isFatal: Bool { code == RD_KAFKA_RESP_ERR__FATAL.rawValue }

    /// Whether a topic does not exist.
    package var isUnknownTopic: Bool {
        code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART.rawValue
            || code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC.rawValue
            || code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION.rawValue
    }

    /// Whether the client refuses the credentials or certificate of a broker, or a broker refuses
    /// those of the client.
    package var isDenied: Bool {
        switch rd_kafka_resp_err_t(rawValue: code) {
        case RD_KAFKA_RESP_ERR__AUTHENTICATION, RD_KAFKA_RESP_ERR__SSL,
            RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
            RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
            RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
            RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
            true
        default: false
        }
    }

    /// Whether the connection to a broker is lost, which the client repairs itself.
    var isConnectionLoss: Bool {
        switch rd_kafka_resp_err_t(rawValue: code) {
        case RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN,
            RD_KAFKA_RESP_ERR__RESOLVE:
            true
        default: false
        }
    }
}
