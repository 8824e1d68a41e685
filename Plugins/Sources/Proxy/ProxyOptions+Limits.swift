// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineConfig
internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// The options of `proxy` for time limits and the sizes of messages.
extension ProxyOptions {
    static let connectTimeout = ConfigKey(
        "connect_timeout",
        .duration,
        default: .seconds(10),
        summary: "The time limit for opening a connection to a server.",
        example: "5s"
    )
    static let headTimeout = ConfigKey(
        "head_timeout",
        .duration,
        default: .seconds(30),
        summary: "The time limit for the head of a request.",
        example: "10s"
    )
    static let idleTimeout = ConfigKey(
        "idle_timeout",
        .duration,
        default: .seconds(120),
        summary: "How long an exchange may go without a byte.",
        example: "60s"
    )
    static let keepAlive = ConfigKey(
        "keep_alive",
        .duration,
        default: .seconds(75),
        summary: "How long a client's connection may wait for its next request.",
        example: "30s"
    )
    static let exchangeTimeout = ConfigKey(
        "exchange_timeout",
        .optional(.duration),
        default: nil,
        summary: "The time limit for a whole exchange, except tunnels; no limit by default.",
        example: "10m"
    )
    static let tunnelTimeout = ConfigKey(
        "tunnel_timeout",
        .duration,
        default: .seconds(3600),
        summary: "How long a tunnel may go without a byte.",
        example: "10m"
    )
    static let minRate = ConfigKey(
        "min_rate",
        .byteSize,
        default: 100,
        summary: "The minimum rate of a body in bytes a second; no limit if it is 0B.",
        example: "1KiB"
    )
    static let minRateWindow = ConfigKey(
        "min_rate_window",
        .duration,
        default: .seconds(60),
        summary: "The time over which 'min_rate' is measured.",
        example: "30s"
    )
    static let maxConnections = ConfigKey(
        "max_connections",
        .integer(in: 1...1_000_000),
        default: 10_000,
        summary: "The maximum number of connected clients."
    )
    static let maxConnectionsPerClient = ConfigKey(
        "max_connections_per_client",
        .integer(in: 1...1_000_000),
        default: 10_000,
        summary: "The maximum number of connections from one client address."
    )
    static let maxCapturedPerClient = ConfigKey(
        "max_captured_per_client",
        .byteSize,
        default: 128 << 20,
        summary: "The maximum memory for the captured exchanges of one client address."
    )
    static let maxLine = size("max_line", 32, "The maximum size of a request line or status line.")
    static let maxHead = size("max_head", 64, "The maximum size of the head of a message.")
    static let maxTrailers = size("max_trailers", 16, "The maximum size of the trailer section.")
    static let maxChunkLine = size(
        "max_chunk_line",
        4,
        "The maximum size of the line before a chunk, with its extensions."
    )
    static let maxChunkExtensions = size(
        "max_chunk_extensions",
        16,
        "The maximum size of all chunk extensions of a body."
    )
    static let maxFields = ConfigKey(
        "max_fields",
        .integer(in: 1...65_536),
        default: 256,
        summary: "The maximum number of fields in a head or in trailers."
    )
    static let maxInterim = ConfigKey(
        "max_interim",
        .integer(in: 0...65_536),
        default: 32,
        summary: "The maximum number of interim responses before a response."
    )
    static let maxMessages = ConfigKey(
        "max_messages",
        .integer(in: 0...1_000_000),
        default: 10_000,
        summary: "The maximum number of messages of a WebSocket, or events of a stream, that are "
            + "kept; later ones are counted."
    )
    static let maxDecodedMessage = ConfigKey(
        "max_decoded_message",
        .byteSize,
        default: 16 << 20,
        summary: "The maximum decoded size of a compressed WebSocket message or event "
            + "stream."
    )

    static func readLimits(_ options: Options, _ settings: inout ProxySettings) {
        settings.timeouts.connect = Microseconds(options[connectTimeout])
        settings.timeouts.head = Microseconds(options[headTimeout])
        settings.timeouts.idle = Microseconds(options[idleTimeout])
        settings.timeouts.exchange = options[exchangeTimeout].map { Microseconds($0) }
        settings.timeouts.tunnel = Microseconds(options[tunnelTimeout])
        settings.timeouts.keepAlive = Microseconds(options[keepAlive])
        let minimum = RateWatch.Limit(
            bytesPerSecond: options[minRate],
            window: Microseconds(options[minRateWindow])
        )
        settings.minRate = minimum.bytesPerSecond > 0 ? minimum : nil
        settings.maxConnections = options[maxConnections]
        settings.maxConnectionsPerClient = options[maxConnectionsPerClient]
        settings.maxCapturedPerClient = options[maxCapturedPerClient]
        settings.maxInterim = options[maxInterim]
        settings.maxMessages = options[maxMessages]
        settings.maxDecodedMessage = options[maxDecodedMessage]
        settings.limits.line = options[maxLine]
        settings.limits.head = options[maxHead]
        settings.limits.fields = options[maxFields]
        settings.limits.chunkLine = options[maxChunkLine]
        settings.limits.chunkExtensions = options[maxChunkExtensions]
        settings.limits.trailers = options[maxTrailers]
    }

    private static func size(_ name: String, _ kibibytes: Int, _ summary: String) -> ConfigKey<Int>
    {
        ConfigKey(name, .byteSize, default: kibibytes << 10, summary: summary)
    }
}
