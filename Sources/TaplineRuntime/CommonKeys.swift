// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery

/// The keys that stand beside a plugin's key; plugins may not use these names.
enum CommonKeys {
    static let id = ConfigKey(
        "id",
        .optional(.string),
        default: nil,
        summary: "The name of the component in logs, counters and --set.",
        example: "errors"
    )

    static let when = ConfigKey(
        "when",
        .optional(.filter),
        default: nil,
        summary: "Which exchanges the component is for.",
        example: "status >= 400",
        interpolates: false
    )

    static let onError = ConfigKey(
        "on_error",
        .choice(OnError.allCases.map { ($0.name, $0) }),
        default: .pass,
        summary: "What becomes of an exchange when a wire hook fails.",
        example: "respond"
    )

    static let buffer = ConfigKey(
        "buffer",
        .list(of: .choice(["request", "response"]), acceptsSingle: true),
        default: [],
        summary: "Which bodies are whole before the wire hooks run.",
        example: "[request]"
    )

    static let maxBuffer = ConfigKey(
        "max_buffer",
        .byteSize,
        default: 1 << 20,
        summary: "Up to which size a body, or a message of a WebSocket, is waited for.",
        example: "1MiB"
    )

    static let captureMaxBytes = ConfigKey(
        "capture_max_bytes",
        .byteSize,
        default: 1 << 20,
        summary: "How much of each body is kept.",
        example: "1MiB"
    )

    /// The keys of a source.
    static func source(isLive: Bool) -> OptionSchema {
        isLive ? OptionSchema(id, when, captureMaxBytes) : OptionSchema(id, when)
    }

    /// The keys of a stage.
    static func stage(hasWireHooks: Bool) -> OptionSchema {
        hasWireHooks ? OptionSchema(id, when, onError, buffer, maxBuffer) : OptionSchema(id, when)
    }

    /// The keys of a sink.
    static let sink = OptionSchema(id, when, QueueKeys.queue, RetryKeys.retry)

    /// The names of all of them; no plugin may use one.
    static let all = Set(
        source(isLive: true).names + stage(hasWireHooks: true).names + sink.names
    )
}

extension OptionSchema {
    /// The names of the options.
    var names: [String] { keys.map(\.name) }
}

/// What stands in a sink's `queue`.
enum QueueKeys {
    static let maxExchanges = ConfigKey(
        "max_exchanges",
        .integer(in: 1...10_000_000),
        default: QueueOptions().maxExchanges,
        summary: "The most records that wait."
    )

    static let maxBytes = ConfigKey(
        "max_bytes",
        .byteSize,
        default: QueueOptions().maxBytes,
        summary: "The most bytes that wait.",
        example: "64MiB"
    )

    static let overflow = ConfigKey(
        "overflow",
        .choice([
            ("block", QueueOptions.Overflow.block), ("drop_newest", .dropNewest),
            ("drop_oldest", .dropOldest),
        ]),
        default: .block,
        summary: "What happens when the queue is full."
    )

    static let spillMaxBytes = ConfigKey(
        "spill_max_bytes",
        .byteSize,
        default: QueueOptions().spillMaxBytes,
        summary: "The most bytes that wait on the disk with overflow 'block'; 0 turns that off.",
        example: "1GiB"
    )

    static let schema = OptionSchema(maxExchanges, maxBytes, overflow, spillMaxBytes)

    static let queue = ConfigKey(
        "queue",
        .object(schema),
        default: Options(schema),
        summary: "The queue before the sink."
    )

    static func read(_ options: Options) -> QueueOptions {
        let queue = options[queue]
        return QueueOptions(
            maxExchanges: queue[maxExchanges],
            maxBytes: queue[maxBytes],
            overflow: queue[overflow],
            spillMaxBytes: queue[spillMaxBytes]
        )
    }
}

/// What stands in a sink's `retry`.
enum RetryKeys {
    static let initial = ConfigKey(
        "initial",
        .duration,
        default: .milliseconds(50),
        summary: "The pause before a failed batch is tried again; it doubles each time."
    )

    static let maxInterval = ConfigKey(
        "max_interval",
        .duration,
        default: .seconds(5),
        summary: "The longest pause."
    )

    static let maxElapsed = ConfigKey(
        "max_elapsed",
        .duration,
        default: .seconds(30),
        summary: "How long a sink may fail before it counts as degraded."
    )

    static let schema = OptionSchema(initial, maxInterval, maxElapsed)

    static let retry = ConfigKey(
        "retry",
        .object(schema),
        default: Options(schema),
        summary: "How failed batches are tried again."
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

/// What stands under `runtime`.
enum RuntimeKeys {
    static let memory = ConfigKey(
        "memory",
        .byteSize,
        default: 512 << 20,
        summary: "The most captured bytes in memory; above it bodies are counted, not kept.",
        example: "512MiB"
    )

    static let drainTimeout = ConfigKey(
        "drain_timeout",
        .duration,
        default: .seconds(10),
        summary: "How long a stopped pipeline may write what it has, after its last exchange.",
        example: "10s"
    )

    static let spill = ConfigKey(
        "spill",
        OptionType<String>.path.located.optional,
        default: nil,
        summary: "The folder for records that wait on the disk; TMPDIR or /var/tmp where left out.",
        example: "/var/spool/tapline"
    )

    static let schema = OptionSchema(memory, drainTimeout, spill)
}
