// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFormats
internal import TaplineModel
public import TaplinePlugin
internal import TaplineSystem

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension SourcePlugin {
    /// The source `replay`: reads recordings and passes them through the pipeline.
    public static var replay: SourcePlugin {
        SourcePlugin(
            name: "replay",
            summary: "Reads recorded traffic: databases, NDJSON and HAR, also as gzip or zstd.",
            options: ReplayOptions.schema,
            build: ReplayOptions.build
        )
    }
}

/// The order in which records reach the sinks.
enum ReplayOrder: Sendable, Equatable {
    case keep
    case any
}

/// How records that cannot be read are handled.
enum BadRecords: Sendable, Equatable {
    case stop
    case skip
}

/// Whether ids are kept or new.
enum ReplayIDs: Sendable, Equatable {
    case keep
    case new
}

/// The options of `replay`.
enum ReplayOptions {
    static let path = ConfigKey(
        "path",
        .list(of: OptionType<String>.path.located, acceptsSingle: true, allowsEmpty: false),
        summary: "The recordings: a file, a pattern such as `logs/*.ndjson.gz`, `-` for standard "
            + "input, or a list of these.",
        example: "traffic.har"
    )
    static let speed = ConfigKey(
        "speed",
        .replaySpeed,
        default: .max,
        summary: "As fast as possible, at the recorded speed, or at a multiple of it.",
        example: "2x"
    )
    static let maxGap = RecordingOptions.maxGap
    static let loop = RecordingOptions.loop("played")
    static let limit = RecordingOptions.limit(
        "The maximum number of records to read, including broken ones."
    )
    static let workers = ConfigKey(
        "workers",
        OptionType<Int>.integer(in: 1...64).optional,
        default: nil,
        summary: "The number of threads that parse records and run stages; one per core by "
            + "default. Every speed except `max` uses one.",
        example: "4"
    )
    static let order = ConfigKey(
        "order",
        .choice([("keep", ReplayOrder.keep), ("any", .any)]),
        default: .keep,
        summary: "`keep`: records reach the sinks in the order of the recording."
    )
    static let badRecords = ConfigKey(
        "bad_records",
        .choice([("stop", BadRecords.stop), ("skip", .skip)]),
        default: .stop,
        summary: "Whether a broken record ends the run, or is counted and skipped."
    )
    static let maxRecordBytes = ConfigKey(
        "max_record_bytes",
        .byteSize,
        default: 64 << 20,
        summary: "The maximum size of a record; a larger one counts as broken.",
        example: "8MiB"
    )
    static let maxExtraBytes = ConfigKey(
        "max_extra_bytes",
        .byteSize,
        default: HARReader.defaultExtraBytes,
        summary: "The maximum size of the HAR-only data kept under 'har', per entry and "
            + "for the rest of a file's log.",
        example: "64KiB"
    )
    static let id = ConfigKey(
        "id",
        .choice([("keep", ReplayIDs.keep), ("new", .new)]),
        default: .keep,
        summary: "Whether records keep their ids, or get new ones in each run."
    )

    static let follow = ConfigKey(
        "follow",
        .bool,
        default: false,
        summary: "Whether to read growing NDJSON files until the run is stopped, also after "
            + "rotation."
    )
    static let checkpoint = ConfigKey(
        "checkpoint",
        OptionType<CheckpointPlace>.checkpointPlace.optional,
        default: nil,
        summary: "The file that keeps the positions of followed files; by default in the state "
            + "folder of the service, or beside the file. `false` keeps none.",
        example: "traffic.checkpoint"
    )
    static let from = ConfigKey(
        "from",
        .choice([("start", false), ("end", true)]),
        default: false,
        summary: "Where following begins in files without a checkpoint."
    )

    static let schema = OptionSchema(
        path,
        speed,
        maxGap,
        loop,
        limit,
        workers,
        order,
        badRecords,
        maxRecordBytes,
        maxExtraBytes,
        id,
        follow,
        checkpoint,
        from
    )

