// SPDX-License-Identifier: MIT

package import TaplinePlugin
package import TaplineRuntime
internal import URLProtocolSource

extension Tap {
    /// The tap for sessions that are created in this task and do not name one.
    @TaskLocal package static var current: Tap?

    /// Registers the class that captures `URLSession.shared`; this must precede the session's first
    /// use.
    package static func registerForShared() { _ = TapRegistry.isRegistered }

    /// Creates a tap from stages that are already built; it also keeps captured exchanges in
    /// memory.
    ///
    /// - Parameters:
    ///   - stages: The stages.
    ///   - sinks: The sinks.
    ///   - maxBodySize: The most bytes of a body that are stored.
    ///   - capturesShared: Whether `URLSession.shared` is captured.
    ///   - isOffline: Whether nothing may be sent, because the stages answer everything.
    ///   - log: The log for messages of the tap.
    package convenience init(
        stages: [Topology.Stage],
        sinks: [Topology.Sink],
        maxBodySize: Int,
        capturesShared: Bool,
        isOffline: Bool,
        log: Log
    ) {
        self.init(MemoryStore.Limits(entries: 1000), log: log) { memory in
            let source = CaptureSource(capturesShared: capturesShared)
            let topology = Topology(
                sources: [
                    .init(id: "url_protocol", source, captureMaxBytes: maxBodySize, isLive: true)
                ],
                stages: stages,
                sinks: sinks + [memory]
            )
            return TapPlan(topology, source, isOffline: isOffline)
        }
    }

    /// Assigns sessions that are created during the call and name no tap to this one while it runs,
    /// and to the tap of the whole app afterwards.
    package func asCurrent<Value>(
        isolation: isolated (any Actor)? = #isolation,
        perform body: () async throws -> Value
    ) async rethrows -> Value {
        TapRegistry.noteCurrent(slot)
        return try await Tap.$current.withValue(self, operation: body)
    }

    /// The same for a synchronous body.
    package func asCurrent<Value>(perform body: () throws -> Value) rethrows -> Value {
        TapRegistry.noteCurrent(slot)
        return try Tap.$current.withValue(self, operation: body)
    }
}

extension [Component] {
    /// Builds the stages.
    ///
    /// **Throws**: `TapError` with the mistakes in them, or with a component that is not a stage.
    package func stages(_ plugins: PluginRegistry) throws -> [Topology.Stage] {
        if let other = first(where: { $0.place != .stage }) {
            throw TapError.configuration(
                "'\(other.plugin)' is not a stage; only stages can clean recordings"
            )
        }
        // A file needs a sink, which is ignored here.
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
