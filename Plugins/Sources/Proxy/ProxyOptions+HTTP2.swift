// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineConnections
internal import TaplineHTTP2
internal import TaplineModel
internal import TaplinePlugin

/// The options of `proxy` for HTTP/2.
extension ProxyOptions {
    static let http2 = ConfigKey(
        "http2",
        hosts,
        default: ["*"],
        summary: "The hosts with which HTTP/2 may be used, on both sides: `true` for all, or "
            + "patterns.",
        example: "[\"*.shop.test\"]"
    )
    static let maxStreams = ConfigKey(
        "max_streams",
        .integer(in: 1...65_536),
        default: 128,
        summary: "The maximum number of requests that a client's HTTP/2 connection may have open."
    )
    static let streamWindow = ConfigKey(
        "stream_window",
        .byteSize(in: windows),
        default: 256 << 10,
        summary: "How much of a stream's body HTTP/2 peers may send before it is forwarded."
    )
    static let connectionWindow = ConfigKey(
        "connection_window",
        .byteSize(in: windows),
        default: 32 << 20,
        summary: "The same for all streams of an HTTP/2 connection together, so that slow ones do "
            + "not hold up others."
    )
    /// RFC 9113 §6.9.1: a window has at most 2^31 - 1 bytes, and begins with 65,535.
    private static let windows = 65_535...Int(Int32.max)
    static let headerTable = table(
        "header_table",
        "The size of the table with which HTTP/2 peers may compress their fields (HPACK)."
    )
    static let sentHeaderTable = table(
        "sent_header_table",
        "The maximum size of the table that compresses fields for HTTP/2 peers, if they allow as much."
    )
    static let maxContinuations = ConfigKey(
        "max_continuations",
        .integer(in: 1...1024),
        default: 8,
        summary: "The maximum number of CONTINUATION frames of an HTTP/2 head."
    )
    static let maxResets = frames("max_resets", 1000, "resets of streams")
    static let maxPings = frames("max_pings", 1000, "PING frames")
    static let maxSettings = frames("max_settings", 100, "SETTINGS frames")
    static let maxPriorities = frames("max_priorities", 1000, "PRIORITY frames")
    static let maxWindowUpdates = frames("max_window_updates", 4000, "WINDOW_UPDATE frames")
    static let maxEmptyFrames = frames("max_empty_frames", 100, "empty frames")

    private static func table(_ name: String, _ summary: String) -> ConfigKey<Int> {
        ConfigKey(name, .byteSize(in: 0...1 << 20), default: 4096, summary: summary)
    }

    private static func frames(_ name: String, _ count: Int, _ what: String) -> ConfigKey<Int> {
        ConfigKey(
            name,
            .integer(in: 1...1_000_000),
            default: count,
            summary: "The maximum number of \(what) that an HTTP/2 peer may send at once; it is "
                + "restored within 30 seconds."
        )
    }

    /// The scheme of an upstream that uses HTTP/2 without TLS.
    private static let plainHTTP2 = "h2c://"

    /// Reads a server's URL; `h2c` is `http` with HTTP/2 by prior knowledge.
    static func readUpstream(_ url: String, into settings: inout ProxySettings) {
        let usesHTTP2 = url.lowercased().hasPrefix(plainHTTP2)
        let url = usesHTTP2 ? "http://\(url.dropFirst(plainHTTP2.count))" : url
        settings.upstream = Origin(url: url)
        settings.http2.priorKnowledge = usesHTTP2 ? settings.upstream : nil
    }

    static func readHTTP2(
        _ options: Options,
        into settings: inout ProxySettings,
        _ context: inout BuildContext
    ) {
        if options[http2].isEmpty, settings.http2.priorKnowledge != nil {
            context.diagnostics.error(
                at: options.location(of: http2),
                "'http2' switches it off, and an upstream of h2c:// speaks nothing but HTTP/2",
                help: "remove 'http2', or use http:// for the upstream"
            )
        }
        settings.http2.hosts = options[http2].map { Glob($0, ignoringCase: true) }
        var limits = HTTP2Rules().clients
        limits.messages = settings.limits
        limits.streams = options[maxStreams]
        limits.streamWindow = options[streamWindow]
        limits.connectionWindow = options[connectionWindow]
        limits.receivedTable = options[headerTable]
        limits.sentTable = options[sentHeaderTable]
        limits.continuations = options[maxContinuations]
        limits.frames.resets = options[maxResets]
        limits.frames.pings = options[maxPings]
        limits.frames.settings = options[maxSettings]
        limits.frames.ignored = options[maxPriorities]
        limits.frames.windowUpdates = options[maxWindowUpdates]
        limits.frames.empty = options[maxEmptyFrames]
        settings.http2.clients = limits
        limits.firstWindow = settings.http2.servers.firstWindow
        settings.http2.servers = limits
    }
}