    static func build(_ options: Options, _ context: inout BuildContext) -> (any Source)? {
        if options[follow] { return buildFollowing(options, &context) }
        let recordings = RecordingList(options[path], context.stores, &context.diagnostics)
        if options[maxRecordBytes] < 1 {
            context.diagnostics.error(
                at: options.location(of: maxRecordBytes),
                "the size is too small; found 0B, expected at least 1B"
            )
        }
        if options[loop] != .times(1), let pipe = recordings.firstPipe {
            context.diagnostics.error(
                at: options.location(of: loop),
                "'\(pipe)' can be read only once, so 'loop' has nothing to repeat"
            )
        }
        if options[speed] != .max, let workers = options[workers], workers > 1 {
            context.diagnostics.warning(
                at: options.location(of: Self.workers),
                "'workers' has no effect here; every speed except max uses one thread"
            )
        }
        guard !context.diagnostics.hasErrors else { return nil }
        return ReplaySource(
            recordings: recordings,
            settings: ReplaySettings(
                speed: options[speed],
                maxGap: Microseconds(options[maxGap]),
                loop: options[loop],
                limit: options[limit],
                workers: options[workers] ?? coreCount,
                order: options[order],
                badRecords: options[badRecords],
                maxRecordBytes: options[maxRecordBytes],
                maxExtraBytes: options[maxExtraBytes],
                ids: options[id],
                stores: context.stores
            )
        )
    }

    /// Builds a source that follows files; paths without wildcards need not exist yet.
    private static func buildFollowing(
        _ options: Options,
        _ context: inout BuildContext
    ) -> (any Source)? {
        let place = options[checkpoint] ?? .standard(for: options[path].map(\.value), context)
        if options[speed] != .max || options[loop] != .times(1) || options[limit] != nil {
            context.diagnostics.error(
                at: options.location(of: follow),
                "'follow' cannot be combined with 'speed', 'loop' or 'limit'"
            )
        }
        var paths: [String] = []
        for path in options[path] {
            do throws(FileError) {
                let status = try FileSystem.status(of: path.value)
                let isPattern =
                    status == nil && path.value.utf8.contains { "*?[".utf8.contains($0) }
                if isPattern {
                    let found = try FileSystem.glob(path.value)
                    if found.isEmpty {
                        let message = "no file matches '\(path.value)'"
                        context.diagnostics.error(at: path.location, message)
                    }
                    paths += found.filter { !place.files.contains($0) }
                } else if path.value == "-" || status.map({ $0.kind != .regular }) ?? false {
                    let message = "'\(path.value)' is not a regular file and cannot be followed"
                    context.diagnostics.error(at: path.location, message)
                } else {
                    paths.append(path.value)
                }
            } catch {
                context.diagnostics.error(at: path.location, "\(error)")
            }
        }
        guard !context.diagnostics.hasErrors else { return nil }
        var settings = ReplaySettings()
        settings.badRecords = options[badRecords]
        settings.maxRecordBytes = max(1, options[maxRecordBytes])
        settings.ids = options[id]
        settings.follow = FollowSettings(checkpoint: place.path, startsAtEnd: options[from])
        let none = RecordingList([], nil, &context.diagnostics)
        var source = ReplaySource(recordings: none, settings: settings)
        var seen: Set<String> = []
        source.followed = paths.filter { seen.insert($0).inserted }
        return source
    }

    /// The number of online cores (sysconf(3)).
    private static var coreCount: Int { max(1, min(64, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}

/// The decoded options of a replay.
struct ReplaySettings: Sendable {
    var speed = ReplaySpeed.max
    var maxGap = Microseconds(3_600_000_000)
    var loop = RecordingPasses.times(1)
    var limit: Int?
    var workers = 1
    var order = ReplayOrder.keep
    var badRecords = BadRecords.stop
    var maxRecordBytes = 64 << 20
    var maxExtraBytes = HARReader.defaultExtraBytes
    var ids = ReplayIDs.keep
    /// How files are followed; `nil` if recordings are read.
    var follow: FollowSettings?
    /// Reads databases; `nil` if the program cannot.
    var stores: (any RecordedStores)?
}
