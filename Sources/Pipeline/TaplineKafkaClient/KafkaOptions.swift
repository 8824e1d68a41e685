// SPDX-License-Identifier: MIT

package import TaplineConfig
internal import TaplineModel
package import TaplinePlugin
internal import TaplineSystem

/// The options that the source and the sink `kafka` share.
package enum KafkaOptions {
    /// The addresses of some brokers, from which the client learns the others.
    package static let brokers = ConfigKey(
        "brokers",
        OptionType<[String]>.list(of: .text, acceptsSingle: true, allowsEmpty: false).located,
        summary: "Addresses of brokers, from which the client learns all others.",
        example: "[kafka-1.test:9092, kafka-2.test:9092]"
    )
    /// How the connections are secured.
    package static let security = ConfigKey(
        "security",
        OptionType<Options>.object(SecurityOptions.schema).optional,
        default: nil,
        summary: "How the connections to the brokers are secured; by default they are not.",
        example: "{ tls: true, sasl: scram-sha-512, user: tapline, password_env: KAFKA_PASSWORD }"
    )
    /// Further settings, by the library's names.
    package static let properties = ConfigKey(
        "properties",
        OptionType<[ConfigEntry<String>]>.map(of: .text),
        default: [],
        summary: "Further settings of librdkafka, by its own names.",
        example: "{ linger.ms: 20 }"
    )

    /// Loads the library and reads the shared options into its settings; adds what is wrong to the
    /// diagnostics.
    ///
    /// - Parameters:
    ///   - options: The options of the component.
    ///   - context: Receives the problems.
    ///   - ours: The settings that the component makes itself.
    /// - Returns: The settings, those of `properties` last; `nil` after an error.
    package static func read(
        _ options: Options,
        _ context: inout BuildContext,
        _ ours: [KafkaProperty]
    ) -> [KafkaProperty]? {
        var settings = [KafkaProperty("client.id", "tapline")] + ours
        let brokers = options[brokers]
        // Kafka's own tools separate brokers by commas.
        let addresses = brokers.value.flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        if addresses.contains(where: { $0.isEmpty || $0.utf8.contains(0) }) {
            context.diagnostics.error(
                at: brokers.location,
                "this is not a broker; expected host:port, or a list of these"
            )
        }
        settings.append(KafkaProperty("bootstrap.servers", addresses.joined(separator: ",")))
        if let security = options[security] {
            settings += SecurityOptions.read(security, &context)
        }
        // Only the library knows the properties.
        guard context.load(.kafka) else { return nil }
        for entry in options[properties] {
            guard let property = check(entry, &context) else { continue }
            settings.removeAll { $0.name == property.name }
            settings.append(property)
        }
        return context.diagnostics.hasErrors ? nil : settings
    }

    /// The settings that options or the component decide, with what decides them.
    private static let reserved: [String: String] = {
        var reserved: [String: String] = [:]
        func reserve(_ names: [String], _ reason: String) {
            for name in names { reserved[name] = reason }
        }
        reserve(["bootstrap.servers", "metadata.broker.list"], "the option 'brokers' sets it")
        reserve(["group.id"], "the option 'group' sets it")
        reserve(["auto.offset.reset"], "the option 'from' sets it")
        reserve(["enable.partition.eof"], "the option 'end' sets it")
        reserve(["compression.codec", "compression.type"], "the option 'compression' sets it")
        reserve(["message.timeout.ms", "delivery.timeout.ms"], "the option 'timeout' sets it")
        reserve(["message.max.bytes"], "the option 'max_message' sets it")
        reserve(["queue.buffering.max.messages"], "the option 'max_pending' sets it")
        reserve(
            [
                "enable.auto.commit", "auto.commit.enable", "auto.commit.interval.ms",
                "enable.auto.offset.store",
            ],
            "offsets are committed when all sinks have the records"
        )
        reserve(
            ["enable.idempotence", "acks", "request.required.acks"],
            "a record is written when all replicas in sync have it once"
        )
        reserve(["delivery.report.only.error"], "the component waits for all reports")
        reserve(["log.queue", "enabled_events"], "the component reads all events itself")
        reserve(["plugin.library.paths"], "libraries of others are not loaded")
        return reserved
    }()

    /// Returns the setting if the library accepts it.
    private static func check(
        _ entry: ConfigEntry<String>,
        _ context: inout BuildContext
    ) -> KafkaProperty? {
        if let reason = reserved[entry.key] {
            context.diagnostics.error(
                at: entry.keyLocation,
                "'\(entry.key)' cannot be set here; \(reason)"
            )
            return nil
        }
        let property = KafkaProperty(entry.key, entry.value)
        guard let problem = property.problem else { return property }
        // The library repeats the value in some of its messages.
        let isShown = !isSecret(entry.key) || problem.hasPrefix("No such")
        context.diagnostics.error(
            at: entry.location,
            "librdkafka refuses '\(entry.key)'"
                + (isShown ? ": \(lowercasingFirst(problem))" : "; its value is not shown here")
        )
        return nil
    }

    private static func isSecret(_ name: String) -> Bool {
        SecretNames.contains(name) || name.hasSuffix(".pem") || name.hasSuffix(".config")
    }

    private static func lowercasingFirst(_ text: String) -> String {
        text.prefix(1).lowercased() + text.dropFirst()
    }
}

