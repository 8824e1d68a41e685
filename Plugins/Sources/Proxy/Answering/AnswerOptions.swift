// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineMatching
internal import TaplineModel
public import TaplinePlugin
internal import TaplineQuery
internal import TaplineStore
internal import TaplineUpstream

extension SourcePlugin {
    /// The source `server_replay`, which answers requests as a recording did.
    public static var serverReplay: SourcePlugin {
        SourcePlugin(
            name: "server_replay",
            summary: "Answers requests as a recording did, in place of the recorded servers.",
            options: AnswerOptions.schema,
            isLive: true,
            build: AnswerOptions.build
        )
    }
}

/// The options of `server_replay`.
enum AnswerOptions {
    static let path = ConfigKey(
        "path",
        .list(of: OptionType<String>.path.located, acceptsSingle: true, allowsEmpty: false),
        summary: "The recordings: databases, NDJSON and HAR, as files, folders or patterns.",
        example: "traffic.har"
    )
    static let filter = ConfigKey(
        "filter",
        OptionType<Filter>.filter.optional,
        default: nil,
        summary: "Which exchanges of the recordings are used; all by default.",
        example: "host == \"api.shop.test\"",
        interpolates: false
    )
    static let match = ConfigKey(
        "match",
        .list(of: OptionType<String>.text.located, acceptsSingle: true),
        default: [],
        summary: "What a request must have in common with a recorded one: `method`, `scheme`, "
            + "`host`, `port`, `path`, `query`, `body`, `header NAME`, or a value in the filter "
            + "language, such as `query[\"page\"]`. By default method, path and query; the host "
            + "where the client names it; JSON and forms where recordings differ in nothing else.",
        example: "[method, path, header Accept]"
    )
    static let when = ConfigKey(
        "when",
        .filter,
        summary: "The recorded exchanges that the rule applies to.",
        example: "path == \"/graphql\"",
        interpolates: false
    )
    static let by = ConfigKey(
        "by",
        .list(of: OptionType<String>.text.located, acceptsSingle: true, allowsEmpty: false),
        summary: "What a request must have in common with one of them, as in `match`.",
        example: "[method, path, body]"
    )
    static let ignoreBy = ConfigKey(
        "ignore",
        .list(of: OptionType<String>.text.located, acceptsSingle: true),
        default: [],
        summary: "What is ignored in addition to `ignore` of the source.",
        example: "[$.id]"
    )
    static let matchRules = ConfigKey(
        "match_rules",
        .list(of: .object(OptionSchema(when, by, ignoreBy))),
        default: [],
        summary: "Rules for chosen recordings, in place of `match`; of several, the first whose "
            + "filter holds for a recording counts.",
        example: "[{ when: 'path == \"/graphql\"', by: [method, path, body] }]"
    )
    static let ignore = ConfigKey(
        "ignore",
        .list(of: OptionType<String>.text.located, acceptsSingle: true),
        default: [],
        summary: "What is ignored: JSON values such as `$.time`, `query NAME`, `form NAME`.",
        example: "['$.items[*].id', query ts]"
    )
    static let repeats = ConfigKey(
        "repeat",
        .choice([("last", AnswerRepeats.last), ("cycle", .cycle), ("miss", .miss)]),
        default: .last,
        summary: "What follows the last recorded answer to a request: the same again, the first "
            + "one, or none."
    )
    static let session = ConfigKey(
        "session",
        OptionType<String>.text.located,
        default: Located("client"),
        summary:
            "What has a sequence of answers of its own: `client` (its address), `cookie NAME`, "
            + "`header NAME`, `query NAME`, `json $.PATH`, fields of the filter language, or `none` "
            + "for all clients together.",
        example: "cookie sid",
        interpolates: false
    )
    static let templates = ConfigKey(
        "templates",
        .bool,
        default: false,
        summary: "Whether answers, their events and messages repeat ids and other values of the "
            + "request where the recorded ones repeated those of theirs."
    )
    static let latency = ConfigKey(
        "latency",
        OptionType<String>.text.located,
        default: Located("none"),
        summary: "How long answers wait: `none`, `recorded`, or a factor of it such as `2x`.",
        example: "recorded"
    )
    static let onMiss = ConfigKey(
        "on_miss",
        .choice([
            ("404", AnswerSettings.MissPolicy.notFound), ("pass", .pass), ("record", .record),
        ]),
        default: .notFound,
        summary: "What happens to a request without a recording: a page that says what differs; it "
            + "is sent to its server; or that, and the response answers later requests."
    )
    static let masks = ConfigKey(
        "masks",
        .list(of: OptionType<String>.text, acceptsSingle: true),
        default: ["[redacted]"],
        summary: "Strings that stand in for secrets in recordings, and so match anything."
    )
    static let reload = ConfigKey(
        "reload",
        .bool,
        default: true,
        summary: "Whether changed recordings are read again."
    )
    static let hosts = ConfigKey(
        "hosts",
        .choice([("any", false), ("known", true)]),
        default: false,
        summary: "Which hosts a client may name that does not use this source as its proxy: `any`, "
            + "or `known` for `localhost`, loopback addresses and recorded hosts only, so that no "
            + "web page reads answers through a name of its own (DNS rebinding)."
    )
    static let schema = OptionSchema(
        path,
        filter,
        match,
        matchRules,
        ignore,
        repeats,
        session,
        templates,
        latency,
        onMiss,
        masks,
        reload,
        hosts,
        ProxyOptions.listen,
        ProxyOptions.upstream,
        ProxyOptions.preserveHost,
        ProxyOptions.parentProxy.parent,
        ProxyOptions.threads,
        ProxyOptions.auth,
        ProxyOptions.allowClients,
        ProxyOptions.allowUsers,
        ProxyOptions.denyTargets,
        ProxyOptions.maxConnections,
        ProxyOptions.maxConnectionsPerClient,
        ProxyOptions.maxCapturedPerClient,
        ProxyOptions.connectTimeout,
        ProxyOptions.headTimeout,
        ProxyOptions.idleTimeout,
        ProxyOptions.exchangeTimeout,
        ProxyOptions.tunnelTimeout,
        ProxyOptions.minRate,
        ProxyOptions.minRateWindow,
        ProxyOptions.keepAlive,
        ProxyOptions.maxLine,
        ProxyOptions.maxHead,
        ProxyOptions.maxFields,
        ProxyOptions.maxChunkLine,
        ProxyOptions.maxChunkExtensions,
        ProxyOptions.maxTrailers,
        ProxyOptions.maxInterim,
        ProxyOptions.maxMessages,
        ProxyOptions.maxDecodedMessage,
        ProxyOptions.http2,
        ProxyOptions.maxStreams,
        ProxyOptions.streamWindow,
        ProxyOptions.connectionWindow,
        ProxyOptions.headerTable,
        ProxyOptions.sentHeaderTable,
        ProxyOptions.maxContinuations,
        ProxyOptions.maxResets,
        ProxyOptions.maxPings,
        ProxyOptions.maxSettings,
        ProxyOptions.maxPriorities,
        ProxyOptions.maxWindowUpdates,
        ProxyOptions.maxEmptyFrames,
        ServerTLSOptions.verify,
        ProxyOptions.requireCloseNotify,
        ServerTLSOptions.authorities,
        ServerTLSOptions.clientCertificate,
        ServerTLSOptions.clientKey,
        ProxyOptions.intercept,
        ProxyOptions.passthrough,
        ProxyOptions.authority
    )

