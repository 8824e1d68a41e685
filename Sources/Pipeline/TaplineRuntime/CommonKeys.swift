// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery

/// The keys that are written beside a plugin's key; plugins may not use these names.
enum CommonKeys {
    static let id = ConfigKey(
        "id",
        .optional(.text),
        default: nil,
        summary: "The name of the component in logs, counters and --set.",
        example: "errors"
    )

    static let when = ConfigKey(
        "when",
        .optional(.filter),
        default: nil,
        summary: "A filter that selects the exchanges of the component.",
        example: "status >= 400",
        interpolates: false
    )

    static let onError = ConfigKey(
        "on_error",
        .choice(OnError.allCases.map { ($0.name, $0) }),
        default: .pass,
        summary: "What happens to an exchange when a wire hook fails.",
        example: "respond"
    )

    static let buffer = ConfigKey(
        "buffer",
        .list(of: .choice(["request", "response"]), acceptsSingle: true),
        default: [],
        summary: "The bodies that are buffered in full before the wire hooks run.",
        example: "[request]"
    )

    static let maxBuffer = ConfigKey(
        "max_buffer",
        .byteSize,
        default: 1 << 20,
        summary: "The largest body or WebSocket message that is buffered.",
        example: "1MiB"
    )

    static let captureMaxBytes = ConfigKey(
        "capture_max_bytes",
        .byteSize,
        default: 1 << 20,
        summary: "The maximum number of bytes to keep of each body.",
        example: "1MiB"
    )

    static let sample = ConfigKey(
        "sample",
        .percent,
        default: 1_000_000,
        summary: "The share of exchanges that is recorded, chosen by trace id or by exchange id.",
        example: "10%"
    )

    /// The keys of a source.
    static func source(isLive: Bool) -> OptionSchema {
        isLive
            ? OptionSchema(id, when, sample, captureMaxBytes) : OptionSchema(id, when, sample)
    }

    /// The keys of a stage.
    static func stage(hasWireHooks: Bool) -> OptionSchema {
        hasWireHooks ? OptionSchema(id, when, onError, buffer, maxBuffer) : OptionSchema(id, when)
    }

    /// The keys of a sink.
    static let sink = OptionSchema(id, when, QueueKeys.queue, RetryKeys.retry)

    /// The names of all common keys; no plugin may use one.
    static let all = Set(
        source(isLive: true).names + stage(hasWireHooks: true).names + sink.names
    )
}

extension OptionSchema {
    /// The names of the options.
    var names: [String] { keys.map(\.name) }
}

/// The keys of a sink's `retry`.
enum RetryKeys {
    static let initial = ConfigKey(
        "initial",
        .duration,
        default: .milliseconds(50),
        summary: "The delay before a failed batch is retried; it doubles each time."
    )

    static let maxInterval = ConfigKey(
        "max_interval",
        .duration,
        default: .seconds(5),
        summary: "The longest delay between retries."
    )

    static let maxElapsed = ConfigKey(
        "max_elapsed",
        .duration,
        default: .seconds(30),
        summary: "How long a sink may fail before it is considered degraded."
    )

    static let schema = OptionSchema(initial, maxInterval, maxElapsed)

    static let retry = ConfigKey(
        "retry",
        .object(schema),
        default: Options(schema),
        summary: "How failed batches are retried."
    )

    static func read(_ options: Options) -> RetryOptions {
        let retry = options[retry]
        return RetryOptions(
            initial: Microseconds(retry[initial]),
            maxInterval: Microseconds(retry[maxInterval]),
            maxElapsed: Microseconds(retry[maxElapsed])
        )
    }
}

/// The keys of `runtime`.
enum RuntimeKeys {
    static let memory = ConfigKey(
        "memory",
        .byteSize,
        default: 512 << 20,
        summary: "The memory limit for captured bytes; above it, bodies are counted but not kept.",
        example: "512MiB"
    )

    static let drainTimeout = ConfigKey(
        "drain_timeout",
        .duration,
        default: .seconds(10),
        summary: "How long a stopped pipeline may keep writing after its last exchange.",
        example: "10s"
    )

    static let spill = ConfigKey(
        "spill",
        OptionType<String>.path.located.optional,
        default: nil,
        summary: "The folder for records spilled to disk; TMPDIR or /var/tmp by default.",
        example: "/var/spool/tapline"
    )

    static let provenance = ConfigKey(
        "provenance",
        .bool,
        default: false,
        summary: "Whether exchanges keep what each stage did to them; 'tapline explain' shows it.",
        example: "true"
    )

    static let maxExchangesInFlight = ConfigKey(
        "max_exchanges_in_flight",
        .optional(.integer(in: 1...10_000_000)),
        default: nil,
        summary: "The most exchanges of live sources that are recorded at a time; others pass.",
        example: "10000"
    )

    static let control = ConfigKey(
        "control",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "Where metrics, status, reload and drain are served; off by default.",
        example: "127.0.0.1:9901"
    )

    static let controlTokenFile = ConfigKey(
        "control_token_file",
        OptionType<String>.path.optional,
        default: nil,
        summary: "The file with the token for changes; generated by default.",
        example: "/etc/tapline/control.token"
    )

    static let watch = ConfigKey(
        "watch",
        .bool,
        default: false,
        summary: "Whether 'tapline run' reloads when its file, or a file it names, changes.",
        example: "true"
    )

    static let schema = OptionSchema(
        memory,
        drainTimeout,
        spill,
        provenance,
        maxExchangesInFlight,
        SheddingKeys.shed,
        control,
        controlTokenFile,
        watch
    )
}

/// The keys of `runtime.shed`.
enum SheddingKeys {
    static let processor = ConfigKey(
        "cpu",
        .percentOrOff,
        default: nil,
        summary: "The share of processor time from which fewer exchanges are recorded.",
        example: "90%"
    )

    static let memory = ConfigKey(
        "memory",
        .percentOrOff,
        default: 1_000_000,
        summary: "The share of 'memory' from which fewer exchanges are recorded.",
        example: "90%"
    )

    static let schema = OptionSchema(processor, memory)

    static let shed = ConfigKey(
        "shed",
        .object(schema),
        default: Options(schema),
        summary: "When fewer exchanges of live sources are recorded; traffic always passes."
    )

    static func read(_ options: Options) -> SheddingLimits {
        let shed = options[shed]
        return SheddingLimits(
            processor: shed[processor].map { Double($0) / 1_000_000 },
            memory: shed[memory].map { Double($0) / 1_000_000 }
        )
    }
}
