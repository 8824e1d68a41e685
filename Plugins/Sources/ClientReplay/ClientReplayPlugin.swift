// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineConnections
internal import TaplineModel
public import TaplinePlugin
internal import TaplineQuery
internal import TaplineUpstream

extension SourcePlugin {
    /// The source `client_replay`, which sends recorded requests to servers.
    public static var clientReplay: SourcePlugin {
        SourcePlugin(
            name: "client_replay",
            summary: "Sends recorded requests to servers at an exact rate.",
            options: ClientReplayOptions.schema,
            isLive: true,
            build: ClientReplayOptions.build
        )
    }
}

/// The options of `client_replay`.
enum ClientReplayOptions {
    static let path = ConfigKey(
        "path",
        .list(of: OptionType<String>.path.located, acceptsSingle: true, allowsEmpty: false),
        summary: "The recordings: databases, NDJSON or HAR; files, folders, patterns, or `-` for "
            + "standard input.",
        example: "traffic.db"
    )
    static let filter = ConfigKey(
        "filter",
        OptionType<Filter>.filter.optional,
        default: nil,
        summary: "The condition for recorded exchanges; `when` is for those that are sent.",
        example: "method == \"GET\"",
        interpolates: false
    )
    static let to = ConfigKey(
        "to",
        .replayTargets,
        summary: "The server that requests are sent to, or a server for each pattern of recorded "
            + "hosts; `h2c://` is HTTP/2 without TLS.",
        example: "{ api.shop.test: \"http://127.0.0.1:9000\" }"
    )
    static let rate = ConfigKey(
        "rate",
        OptionType<ReplaySchedule.Pace>.replayRate.optional,
        default: nil,
        summary: "How many requests are due in a second, whatever the server does; a second rate "
            + "is reached evenly.",
        example: "100/s -> 2000/s over 5m"
    )
    static let speed = ConfigKey(
        "speed",
        OptionType<ReplaySchedule.Pace>.sendingSpeed.optional,
        default: nil,
        summary: "The recorded spacing, a multiple of its speed, or `max`; the default is `1x` "
            + "without a 'rate'.",
        example: "2x"
    )
    static let maxGap = RecordingOptions.maxGap
    static let concurrency = ConfigKey(
        "concurrency",
        .integer(in: 1...65_536),
        default: 100,
        summary: "The maximum number of requests in flight.",
        example: "50"
    )
    static let whenFull = ConfigKey(
        "when_full",
        .choice([("wait", ReplayConcurrency.WhenFull.wait), ("skip", .skip)]),
        default: .wait,
        summary: "Whether a request that is due while 'concurrency' is reached is sent late or "
            + "skipped."
    )
    static let length = ConfigKey(
        "for",
        OptionType<Duration>.duration.optional,
        default: nil,
        summary: "How long requests are sent.",
        example: "10m"
    )
    static let loop = RecordingOptions.loop("sent")
    static let limit = RecordingOptions.limit("The maximum number of requests.")
    static let together = ConfigKey(
        "together",
        .bool,
        default: false,
        summary: "Whether the first request is sent at the same moment as those of all other "
            + "sources with this option."
    )
    static let delay = ConfigKey(
        "delay",
        OptionType<Duration>.duration.optional,
        default: nil,
        summary: "How long the first request waits after it can be sent.",
        example: "2s"
    )
    static let http2 = ConfigKey(
        "http2",
        OptionType<Bool>.bool.optional,
        default: nil,
        summary: "Whether HTTP/2 is offered to `https` servers; by default for gRPC calls and for "
            + "requests that were recorded with HTTP/2.",
        example: "true"
    )
    static let unsafeMethods = ConfigKey(
        "unsafe",
        .bool,
        default: false,
        summary: "Whether requests that can change things (all but GET, HEAD and OPTIONS) are sent "
            + "to other machines."
    )
    static let dryRun = ConfigKey(
        "dry_run",
        .bool,
        default: false,
        summary: "Whether requests are only counted, and not sent."
    )
    static let timeout = ConfigKey(
        "timeout",
        .duration,
        default: .seconds(30),
        summary: "The time limit of an exchange, from connecting to the end of its response.",
        example: "5s"
    )
    static let messageTimeout = ConfigKey(
        "message_timeout",
        .duration,
        default: .seconds(2),
        summary: "How long a WebSocket waits for messages of the server that the recording has, "
            + "and for its close frame.",
        example: "10s"
    )
    static let retries = ConfigKey(
        "retries",
        .integer(in: 0...10),
        default: 0,
        summary: "How often a request that may be repeated (RFC 9110 §9.2.2) is sent again if it "
            + "fails."
    )
    private static let parentProxy = ParentProxyOptions(
        "proxy",
        summary: "A proxy to reach servers through."
    )

    static let schema = OptionSchema(
        path,
        filter,
        to,
        http2,
        rate,
        speed,
        maxGap,
        concurrency,
        whenFull,
        length,
        loop,
        limit,
        together,
        delay,
        unsafeMethods,
        dryRun,
        sessions,
        map,
        mapFile,
        auth,
        timeout,
        messageTimeout,
        retries,
        parentProxy.parent,
        ServerTLSOptions.verify,
        ServerTLSOptions.authorities,
        ServerTLSOptions.clientCertificate,
        ServerTLSOptions.clientKey
    )

    static func build(_ options: Options, _ context: inout BuildContext) -> (any Source)? {
        var settings = ClientReplaySettings()
        settings.paths = options[path].map(\.value)
        settings.filter = options[filter]
        settings.targets.targets = options[to]
        settings.offersHTTP2 = options[http2]
        settings.targets.allowsUnsafe = options[unsafeMethods]
        settings.schedule = ReplaySchedule(
            pace(options, &context),
            length: options[length].map { Microseconds($0).count }
        )
        settings.concurrency = ReplayConcurrency(
            limit: options[concurrency],
            whenFull: options[whenFull]
        )
        settings.limit = options[limit]
        settings.loop = options[loop]
        settings.maxGap = Microseconds(options[maxGap])
        settings.startsTogether = options[together]
        settings.delay = options[delay].map { Microseconds($0).count } ?? 0
        settings.isDryRun = options[dryRun]
        settings.timeout = Microseconds(options[timeout])
        settings.messageTimeout = Microseconds(options[messageTimeout])
        settings.retries = options[retries]
        settings.parent = options[parentProxy.parent].flatMap { parentProxy.read($0, &context) }
        settings.tls = ServerTLSOptions.read(options, &context)
        readSessions(options, into: &settings, &context)
        if settings.loop != .times(1), settings.paths.contains("-") {
            context.diagnostics.error(
                at: options.location(of: loop),
                "'-' can be read only once, so 'loop' has nothing to repeat"
            )
        }
        if settings.isDryRun { settings.schedule = ReplaySchedule(.max) }
        return context.diagnostics.hasErrors ? nil : ClientReplaySource(settings: settings)
    }

    /// Returns how due times are computed.
    private static func pace(
        _ options: Options,
        _ context: inout BuildContext
    ) -> ReplaySchedule.Pace {
        if options[rate] != nil, options[speed] != nil {
            context.diagnostics.error(
                at: options.location(of: speed),
                "'rate' and 'speed' exclude each other; found both"
            )
        }
        return options[rate] ?? options[speed] ?? .recorded(1)
    }
}