    static func build(_ options: Options, _ context: inout BuildContext) -> (any Source)? {
        var settings = ProxyOptions.settings(options, &context)
        settings.addsVia = false
        var answers = AnswerSettings()
        answers.paths = paths(options[path], &context)
        answers.filter = options[filter]
        readMatch(options[match], into: &answers, &context)
        readSpecialRules(options[matchRules], into: &answers, &context)
        readIgnored(options[ignore], into: &answers, &context)
        answers.repeats = options[repeats]
        answers.session = session(options[session], &context)
        answers.hasTemplates = options[templates]
        answers.latency = latency(options[latency], &context)
        answers.onMiss = options[onMiss]
        answers.masks = Set(options[masks])
        answers.checksHost = options[hosts]
        if !options[reload] { answers.reloadInterval = nil }
        settings.answers = answers
        return context.diagnostics.hasErrors ? nil : ProxySource(settings: settings)
    }

    /// Returns the names of recordings that exist.
    private static func paths(
        _ names: [Located<String>],
        _ context: inout BuildContext
    ) -> [String] {
        for name in names {
            do throws(StoreError) {
                guard try StoreFiles.resolve(name.value).isEmpty else { continue }
                context.diagnostics.error(
                    at: name.location,
                    StoreFiles.isPattern(name.value)
                        ? "no file matches '\(name.value)'" : "there is no file '\(name.value)'"
                )
            } catch {
                context.diagnostics.error(at: name.location, "\(error)")
            }
        }
        return names.map(\.value)
    }
}
