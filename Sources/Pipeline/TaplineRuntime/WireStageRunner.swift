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
        private let isConditional: Bool

        init(_ stage: Topology.Stage, at position: Int, _ instance: any WireStage) {
            self.position = position
            id = stage.id
            self.stage = instance
            hooks = stage.factory.hooks
            condition = stage.condition
            isConditional = condition != nil
            onError = stage.onError
            buffer = stage.buffer
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
