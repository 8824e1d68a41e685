// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery

extension PipelineLane {
    /// A stage with wire hooks.
    ///
    /// A class, since every use of a struct would retain all its references.
    final class WireStageRunner {
        let position: Int
        let id: String
        let stage: any WireStage
        let hooks: Hooks
        let condition: Filter?
        let onError: OnError
        let buffer: BodyBuffer
        /// The hooks that see whole bodies, always or if the stage needs them.
        let bodyHooks: Hooks
        private let isConditional: Bool
        private let bodyReader: (any BodyReadingStage)?

        init(_ stage: Topology.Stage, at position: Int, _ instance: any WireStage) {
            self.position = position
            id = stage.id
            self.stage = instance
            hooks = stage.factory.hooks
            condition = stage.condition
            isConditional = condition != nil
            onError = stage.onError
            buffer = stage.buffer
            bodyHooks = stage.buffer.hooks.union(stage.factory.hooksThatReadBodies)
            bodyReader = instance as? any BodyReadingStage
        }

        /// Whether a hook needs the whole body of an exchange that the stage may get.
        func needsBody(
            of hook: Hooks,
            _ exchange: borrowing Exchange,
            _ context: borrowing ExchangeContext,
            mayChange: Bool
        ) -> Bool {
            if buffer.hooks.contains(hook) { return true }
            guard bodyHooks.contains(hook), let bodyReader else { return false }
            return bodyReader.needsBody(of: hook, exchange, context, mayChange: mayChange)
        }

        /// Whether the hooks of the stage run for an exchange.
        func isSelected(
            for exchange: borrowing Exchange,
            _ context: inout ExchangeContext
        ) -> Bool {
            !isConditional || context.isSelected(position, when: condition, exchange)
        }
    }
}
