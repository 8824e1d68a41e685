// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

extension SinkQueueStateMachine {
    /// A batch that is being written, in pieces that are written completely or not at all.
    struct Batch {
        /// The ranges still to be written; the last one is next.
        var pieces: [Range<Int>]
        /// The number of records that the sink refused, and the reason for the last of them.
        var refused = 0
        var refusal = ""
        /// How often the sink has refused the next piece, which is one record.
        var refusals = 0
        /// The record that was refused for the last time, until it is in the file for dead letters.
        var dead: Int?

        init(count: Int) { pieces = [0..<count] }

        /// The number of records still to be written.
        var count: Int { pieces.reduce(dead == nil ? 0 : 1) { $0 + $1.count } }
    }

    /// The sink has refused a single record, which is no longer among the pieces of its batch.
    mutating func refused(
        _ piece: Range<Int>,
        of batch: Batch,
        _ message: String,
        _ now: Instant,
        _ effects: inout Effects
    ) {
        var batch = batch
        batch.refusals += 1
        batch.refusal = message
        guard batch.refusals >= settings.options.maxRefusals else {
            batch.pieces.append(piece)
            phase = .holding(batch, notBefore: now &+ settings.retry.initial.count)
            return
        }
        batch.refusals = 0
        if settings.options.deadLetters == nil {
            totals.errors += piece.count
            batch.refused += piece.count
        } else {
            batch.dead = piece.lowerBound
        }
        goOn(with: batch, &effects)
    }

    /// Counts refused records; returns whether their number is logged, at 1, 2, 4, 8 and so on.
    mutating func countRefusals(_ count: Int) -> Bool {
        let former = refusals
        refusals += count
        return refusals.leadingZeroBitCount < former.leadingZeroBitCount
    }

    /// The refused record is in the file for dead letters, or could not be written there.
    ///
    /// It is held until it can be written there, as for a sink that fails.
    mutating func wroteDeadLetter(failure: String?, now: Instant) -> Effects? {
        guard case .calling(.deadLetter(var batch), let since) = phase else { return nil }
        guard !isOver else { return returned() }
        if let failure {
            totals.retries += 1
            var effects = Effects()
            let pause = fail(since, failure, now, &effects)
            phase = .holding(batch, notBefore: now.addingClamped(pause))
            return effects
        }
        var effects = recoverFromFailedWrite()
        batch.dead = nil
        totals.deadLetters += 1
        if countRefusals(1) {
            effects.notices.append(.deadLetters(soFar: refusals, batch.refusal))
        }
        goOn(with: batch, &effects)
        return effects
    }
}
