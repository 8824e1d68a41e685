// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineNATS
public import TaplinePlugin

extension SourcePlugin {
    /// The source `nats`: reads records of a JetStream stream.
    public static var nats: SourcePlugin {
        SourcePlugin(
            name: "nats",
            summary: "Reads records of a NATS JetStream stream, and acknowledges them when all "
                + "sinks have them.",
            options: NATSSourceOptions.schema,
            build: NATSSourceOptions.build
        )
    }
}

/// The options of the source `nats`.
enum NATSSourceOptions {
    static let durable = ConfigKey(
        "durable",
        OptionType<String>.text.located,
        default: Located("tapline"),
        summary: "The name of the durable consumer. Sources with the same one share its messages.",
        example: "workers"
    )
    static let subject = ConfigKey(
        "subject",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The subjects that a new consumer selects; all of the stream by default.",
        example: "traffic.shop_test"
    )
    static let create = ConfigKey(
        "create",
        .bool,
        default: true,
        summary: "Whether the consumer is created if it is missing."
    )
    static let from = ConfigKey(
        "from",
        .choice([("start", false), ("end", true)]),
        default: false,
        summary: "Where a new consumer begins."
    )
    static let ackWait = ConfigKey(
        "ack_wait",
        .duration,
        default: .seconds(30),
        summary: "How long the server of a new consumer waits before it delivers a message again."
    )
    static let maxAckPending = ConfigKey(
        "max_ack_pending",
        .integer(in: 1...1_000_000),
        default: 20_000,
        summary: "How many messages of a new consumer may wait for their acknowledgement."
    )
    static let batch = ConfigKey(
        "batch",
        .integer(in: 1...10_000),
        default: 1000,
        summary: "The most messages of a fetch; fewer if they are large."
    )
    static let window = ConfigKey(
        "window",
        .duration,
        default: .milliseconds(500),
        summary: "How long a fetch waits for messages."
    )
    static let retryDelay = ConfigKey(
        "retry_delay",
        .duration,
        default: .seconds(5),
        summary: "When a message that a sink could not store is delivered again."
    )
    static let end = ConfigKey(
        "end",
        .bool,
        default: false,
        summary: "Whether the source ends when the consumer has no more messages."
    )

    static let schema = NATSKeys.schema(
        durable,
        subject,
        create,
        from,
        ackWait,
        maxAckPending,
        batch,
        window,
        retryDelay,
        end
    )

    static func build(_ options: Options, _ context: inout BuildContext) -> (any Source)? {
        let server = NATSKeys.read(options, &context)
        NATSKeys.checkName(options[durable], "durable consumer", &context)
        if let subject = options[subject], !SubjectPattern(subject.value).isValid {
            context.diagnostics.error(
                at: subject.location,
                "this is not a subject; expected tokens with dots between them, such as "
                    + "traffic.shop_test or traffic.>"
            )
        }
        check(options, ackWait, in: .seconds(1) ... .seconds(86_400), "1s to 1d", &context)
        check(options, window, in: .milliseconds(10) ... .seconds(10), "10ms to 10s", &context)
        check(options, retryDelay, in: .zero ... .seconds(86_400), "0s to 1d", &context)
        guard let server, !context.diagnostics.hasErrors else { return nil }
        var consumer = NATSConsumerSettings()
        consumer.filter = options[subject]?.value
        consumer.startsAtEnd = options[from]
        consumer.ackWait = Microseconds(options[ackWait]).count
        consumer.maxUnacknowledged = options[maxAckPending]
        return NATSSource(
            settings: NATSSourceSettings(
                server: server,
                durable: options[durable].value,
                created: options[create] ? consumer : nil,
                filter: options[subject]?.value,
                batch: options[batch],
                window: NATSKeys.milliseconds(options[window]),
                retryDelay: Microseconds(options[retryDelay]).count,
                ends: options[end]
            )
        )
    }

    private static func check(
        _ options: Options,
        _ key: ConfigKey<Duration>,
        in range: ClosedRange<Duration>,
        _ shown: String,
        _ context: inout BuildContext
    ) {
        if range.contains(options[key]) { return }
        context.diagnostics.error(
            at: options.location(of: key),
            "'\(key.name)' is out of range; expected \(shown)"
        )
    }
}

/// The decoded options of the source `nats`.
struct NATSSourceSettings: Sendable {
    var server: NATSSettings
    var durable: String
    /// What a missing consumer is created with; `nil` if it is not created.
    var created: NATSConsumerSettings?
    /// The subjects that the consumer has to select; `nil` for any.
    var filter: String?
    var batch: Int
    /// How long a fetch waits, in milliseconds.
    var window: Int64
    /// When a message that a sink could not store is delivered again, in microseconds.
    var retryDelay: Int64
    var ends: Bool
}
