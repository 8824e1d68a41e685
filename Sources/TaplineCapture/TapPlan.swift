// SPDX-License-Identifier: MIT

internal import TaplineRuntime
internal import URLProtocolSource

/// What a run of a tap consists of.
struct TapPlan: Sendable {
    var topology: Topology
    /// Where the app hands in what it sends, the only source among them.
    let source: CaptureSource
    /// What is to be said of it, though it runs, a line each.
    var warnings: [String] = []

    /// A plan; `nil` if the source of apps is not among the sources.
    init?(_ topology: Topology) {
        let sources = topology.sources.lazy.compactMap { $0.source as? CaptureSource }
        guard let source = sources.first else { return nil }
        self.init(topology, source)
    }

    init(_ topology: Topology, _ source: CaptureSource) {
        self.topology = topology
        self.source = source
    }
}
