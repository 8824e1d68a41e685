// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

/// The options of the sink, each declared once.
enum SQLiteSinkOptions {
    static let path = ConfigKey<String>(
        "path",
        .path,
        summary:
            "The database; made if need be. Large bodies go to the folder PATH-bodies beside it.",
        example: "traffic.db"
    )
    static let sync = ConfigKey(
        "sync",
        .choice([("none", Sync.none), ("batch", .batch)]),
        default: .none,
        summary: "Whether a batch has to be on the disk, and not only with the system, to count."
    )
    static let compress = ConfigKey(
        "compress",
        .bool,
        default: false,
        summary: "Whether bodies are compressed; the shell reads them with sqlar_uncompress."
    )
    static let inlineBodyMax = ConfigKey(
        "inline_body_max",
        .byteSize,
        default: 65_536,
        summary: "The largest body kept in the database; larger ones get a file each.",
        example: "256KiB"
    )
    static let indexes = ConfigKey(
        "indexes",
        .list(of: .choice(ExchangeIndex.selectable.map(\.name))),
        default: ExchangeIndex.standard.map(\.name),
        summary: "What exchanges are found by without reading all; each costs time for each row.",
        example: "[host, status, state, correlation, duration]"
    )
    static let retention = ConfigKey(
        "retention",
        .object(RetentionOptions.schema),
        default: Options(RetentionOptions.schema),
        summary: "When the oldest exchanges go; what is reached first counts.",
        example: "{ count: 1000000, age: 30d, bytes: 10GiB }"
    )
    static let busyTimeout = ConfigKey(
        "busy_timeout",
        .duration,
        default: .seconds(2),
        summary: "How long to wait for a lock of another process before a try has failed."
    )
    static let checkpoint = ConfigKey(
        "checkpoint",
        .byteSize,
        default: 128 << 20,
        summary: "How large PATH-wal grows before its pages are copied into the database.",
        example: "16MiB"
    )
    static let pathTemplates = ConfigKey(
        "path_templates",
        .integer(in: 1...1_000_000),
        default: 10_000,
        summary: "How many path templates are told apart; further ones are filed as '**'."
    )
    static let bodySetMemory = ConfigKey(
        "body_set_memory",
        .byteSize,
        default: 256 << 20,
        summary: "How much memory the set of stored bodies may take; past it the disk is asked.",
        example: "64MiB"
    )

    static let schema = OptionSchema(
        path,
        sync,
        compress,
        inlineBodyMax,
        indexes,
        retention,
        busyTimeout,
        checkpoint,
        pathTemplates,
        bodySetMemory
    )
}

/// The options of `retention`.
enum RetentionOptions {
    static let count = ConfigKey<Int?>(
        "count",
        .optional(.integer(in: 1...Int.max)),
        default: nil,
        summary: "How many exchanges are kept.",
        example: "1000000"
    )
    static let age = ConfigKey<Duration?>(
        "age",
        .optional(.duration),
        default: nil,
        summary: "How long after its start an exchange is kept.",
        example: "30d"
    )
    static let bytes = ConfigKey<Int?>(
        "bytes",
        .optional(.byteSize),
        default: nil,
        summary: "How large the database and its body files may be.",
        example: "10GiB"
    )

    static let schema = OptionSchema(count, age, bytes)
}

/// When a batch counts as written.
enum Sync: Sendable, Equatable {
    /// When the system has it; what it had not yet put on the disk is lost with the power.
    case none
    /// When it is on the disk.
    case batch
}

/// What is kept; nothing set, nothing goes.
struct RetentionLimits: Sendable, Equatable {
    var count: Int?
    var age: Microseconds?
    var bytes: Int?

    var isEmpty: Bool { count == nil && age == nil && bytes == nil }
}

/// A configured sink.
struct SQLiteSinkSettings: Sendable {
    var path: String
    var sync = Sync.none
    var compress = false
    var inlineBodyMax = 65_536
    var indexes = ExchangeIndex.standard
    var retention = RetentionLimits()
    var busyTimeout = Duration.seconds(2)
    var checkpoint = 128 << 20
    var pathTemplates = 10_000
    var bodySetMemory = 256 << 20
    /// How many bodies gather before their keys are merged into `body_index`; no option, since
    /// what is right for it is known.
    var mergeCount = 65_536

    init(path: String) { self.path = path }

    init(_ options: Options) {
        typealias Keys = SQLiteSinkOptions
        path = options[Keys.path]
        sync = options[Keys.sync]
        compress = options[Keys.compress]
        inlineBodyMax = options[Keys.inlineBodyMax]
        let names = options[Keys.indexes]
        indexes = ExchangeIndex.selectable.filter { names.contains($0.name) }
        busyTimeout = options[Keys.busyTimeout]
        checkpoint = options[Keys.checkpoint]
        pathTemplates = options[Keys.pathTemplates]
        bodySetMemory = options[Keys.bodySetMemory]
        let limits = options[Keys.retention]
        retention.count = limits[RetentionOptions.count]
        retention.age = limits[RetentionOptions.age].map {
            let (seconds, attoseconds) = $0.components
            let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
            return Microseconds(overflow ? .max : scaled + attoseconds / 1_000_000_000_000)
        }
        retention.bytes = limits[RetentionOptions.bytes]
    }
}
