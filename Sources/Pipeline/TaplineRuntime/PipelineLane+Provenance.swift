// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// What the lane itself adds to the provenance of exchanges.
extension PipelineLane {
    /// Notes the hooks that do not run, since an earlier stage has answered or closed the
    /// connection.
    func noteUnasked(_ hook: Hooks, after position: Int, _ context: inout ExchangeContext) {
        for link in wire where link.position > position && link.hooks.contains(hook) {
            context.noteUnasked(link.position, link.id, context.plane)
        }
    }

    /// Notes the hooks of planes that an ended exchange has never reached, for example because
    /// there was no response.
    func noteUnaskedHooks(_ context: inout ExchangeContext) {
        noteUnasked(.request, .request, &context)
        noteUnasked(.response, .response, &context)
    }

    private func noteUnasked(_ hook: Hooks, _ plane: Plane, _ context: inout ExchangeContext) {
        guard wireHooks.contains(hook), !context.hasBegun(plane) else { return }
        for link in wire where link.hooks.contains(hook) {
            context.noteUnasked(link.position, link.id, plane)
        }
    }

    /// Calls a message hook, and notes what it has done.
    func notedVerdict(
        of link: WireStageRunner,
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageVerdict {
        let before = message
        let verdict = messageVerdict(of: link, &message, &exchange, &context)
        context.noteMessage(
            of: link.id,
            verdict.provenance,
            isChanged: message != before,
            exchange
        )
        return verdict
    }
}
