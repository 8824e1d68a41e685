// SPDX-License-Identifier: MIT

internal import TaplineModel
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
        let acknowledgement = BatchAcknowledgement(sinks: fanOut.count, acknowledged)
        return submit(ticket: ticket, acknowledgement, ready: ready)
    }

    private func submit(
        ticket: UInt64?,
        _ acknowledgement: BatchAcknowledgement?,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        let isParking = !parked.isEmpty
        if isParking { resumeParked(waiting: ticket == nil && !fanOut.isLive) }
        publish()
        reportEnded()
        returned.free()
        if isParking { return submitParked(ticket: ticket, acknowledgement, ready: ready) }
        guard !pending.isEmpty || ticket != nil || acknowledgement != nil else { return .open }
        return fanOut.submit(takeBatch(acknowledgement), ticket: ticket, ready: ready)
    }

    /// Makes a batch of the finished records.
    func takeBatch(_ acknowledgement: BatchAcknowledgement? = nil) -> RecordBatch {
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
        return batch
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
