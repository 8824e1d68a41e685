// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineKafkaClient
public import TaplinePlugin

extension SourcePlugin {
    /// The source `kafka`: reads records from topics, as a member of a group of consumers.
    public static var kafka: SourcePlugin {
        SourcePlugin(
            name: "kafka",
            summary: "Reads records from Kafka topics; several processes share the partitions.",
            options: KafkaSourceOptions.schema,
            build: KafkaSourceOptions.build
        )
    }
}

/// The options of the source `kafka`.
enum KafkaSourceOptions {
    static let topics = ConfigKey(
        "topics",
        OptionType<[String]>.list(of: .text, acceptsSingle: true, allowsEmpty: false).located,
        summary: "The topics; one that begins with `^` is a regular expression.",
        example: "traffic"
    )
    static let group = ConfigKey(
        "group",
        OptionType<String>.text.located,
        summary: "The group of consumers, whose members share the partitions and the offsets.",
        example: "tapline-store"
    )
    static let from = ConfigKey(
        "from",
        .choice(["earliest", "latest"]),
        default: "earliest",
        summary: "Where reading begins in partitions for which the group has no offset."
    )
    static let end = ConfigKey(
        "end",
        .bool,
        default: false,
        summary: "Whether the run ends when the last message of all partitions has been read."
    )

    static let schema = OptionSchema(
        KafkaOptions.brokers,
        topics,
        group,
        from,
        end,
        KafkaOptions.security,
        KafkaOptions.properties
    )

    static func build(_ options: Options, _ context: inout BuildContext) -> (any Source)? {
        let topics = options[topics]
        if topics.value.contains(where: { $0.isEmpty || $0.utf8.contains(0) }) {
            context.diagnostics.error(at: topics.location, "this is not the name of a topic")
        }
        let group = options[group]
        if group.value.isEmpty || group.value.utf8.contains(0) {
            context.diagnostics.error(at: group.location, "this is not the name of a group")
        }
        let ours = [
            KafkaProperty("group.id", group.value),
            KafkaProperty("enable.auto.commit", "false"),
            KafkaProperty("enable.auto.offset.store", "false"),
            KafkaProperty("auto.offset.reset", options[from]),
            KafkaProperty("enable.partition.eof", options[end] ? "true" : "false"),
            // What waits in the library beside the queues of the pipeline.
            KafkaProperty("queued.max.messages.kbytes", "16384"),
        ]
        guard let properties = KafkaOptions.read(options, &context, ours) else { return nil }
        return KafkaSource(
            settings: KafkaSourceSettings(
                properties: properties,
                topics: topics.value,
                group: group.value,
                endsAtEnd: options[end]
            )
        )
    }
}

/// The decoded options of the source `kafka`.
struct KafkaSourceSettings: Sendable {
    var properties: [KafkaProperty]
    var topics: [String]
    var group: String
    /// Whether the run ends at the end of all partitions.
    var endsAtEnd = false
    /// How many records are submitted at once.
    var batchLimit = 512
    /// How many bytes of messages are submitted at once.
    var batchBytes = 4 << 20
    /// The shortest time between two commits, in microseconds.
    var commitInterval: Int64 = 500_000
    /// How long the sinks may take for the records of a partition that is taken away, in
    /// microseconds.
    var revocationGrace: Int64 = 3_000_000
}
