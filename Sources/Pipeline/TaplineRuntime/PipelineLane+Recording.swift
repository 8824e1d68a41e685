// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

// Which exchanges are recorded: `sample`, `max_exchanges_in_flight` and shedding.
extension PipelineLane {
    /// Whether an exchange that begins now may not be recorded.
    var limitsRecording: Bool {
        sampling != nil
            || isLive && (shared.limits.maxInFlight != nil || shared.limits.shedding.isActive)
    }

    /// Decides once whether an exchange is recorded.
    func decideRecording(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) {
        guard context.recording == .undecided else { return }
        // Recordings wait instead of being shed.
        let shedding = isLive ? shared.limits.shedding : .none
        var decision = RecordingDecision.recorded
        if sampling != nil || shedding.isActive {
            let number = Sampling.number(of: exchange)
            decision = (sampling ?? .all).decision(number, shedding)
        }
        if decision == .recorded, isLive, shared.limits.maxInFlight != nil {
            context.isInFlight = shared.limits.enter()
            if !context.isInFlight { decision = .overLimit }
        }
        context.recording = decision
    }
}
