// SPDX-License-Identifier: MIT

internal import TaplineRuntime
internal import URLProtocolSource

/// Creates the plan of a run, with the sink that fills the store.
typealias PlanMaker = @Sendable (Topology.Sink) throws -> TapPlan

/// What the source captures, in configurations that do not say so.
struct CaptureSettings: Sendable {
    /// The most bytes of a body that are stored.
    let maxBodySize: Int
    /// Whether `URLSession.shared` is captured.
    let capturesShared: Bool
}

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
