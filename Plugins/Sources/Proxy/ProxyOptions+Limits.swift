// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineConfig
internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// How long each step may take, and how much of a message is read.
extension ProxyOptions {
    static let connectTimeout = ConfigKey(
        "connect_timeout",
        .duration,
        default: .seconds(10),
        summary: "How long opening a connection to a server may take.",
        example: "5s"
    )
    static let headTimeout = ConfigKey(
        "head_timeout",
        .duration,
        default: .seconds(30),
        summary: "How long a client may take for the head of a request.",
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
        summary: "How long a whole exchange may take, tunnels aside; no limit if not given.",
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
        summary: "The fewest bytes a second at which a body may pass; no limit if it is 0B.",
        example: "1KiB"
    )
    static let minRateWindow = ConfigKey(
        "min_rate_window",
        .duration,
        default: .seconds(60),
        summary: "Over which time 'min_rate' is measured.",
        example: "30s"
    )
    static let maxConnections = ConfigKey(
        "max_connections",
        .integer(in: 1...1_000_000),
        default: 10_000,
        summary: "How many clients may be connected at a time."
    )
    static let maxConnectionsPerClient = ConfigKey(
        "max_connections_per_client",
        .integer(in: 1...1_000_000),
        default: 10_000,
        summary: "How many connections one client address may have at a time."
    )
    static let maxCapturedPerClient = ConfigKey(
        "max_captured_per_client",
        .byteSize,
        default: 128 << 20,
        summary: "The most bytes that are kept of the exchanges under way of one client address."
    )
    static let maxLine = size("max_line", 32, "The longest request line or status line.")
    static let maxHead = size("max_head", 64, "The longest head of a message.")
    static let maxTrailers = size("max_trailers", 16, "The longest trailer section.")
    static let maxChunkLine = size(
        "max_chunk_line",
        4,
        "The longest line before a chunk of a body, with its extensions."
    )
    static let maxChunkExtensions = size(
        "max_chunk_extensions",
        16,
        "The most that the chunk extensions of a body may take."
    )
    static let maxFields = ConfigKey(
        "max_fields",
        .integer(in: 1...65_536),
        default: 256,
        summary: "The most fields of a head, or of the trailers."
    )
    static let maxInterim = ConfigKey(
        "max_interim",
        .integer(in: 0...65_536),
        default: 32,
        summary: "The most interim responses before a response."
    )
    static let maxMessages = ConfigKey(
        "max_messages",
        .integer(in: 0...1_000_000),
        default: 10_000,
        summary: "The most messages of a WebSocket, or events of a stream, that are kept; "
            + "later ones are counted."
    )
    static let maxDecodedMessage = ConfigKey(
        "max_decoded_message",
        .byteSize,
        default: 16 << 20,
        summary: "The most that a compressed message of a WebSocket, or a coded event stream, may "
            + "decode to."
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
