// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineStatistics

// The finished records of a lane on their way to the sinks.
extension PipelineLane: AcknowledgingLane {
    func submit(ticket: UInt64?, ready: @escaping @Sendable () -> Void) -> SubmitResult {
        submit(ticket: ticket, nil, ready: ready)
    }

    func submit(
        ticket: UInt64?,
        acknowledged: @escaping @Sendable () -> Void,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        let acknowledgement = BatchAcknowledgement(sinks: sinkCount, acknowledged)
        return submit(ticket: ticket, acknowledgement, ready: ready)
    }

    private func submit(
        ticket: UInt64?,
        _ acknowledgement: BatchAcknowledgement?,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        let isParking = !parked.isEmpty
        // A recording waits, also with a ticket: nothing else would submit the batch when the
        // verdicts are known.
        prepareSubmission(waiting: !fanOut.isLive)
        if isParking { return submitParked(ticket: ticket, acknowledgement, ready: ready) }
        guard hasFinished || ticket != nil || acknowledgement != nil else { return .open }
        return fanOut.submit(takeSubmission(ticket, acknowledgement), ready: ready)
    }

    /// The number of sinks that get its records.
    var sinkCount: Int { shared.queues.count }

    /// Whether it has finished records that are in no submission.
    var hasFinished: Bool { !pending.isEmpty }

    /// Continues with the parked records whose verdicts are known, and publishes what has ended.
    ///
    /// - Parameter isPatient: Whether to wait for all verdicts.
    func prepareSubmission(waiting isPatient: Bool) {
        if !parked.isEmpty { resumeParked(waiting: isPatient) }
        publish()
        reportEnded()
        returned.free()
    }

    /// Makes a submission of the finished records.
    func takeSubmission(
        _ ticket: UInt64?,
        _ acknowledgement: BatchAcknowledgement? = nil
    ) -> FanOut.Submission {
        FanOut.Submission(deliveries: [takeDelivery(acknowledgement)], ticket: ticket)
    }

    /// Removes and returns the finished records.
    func takeDelivery(_ acknowledgement: BatchAcknowledgement? = nil) -> Delivery {
        let batch = RecordBatch(
            pending,
            memory: pendingMemory,
            budget: shared.budget,
            returned: returned,
            acknowledgement: acknowledgement
        )
        pending = []
        pending.reserveCapacity(batch.records.count)
        pendingMemory = 0
        return Delivery(batch: batch, queues: shared.queues, board: board)
    }

    /// Adds an exchange that is recorded to the bytes and durations of the source.
    func measure(_ exchange: borrowing Exchange) {
        if let bytes = exchange.bytes {
            counters.bytes = counters.bytes.addingClamped(bytes.up.total)
                .addingClamped(bytes.down.total)
        }
        guard let total = exchange.timing.total else { return }
        board.durations.add(nanoseconds: Int(total.count.multipliedClamped(by: 1000)))
    }
}
