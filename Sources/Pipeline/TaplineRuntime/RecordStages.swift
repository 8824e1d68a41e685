// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplinePlugin

/// Runs the record hooks of a pipeline file's stages over exchanges that were stored before.
///
/// Wire hooks do not run: what they made of a message has been stored.
///
/// **Isolation**: one thread at a time.
package final class RecordStages {
    private let stages: [Topology.Stage]
    private let instances: [any Stage]
    private var chain: RecordChain
    private var isStopped = false

    /// Creates and starts the stages.
    ///
    /// - Parameters:
    ///   - stages: The stages, as `TopologyBuilder` builds them.
    ///   - log: The log of the stages; secrets that they know are removed from it.
    ///   - seed: The seed of the random generators.
    ///   - clock: Returns the current time.
    ///   - recordsProvenance: Whether exchanges keep what stages do to them.
    /// - Throws: The error of a stage that fails to start; the stages before it are stopped.
    package init(
        _ stages: [Topology.Stage],
        log: Log = .none,
        seed: UInt64,
        clock: @escaping @Sendable () -> Timestamp,
        recordsProvenance: Bool = false
    ) throws {
        let log = log.cleaned(by: stages)
        var instances: [any Stage] = []
        var links: [RecordChain.Link] = []
        do {
            for stage in stages {
                let context = StageContext(
                    id: stage.id,
                    log: log.of(stage.id),
                    seed: seed,
                    clock: clock
                )
                let instance = try stage.factory.makeStage(context)
                let hasHook = stage.factory.hooks.contains(.record)
                let recordStage = hasHook ? instance as? any RecordStage : nil
                // Without its hook, secrets would silently pass.
                if hasHook, recordStage == nil {
                    throw StageError(id: stage.id, message: "it lacks a hook that it declares")
                }
                try instance.start()
                instances.append(instance)
                links.append(
                    RecordChain.Link(
                        id: stage.id,
                        stage: recordStage,
                        when: stage.condition,
                        redacts: stage.factory.redacts
                    )
                )
            }
        } catch {
            for instance in instances.reversed() { instance.stop() }
            throw error
        }
        self.stages = stages
        self.instances = instances
        chain = RecordChain(links, recordsProvenance: recordsProvenance)
    }

    deinit { stop() }

    /// Stops the stages; `seal` must not be called afterwards.
    package func stop() {
        guard !isStopped else { return }
        isStopped = true
        for instance in instances.reversed() { instance.stop() }
    }

    /// Runs the record hooks over an exchange.
    ///
    /// - Parameter exchange: The exchange.
    /// - Returns: The record, or why there is none.
    package func seal(_ exchange: consuming Exchange) -> RecordChain.Outcome {
        chain.seal(exchange)
    }

    /// The id of a stage, by its position.
    package func id(at position: Int) -> String { stages[position].id }

    /// Whether any of the stages has a record hook.
    package var haveHooks: Bool { stages.contains { $0.factory.hooks.contains(.record) } }

    /// The stages' own metrics, with the id of each stage.
    package var metrics: [(stage: String, metrics: [Metric])] {
        stages.map { ($0.id, $0.factory.metrics) }
    }
}
