// SPDX-License-Identifier: MIT

internal import TaplineConfig

/// The keys of a sink's `queue`.
enum QueueKeys {
    static let maxExchanges = ConfigKey(
        "max_exchanges",
        .integer(in: 1...10_000_000),
        default: QueueOptions().maxExchanges,
        summary: "The maximum number of records in the queue."
    )

    static let maxBytes = ConfigKey(
        "max_bytes",
        .byteSize,
        default: QueueOptions().maxBytes,
        summary: "The maximum size of the queue.",
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
        summary: "The disk limit for spilled records with overflow 'block'; 0 disables spilling.",
        example: "1GiB"
    )

    static let disk = ConfigKey(
        "disk",
        OptionType<String>.path.optional,
        default: nil,
        summary: "The folder of a queue that outlives the process; records go there first.",
        example: "/var/lib/tapline/queue"
    )

    static let diskMaxBytes = ConfigKey(
        "disk_max_bytes",
        .byteSize,
        default: QueueOptions().diskMaxBytes,
        summary: "The maximum size of that folder; then 'overflow' applies.",
        example: "1GiB"
    )

    static let segmentBytes = ConfigKey(
        "segment_bytes",
        .byteSize,
        default: QueueOptions().segmentBytes,
        summary: "The size of a file in that folder from which the next one begins.",
        example: "8MiB"
    )

    static let sync = ConfigKey(
        "sync",
        .bool,
        default: QueueOptions().syncs,
        summary: "Whether each batch is on disk before its source is notified."
    )

    static let deadLetters = ConfigKey(
        "dead_letters",
        OptionType<String>.path.optional,
        default: nil,
        summary: "The NDJSON file for records that the sink refuses; otherwise they are lost.",
        example: "refused.ndjson"
    )

    static let maxRefusals = ConfigKey(
        "max_refusals",
        .integer(in: 1...1000),
        default: QueueOptions().maxRefusals,
        summary: "How often the sink may refuse a record before it is given up."
    )

    static let schema = OptionSchema(
        maxExchanges,
        maxBytes,
        overflow,
        spillMaxBytes,
        disk,
        diskMaxBytes,
        segmentBytes,
        sync,
        deadLetters,
        maxRefusals
    )

    static let queue = ConfigKey(
        "queue",
        .object(schema),
        default: Options(schema),
        summary: "The queue in front of the sink."
    )

    static func read(_ options: Options) -> QueueOptions {
        let queue = options[queue]
        var read = QueueOptions(
            maxExchanges: queue[maxExchanges],
            maxBytes: queue[maxBytes],
            overflow: queue[overflow],
            spillMaxBytes: queue[spillMaxBytes]
        )
        read.disk = queue[disk]
        read.diskMaxBytes = queue[diskMaxBytes]
        read.segmentBytes = queue[segmentBytes]
        read.syncs = queue[sync]
        read.deadLetters = queue[deadLetters]
        read.maxRefusals = queue[maxRefusals]
        return read
    }
}
