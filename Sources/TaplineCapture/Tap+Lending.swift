// SPDX-License-Identifier: MIT

package import TaplinePlugin
package import TaplineRuntime
internal import URLProtocolSource

extension Tap {
    /// The tap to which sessions belong that are made in this task and name none.
    @TaskLocal package static var lent: Tap?

    /// Makes the class known that captures `URLSession.shared`, which has to be done before the first
    /// use of that.
    package static func registerForShared() { _ = Captures.isRegistered }

    /// A tap of stages that are built already; what it captures is kept in memory beside the sinks.
    ///
    /// - Parameters:
    ///   - stages: The stages.
    ///   - sinks: The sinks.
    ///   - maxBodySize: The most bytes that are kept of a body.
    ///   - capturesShared: Whether `URLSession.shared` is captured, too.
    ///   - isOffline: Whether nothing may be sent, since the stages answer everything.
    ///   - log: Where it logs.
    package convenience init(
        stages: [Topology.Stage],
        sinks: [Topology.Sink],
        maxBodySize: Int,
        capturesShared: Bool,
        isOffline: Bool,
        log: Log
    ) {
        self.init(MemoryStore.Limits(entries: 1000), log: log) { memory in
            let source = CaptureSource(capturesShared: capturesShared, isOffline: isOffline)
            let topology = Topology(
                sources: [
                    .init(id: "url_protocol", source, captureMaxBytes: maxBodySize, isLive: true)
                ],
                stages: stages,
                sinks: sinks + [memory]
            )
            return TapPlan(topology, source)
        }
    }

    /// Has sessions that are made meanwhile, and name no tap, belong to this one while it runs, and
    /// then to the tap of the whole app.
    package func lend<Value>(
        isolation: isolated (any Actor)? = #isolation,
        while body: () async throws -> Value
    ) async rethrows -> Value {
        Captures.lend(number)
        return try await Tap.$lent.withValue(self, operation: body)
    }

    /// The same for a body that does not wait.
    package func lend<Value>(while body: () throws -> Value) rethrows -> Value {
        Captures.lend(number)
        return try Tap.$lent.withValue(self, operation: body)
    }
}

extension [Component] {
    /// The stages, built.
    ///
    /// **Throws**: `TapError` with what is wrong with them, or what is no stage.
    package func stages(_ plugins: PluginRegistry) throws -> [Topology.Stage] {
        if let other = first(where: { $0.place != .stage }) {
            throw TapError.configuration(
                "'\(other.plugin)' is no stage: only stages clean what is recorded"
            )
        }
        // A file needs a sink, which is not looked at here.
        let composition = Composition(
            components: self + [.terminal],
            maxBodySize: 0,
            capturesShared: false
        )
        return try Tap.build(plugins.adding(self.plugins)) { builder, diagnostics in
            builder.stages(composition.node(into: &diagnostics), into: &diagnostics)?.stages
        }
    }
}
