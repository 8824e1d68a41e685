// SPDX-License-Identifier: MIT

internal import TaplineRuntime
internal import URLProtocolSource

/// The parts of a tap's run.
struct TapPlan: Sendable {
    var topology: Topology
    /// The only source, which receives the app's requests.
    let source: CaptureSource
    /// Whether no request may reach the network, because stages answer all of them.
    let isOffline: Bool
    /// Warnings of a successful start, one on each line.
    var warnings: [String] = []

    /// Creates a plan; `nil` if the source for apps is not in the topology.
    init?(_ topology: Topology) {
        let sources = topology.sources.lazy.compactMap { $0.source as? CaptureSource }
        guard let source = sources.first else { return nil }
        self.init(topology, source)
    }

    init(_ topology: Topology, _ source: CaptureSource, isOffline: Bool = false) {
        self.topology = topology
        self.source = source
        self.isOffline = isOffline
    }
}
