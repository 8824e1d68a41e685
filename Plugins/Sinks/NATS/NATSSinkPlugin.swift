// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineNATS
public import TaplinePlugin

extension SinkPlugin {
    /// The sink `nats`: publishes records to a JetStream stream.
    public static var nats: SinkPlugin {
        SinkPlugin(
            name: "nats",
            summary: "Publishes records to a NATS JetStream stream (record schema v1).",
            options: NATSSinkOptions.schema,
            build: NATSSinkOptions.build
        )
    }
}

/// The options of the sink `nats`.
enum NATSSinkOptions {
    static let subject = ConfigKey(
        "subject",
        OptionType<String>.text.located,
        default: Located("traffic.{host}"),
        summary: "The subject; may contain {host}, {method}, {scheme}, {source}, {state} and "
            + "{status}.",
        example: "traffic.{host}.{status}"
    )
    static let maxPending = ConfigKey(
        "max_pending",
        .integer(in: 1...65_536),
        default: 4096,
        summary: "How many messages may wait for their acknowledgement."
    )

    static let storage = ConfigKey(
        "storage",
        .choice([("file", false), ("memory", true)]),
        default: false,
        summary: "Where the servers keep messages."
    )
    static let replicas = ConfigKey(
        "replicas",
        .integer(in: 1...5),
        default: 1,
        summary: "How many servers keep each message."
    )
    static let maxBytes = ConfigKey(
        "max_bytes",
        OptionType.byteSize.optional,
        default: nil,
        summary: "The limit of all messages together.",
        example: "100GiB"
    )
    static let maxMessages = ConfigKey(
        "max_messages",
        OptionType.integer(in: 1...Int.max).optional,
        default: nil,
        summary: "The limit of the number of messages.",
        example: "1000000"
    )
    static let maxAge = ConfigKey(
        "max_age",
        OptionType.duration.optional,
        default: nil,
        summary: "How long messages are kept.",
        example: "7d"
    )
    static let discard = ConfigKey(
        "discard",
        .choice([("new", true), ("old", false)]),
        default: true,
        summary: "Whether a full stream refuses new messages, or removes old ones."
    )
    static let duplicateWindow = ConfigKey(
        "duplicate_window",
        .duration,
        default: .seconds(120),
        summary: "How long the servers remember message ids."
    )
    static let create = ConfigKey(
        "create",
        OptionType<Options>.object(
            OptionSchema(
                storage,
                replicas,
                maxBytes,
                maxMessages,
                maxAge,
                discard,
                duplicateWindow
            )
        ).optional,
        default: nil,
        summary: "Creates the stream if it is missing; without it, that is an error.",
        example: "{ replicas: 3, max_age: 7d }"
    )

    static let schema = NATSKeys.schema(subject, create, maxPending)

    static func build(
        _ options: Options,
        _ context: inout BuildContext
    ) -> (any SinkFactory)? {
        let settings = NATSKeys.read(options, &context)
        let template: SubjectTemplate
        do throws(SubjectTemplate.Problem) {
            template = try SubjectTemplate(options[subject].value)
        } catch {
            context.diagnostics.error(at: options.location(of: subject), error.message)
            return nil
        }
        let created = options[create].flatMap { read($0, &context) }
        guard let settings, !context.diagnostics.hasErrors else { return nil }
        return NATSSinkFactory(
            settings: settings,
            subject: template,
            created: created,
            maxPending: options[maxPending]
        )
    }

    private static func read(
        _ options: Options,
        _ context: inout BuildContext
    ) -> NATSStreamSettings? {
        var settings = NATSStreamSettings()
        settings.isInMemory = options[storage]
        settings.refusesWhenFull = options[discard]
        settings.replicas = options[replicas]
        settings.maxBytes = options[maxBytes]
        settings.maxMessages = options[maxMessages]
        settings.maxAge = options[maxAge].map { Microseconds($0).count }
        settings.duplicateWindow = Microseconds(options[duplicateWindow]).count
        if settings.duplicateWindow < 100_000 {
            context.diagnostics.error(
                at: options.location(of: duplicateWindow),
                "'duplicate_window' is too short; expected at least 100ms"
            )
        }
        if let age = settings.maxAge, age < settings.duplicateWindow {
            context.diagnostics.error(
                at: options.location(of: maxAge),
                "'max_age' is shorter than 'duplicate_window'"
            )
        }
        return settings
    }
}

/// A configured sink `nats`.
struct NATSSinkFactory: SinkFactory {
    let settings: NATSSettings
    let subject: SubjectTemplate
    /// What a missing stream is created with; `nil` if it is not created.
    let created: NATSStreamSettings?
    let maxPending: Int

    /// A batch is published at once and then waited for.
    var batchLimit: Int { maxPending }

    func open(_ context: SinkContext) throws -> any Sink {
        try NATSSink(self, context)
    }
}
