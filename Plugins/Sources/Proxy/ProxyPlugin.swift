// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineConfig
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
public import TaplinePlugin
internal import TaplineUpstream

extension SourcePlugin {
    /// The source `proxy`, which captures what passes through an HTTP proxy.
    public static var proxy: SourcePlugin {
        var plugin = SourcePlugin(
            name: "proxy",
            summary: "Captures the traffic that passes through a forward or reverse HTTP proxy.",
            options: ProxyOptions.schema,
            isLive: true,
            build: ProxyOptions.build
        )
        plugin.certificates = .proxy
        return plugin
    }
}

/// The options of `proxy`.
enum ProxyOptions {
    static let upstream = ConfigKey(
        "upstream",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The server that all requests are sent to; makes this a reverse proxy.",
        example: "http://127.0.0.1:9000"
    )
    static let preserveHost = ConfigKey(
        "preserve_host",
        .bool,
        default: false,
        summary: "Whether the upstream gets the client's Host field instead of its own name."
    )
    static let threads = ConfigKey(
        "threads",
        threadCount,
        default: nil,
        summary: "The number of threads that handle connections; `auto` is one for each core.",
        example: "2"
    )
    /// A number, or `auto`.
    private static let threadCount: OptionType<Int?> = {
        let number = OptionType<Int>.integer(in: 1...256)
        return OptionType(
            name: "integer or auto",
            schema: ["anyOf": [number.schema, ["const": "auto"]]],
            describe: { $0.map { "\($0)" } ?? "auto" }
        ) { node, context in
            if case .scalar("auto", isPlain: true) = node.value { return .some(nil) }
            guard case .scalar(let text, isPlain: true) = node.value, Int(text) != nil else {
                return context.mismatch(node, expected: "a whole number from 1 to 256, or 'auto'")
            }
            return number.decode(node, &context).map { .some($0) }
        }
    }()
    static let via = ConfigKey(
        "via",
        .bool,
        default: true,
        summary: "Whether to add Via to forwarded messages, which detects loops."
    )
    static let schema = OptionSchema(
        listen,
        upstream,
        preserveHost,
        parentProxy.parent,
        threads,
        via,
        auth,
        allowClients,
        allowUsers,
        denyTargets,
        maxConnections,
        maxConnectionsPerClient,
        maxCapturedPerClient,
        connectTimeout,
        headTimeout,
        idleTimeout,
        exchangeTimeout,
        tunnelTimeout,
        minRate,
        minRateWindow,
        keepAlive,
        maxLine,
        maxHead,
        maxFields,
        maxChunkLine,
        maxChunkExtensions,
        maxTrailers,
        maxInterim,
        maxMessages,
        maxDecodedMessage,
        http2,
        maxStreams,
        streamWindow,
        connectionWindow,
        headerTable,
        sentHeaderTable,
        maxContinuations,
        maxResets,
        maxPings,
        maxSettings,
        maxPriorities,
        maxWindowUpdates,
        maxEmptyFrames,
        ServerTLSOptions.verify,
        requireCloseNotify,
        ServerTLSOptions.authorities,
        ServerTLSOptions.clientCertificate,
        ServerTLSOptions.clientKey,
        intercept,
        passthrough,
        authority
    )

    static func build(_ options: Options, _ context: inout BuildContext) -> (any Source)? {
        var settings = settings(options, &context)
        settings.addsVia = options[via]
        return context.diagnostics.hasErrors ? nil : ProxySource(settings: settings)
    }

    /// Decodes the options that `server_replay` has, too.
    static func settings(_ options: Options, _ context: inout BuildContext) -> ProxySettings {
        var settings = ProxySettings()
        readListeners(options, into: &settings, &context)
        if let text = options[upstream] {
            readUpstream(text.value, into: &settings)
            if settings.upstream == nil {
                context.diagnostics.error(
                    at: text.location,
                    "this is not a server; found '\(text.value)', expected http://host, "
                        + "https://host or h2c://host, with a port if needed and without a path"
                )
            }
        }
        settings.parent = options[parentProxy.parent].flatMap { readParent($0, options, &context) }
        settings.preservesHost = options[preserveHost]
        settings.threads = options[threads]
        readAccess(options, &settings, &context)
        readUsers(options, &settings, &context)
        readLimits(options, &settings)
        readHTTP2(options, into: &settings, &context)
        readTLS(options, into: &settings, &context)
        return settings
    }
}
