// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

/// The options of the sink, each declared once.
enum SQLiteSinkOptions {
    static let path = ConfigKey<String>(
        "path",
        .path,
        summary: "The database file; created if needed. Large bodies are stored in the folder "
            + "PATH-bodies next to it.",
        example: "traffic.db"
    )
    static let sync = ConfigKey(
        "sync",
        .choice([("none", Sync.none), ("batch", .batch)]),
        default: .none,
        summary: "When a batch counts as written: once the system has it, or once it is on disk."
    )
    static let compress = ConfigKey(
        "compress",
        .bool,
        default: false,
        summary: "Whether bodies are compressed; in the shell, sqlar_uncompress reads them."
    )
    static let inlineBodyMax = ConfigKey(
        "inline_body_max",
        .byteSize,
        default: 65_536,
        summary: "The largest body stored in the database; larger bodies are stored as files.",
        example: "256KiB"
    )
    static let indexes = ConfigKey(
        "indexes",
        .list(of: .choice(ExchangeIndex.selectable.map(\.name))),
        default: ExchangeIndex.standard.map(\.name),
        summary: "The indexes to keep; each speeds up searches and adds time to every row.",
        example: "[host, status, state, correlation, duration]"
    )
    static let retention = ConfigKey(
        "retention",
        .object(RetentionOptions.schema),
        default: Options(RetentionOptions.schema),
        summary: "When the oldest exchanges are removed; the limit reached first applies.",
        example: "{ count: 1000000, age: 30d, bytes: 10GiB }"
    )
    static let busyTimeout = ConfigKey(
        "busy_timeout",
        .duration,
        default: .seconds(2),
        summary: "How long to wait for another process's lock before an attempt fails."
    )
    static let checkpoint = ConfigKey(
        "checkpoint",
        .byteSize,
        default: 128 << 20,
        summary: "The size of PATH-wal at which its pages are copied into the database.",
        example: "16MiB"
    )
    static let pathTemplates = ConfigKey(
        "path_templates",
        .integer(in: 1...1_000_000),
        default: 10_000,
        summary: "The maximum number of distinct path templates; further ones are stored as '**'."
    )
    static let bodySetMemory = ConfigKey(
        "body_set_memory",
        .byteSize,
        default: 256 << 20,
        summary: "The memory limit of the set of stored bodies; beyond it the disk is searched.",
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
        summary: "The maximum number of exchanges.",
        example: "1000000"
    )
    static let age = ConfigKey<Duration?>(
        "age",
        .optional(.duration),
        default: nil,
        summary: "How long an exchange is kept after its start.",
        example: "30d"
    )
    static let bytes = ConfigKey<Int?>(
        "bytes",
        .optional(.byteSize),
        default: nil,
        summary: "The maximum size of the database and its body files.",
        example: "10GiB"
    )

    static let schema = OptionSchema(count, age, bytes)
}

/// When a batch counts as written.
enum Sync: Sendable, Equatable {
    /// Once the system has it; a power failure loses what is not on disk yet.
    case none
    /// Once it is on disk.
    case batch
}

/// The limits of what is kept; `nil` values set no limit.
struct RetentionLimits: Sendable, Equatable {
    var count: Int?
    var age: Microseconds?
    var bytes: Int?

    var isEmpty: Bool { count == nil && age == nil && bytes == nil }
}

/// The configured sink.
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
    /// How many bodies are collected before their keys are merged into `body_index`; not an option,
    /// since the best value is known.
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