/// The options in `security`.
enum SecurityOptions {
    /// The ways to prove who the client is.
    enum Mechanism: String, Sendable {
        case plain = "PLAIN"
        case scram256 = "SCRAM-SHA-256"
        case scram512 = "SCRAM-SHA-512"
    }

    private static let tls = ConfigKey(
        "tls",
        .bool,
        default: false,
        summary: "Whether connections are encrypted; the names of brokers are verified."
    )
    private static let authorities = ConfigKey(
        "authorities",
        OptionType<String>.path.optional,
        default: nil,
        summary: "A PEM file or a folder of authorities to trust; the system's by default.",
        example: "kafka-ca.pem"
    )
    private static let certificate = ConfigKey(
        "client_certificate",
        OptionType<String>.path.optional,
        default: nil,
        summary: "A PEM file with the client's certificate.",
        example: "tapline.pem"
    )
    private static let key = ConfigKey(
        "client_key",
        OptionType<String>.path.optional,
        default: nil,
        summary: "A PEM file with the private key of the certificate.",
        example: "tapline.key"
    )
    private static let sasl = ConfigKey(
        "sasl",
        OptionType<Mechanism>.choice([
            ("plain", .plain), ("scram-sha-256", .scram256), ("scram-sha-512", .scram512),
        ]).optional,
        default: nil,
        summary: "How the user is authenticated; `plain` sends the password as it is.",
        example: "scram-sha-512"
    )
    private static let user = ConfigKey(
        "user",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The user for `sasl`.",
        example: "tapline"
    )
    private static let password = ConfigKey(
        "password_env",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The environment variable that holds the user's password.",
        example: "KAFKA_PASSWORD"
    )

    static let schema = OptionSchema(tls, authorities, certificate, key, sasl, user, password)

    /// The settings of the library; adds what is wrong to the diagnostics.
    static func read(_ options: Options, _ context: inout BuildContext) -> [KafkaProperty] {
        let isEncrypted = options[tls]
        let mechanism = options[sasl]
        var settings = [
            KafkaProperty("security.protocol", name(isEncrypted, isUser: mechanism != nil))
        ]
        let files = [
            (authorities, "ssl.ca.location"), (certificate, "ssl.certificate.location"),
            (key, "ssl.key.location"),
        ]
        for (option, name) in files {
            guard let path = options[option] else { continue }
            if !isEncrypted {
                context.diagnostics.error(
                    at: options.location(of: option),
                    "'\(option.name)' needs 'tls: true'"
                )
            }
            settings.append(KafkaProperty(name, path))
        }
        switch (mechanism, options[user], options[password]) {
        case (let mechanism?, let user?, let variable?):
            settings.append(KafkaProperty("sasl.mechanisms", mechanism.rawValue))
            settings.append(KafkaProperty("sasl.username", user.value))
            guard let secret = context.environment[variable.value], !secret.isEmpty else {
                context.diagnostics.error(
                    at: variable.location,
                    "the environment variable that 'password_env' names is not set or is empty",
                    help: "set it to the password"
                )
                break
            }
            settings.append(KafkaProperty("sasl.password", secret))
        case (nil, nil, nil): break
        default:
            context.diagnostics.error(
                at: options.location(of: sasl),
                "'sasl', 'user' and 'password_env' belong together; found only some of them"
            )
        }
        if mechanism == .plain, !isEncrypted {
            context.diagnostics.warning(
                at: options.location(of: sasl),
                "without 'tls: true' anyone on the network can read the password"
            )
        }
        return settings
    }

    private static func name(_ isEncrypted: Bool, isUser: Bool) -> String {
        switch (isEncrypted, isUser) {
        case (false, false): "plaintext"
        case (false, true): "sasl_plaintext"
        case (true, false): "ssl"
        case (true, true): "sasl_ssl"
        }
    }
}
