// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineTLS

/// The decoded options of `client_replay`.
struct ClientReplaySettings: Sendable {
    /// The recordings.
    var paths: [String] = []
    /// The condition for recorded exchanges; `nil` for all.
    var filter: Filter?
    var targets = ReplayTargets()
    /// Whether HTTP/2 is offered to servers in TLS; `nil` to decide by the recorded request.
    var offersHTTP2: Bool?
    var schedule = ReplaySchedule(.recorded(1))
    var concurrency = ReplayConcurrency()
    /// The maximum number of requests; `nil` for all.
    var limit: Int?
    var loop = RecordingPasses.times(1)
    /// The longest pause of the recording that is kept.
    var maxGap = Microseconds(3_600_000_000)
    /// The time limit of an exchange.
    var timeout = Microseconds(30_000_000)
    /// How long a WebSocket waits for recorded messages of the server.
    var messageTimeout = Microseconds(2_000_000)
    /// How often an idempotent request is sent again after it failed.
    var retries = 0
    var sessions = SessionSettings()
    /// Whether the first request is sent when other sources of the pipeline can send theirs.
    var startsTogether = false
    /// How long the first request waits after that, in microseconds.
    var delay: Int64 = 0
    /// Whether nothing is sent.
    var isDryRun = false
    /// The TLS options for servers.
    var tls = TLSClientOptions()
    /// The ports of inspectors, which get no requests.
    var protectedPorts = ProtectedPorts.ofUser()
    /// The proxy that servers are reached through; `nil` if they are reached directly.
    var parent: ParentProxy?
}
