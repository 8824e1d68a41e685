// SPDX-License-Identifier: MIT

internal import TaplineOperations
internal import TaplinePlugin

/// The counters of a tap's components at one moment.
///
/// For each component, received = sent + dropped + errors + queued; a stage `process` has also
/// received the exchanges that wait for the answer of its program.
public struct TapMetrics: Sendable {
    /// The counters of one component.
    public struct Component: Sendable {
        private let status: ComponentStatus

        fileprivate init(_ status: ComponentStatus) { self.status = status }

        /// `source`, `stage` or `sink`.
        public var kind: String { status.kind.rawValue }
        /// The id of the component.
        public var id: String { status.id }
        /// What it is doing: `running`, or `failing` and `degraded` for a sink that cannot write.
        public var state: String { status.state.rawValue }
        /// The exchanges that it received.
        public var received: Int { status.received }
        /// The exchanges that it passed on, or has written.
        public var sent: Int { status.sent }
        /// The exchanges that it dropped as it was told to, by reason.
        public var dropped: [String: Int] { Self.counts(status.dropped) }
        /// The exchanges that were lost because it failed, by reason.
        public var errors: [String: Int] { Self.counts(status.errors) }
        /// The exchanges that wait for it; 0 unless it is a sink.
        public var queued: Int { status.queue?.records ?? 0 }
        /// The bytes that it received: on the wire for a source, kept bytes for a sink.
        public var receivedBytes: Int { status.receivedBytes }

        private static func counts(_ counts: [ComponentStatus.Count]) -> [String: Int] {
            Dictionary(counts.map { ($0.reason, $0.count) }, uniquingKeysWith: +)
        }
    }

    /// The sources, the stages in running order, and the sinks; empty if the tap has never run.
    public let components: [Component]
    /// The captured bytes that are held now.
    public let memory: Int
    /// The highest value of `memory` so far.
    public let peakMemory: Int

    init(_ status: PipelineStatus?) {
        components = (status?.components ?? []).map(Component.init)
        memory = status?.memory ?? 0
        peakMemory = status?.peakMemory ?? 0
    }
}
