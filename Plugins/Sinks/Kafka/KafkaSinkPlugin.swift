// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineKafkaClient
internal import TaplineModel
public import TaplinePlugin

extension SinkPlugin {
    /// The sink `kafka`: publishes each record as a message of a topic.
    public static var kafka: SinkPlugin {
        SinkPlugin(
            name: "kafka",
            summary: "Publishes each record as a message of a Kafka topic (record schema v1).",
            options: KafkaSinkOptions.schema,
            build: KafkaSinkOptions.build
        )
    }
}

/// The options of the sink `kafka`.
enum KafkaSinkOptions {
    static let topic = ConfigKey(
        "topic",
        OptionType<String>.text.located,
        summary: "The topic; brokers decide whether it is created if it does not exist.",
        example: "traffic"
    )
    static let key = ConfigKey(
        "key",
        .choice([
            ("host", MessageKey.host), ("session", .session), ("trace", .trace), ("id", .id),
            ("none", .none),
        ]),
        default: .host,
        summary: "The key of a message; messages with the same key are in one partition, in order."
    )
    static let compression = ConfigKey(
        "compression",
        .choice(["none", "gzip", "snappy", "lz4", "zstd"]),
        default: "none",
        summary: "How the client compresses messages."
    )
    static let timeout = ConfigKey(
        "timeout",
        .duration,
        default: .seconds(30),
        summary: "How long a batch may take until brokers confirm it; then it is sent again.",
        example: "10s"
    )
    static let maxPending = ConfigKey(
        "max_pending",
        .integer(in: 1...100_000),
        default: 2048,
        summary: "How many messages are sent before any is confirmed: the size of a batch."
    )
    static let maxMessage = ConfigKey(
        "max_message",
        .byteSize,
        default: 1_000_000,
        summary: "The largest message; a larger record is refused. Brokers have a limit, too.",
        example: "4MiB"
    )

    static let schema = OptionSchema(
        KafkaOptions.brokers,
        topic,
        key,
        compression,
        timeout,
        maxPending,
        maxMessage,
        KafkaOptions.security,
        KafkaOptions.properties
    )

    static func build(_ options: Options, _ context: inout BuildContext) -> (any SinkFactory)? {
        let topic = options[topic]
        if topic.value.isEmpty || topic.value.utf8.contains(0) {
            context.diagnostics.error(at: topic.location, "this is not the name of a topic")
        }
        // The limits of the library.
        let milliseconds = Microseconds(options[timeout]).count / 1000
        if !(1000...2_147_483_647).contains(milliseconds) {
            context.diagnostics.error(
                at: options.location(of: timeout),
                "the time is out of range; expected 1s to 24d"
            )
        }
        if !(1000...1_000_000_000).contains(options[maxMessage]) {
            context.diagnostics.error(
                at: options.location(of: maxMessage),
                "the size is out of range; expected 1000B to 1000MB"
            )
        }
        let ours = [
            KafkaProperty("enable.idempotence", "true"),
            KafkaProperty("compression.codec", options[compression]),
            // As Kafka's own clients do, so that equal keys of theirs are in the same partition.
            KafkaProperty("partitioner", "murmur2_random"),
            KafkaProperty("message.timeout.ms", "\(milliseconds)"),
            KafkaProperty("message.max.bytes", "\(options[maxMessage])"),
            KafkaProperty("queue.buffering.max.messages", "\(options[maxPending])"),
            // 128 MiB, or two messages of the largest size.
            KafkaProperty(
                "queue.buffering.max.kbytes",
                "\(max(131_072, options[maxMessage] / 512))"
            ),
        ]
        guard let properties = KafkaOptions.read(options, &context, ours) else { return nil }
        return KafkaSinkFactory(
            properties: properties,
            topic: topic.value,
            key: options[key],
            batchLimit: options[maxPending],
            reportTime: .milliseconds(milliseconds) + .seconds(60)
        )
    }
}

/// A configured sink `kafka`.
struct KafkaSinkFactory: SinkFactory {
    let properties: [KafkaProperty]
    let topic: String
    let key: MessageKey
    let batchLimit: Int
    /// The longest time between two delivery reports, which is more than the library needs to give
    /// a message up.
    let reportTime: Duration

    func open(_ context: SinkContext) throws -> any Sink { try KafkaSink(self, context) }
}
