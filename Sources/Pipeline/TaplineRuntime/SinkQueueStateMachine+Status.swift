// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineOperations
package import TaplineStatistics

/// The state of a sink and its queue, for those who operate the pipeline.
package struct SinkState: Sendable {
    /// The counters at the same moment.
    package internal(set) var counters = SinkCounters()
    /// What the sink is doing.
    package internal(set) var state = ComponentState.running
    /// For how long it has been failing; `nil` if it is not.
    package internal(set) var failingFor: Microseconds?
    /// Why the last write has failed; `nil` if it does not fail or has not returned.
    package internal(set) var reason: String?
    /// The queue.
    package internal(set) var queue = QueueStatus()
    /// How long records waited in the queue.
    package internal(set) var queueTimes = Distribution()
    /// How long writes took.
    package internal(set) var writeTimes = Distribution()

    init() {}

    /// A sink that has ended, at zero.
    static var ended: SinkState {
        var state = SinkState()
        state.state = .ended
        return state
    }

    /// Adds the figures of a sink with the same id, which a reload has removed or replaced; while it
    /// still has records that it cannot write, both count as failing.
    mutating func add(retired former: SinkState) {
        counters += former.counters
        queueTimes = queueTimes + former.queueTimes
        writeTimes = writeTimes + former.writeTimes
        queue.add(former.queue)
        switch (former.state, state) {
        case (.failing, .running), (.failing, .draining), (.failing, .ended),
            (.degraded, .running), (.degraded, .draining), (.degraded, .ended):
            // The present configuration does not fail, so the pipeline is ready.
            state = .failing
        case (.starting, .draining), (.starting, .ended): state = .starting
        case (.running, .ended), (.draining, .ended):
            state = .draining
            return
        default: return
        }
        failingFor = former.failingFor
        reason = former.reason
    }

    /// Adds to the reason of a failure that a reload has removed or replaced the sink.
    mutating func note(_ event: String) {
        guard state == .failing else { return }
        let why = reason ?? "a call has not returned"
        reason = "a reload has \(event) it before its records were written: \(why)"
    }
}

extension QueueStatus {
    /// Adds the queue of a sink that a reload has removed or replaced.
    fileprivate mutating func add(_ former: QueueStatus) {
        records += former.records
        bytes += former.bytes
        spillRecords += former.spillRecords
        spillBytes += former.spillBytes
        spilled += former.spilled
        waiting += former.waiting
        retries += former.retries
        peakRecords = max(peakRecords, former.peakRecords)
        if let time = former.lag { lag = max(lag ?? time, time) }
        if former.isSpillFull { isSpillFull = true }
        readFailure = readFailure ?? former.readFailure
    }
}

extension SinkQueueStateMachine {
    /// The state of the sink and its queue, without measured times.
    func state(now: Instant) -> SinkState {
        var state = SinkState()
        switch health {
        case .well: break
        case .failing(let failure):
            state.state = .failing
            note(failure, in: &state, now)
        case .degraded(let failure):
            state.state = .degraded
            note(failure, in: &state, now)
        }
        if isOver { state.state = .ended }
        let counters = counters
        state.counters = counters
        state.queue.records = counters.queued
        state.queue.maxRecords = settings.options.maxExchanges
        state.queue.maxBytes = settings.options.maxBytes
        state.queue.bytes = contents.bytes
        state.queue.peakRecords = counters.peakQueue
        state.queue.spillRecords = counters.inSpill
        state.queue.spillBytes = counters.spillBytes
        state.queue.spilled = counters.spilled
        if case .full = spill { state.queue.isSpillFull = true }
        if case .failing(_, let reason) = access { state.queue.readFailure = reason }
        if case .failed = durability { state.queue.isUnflushed = true }
        state.queue.lag = contents.oldest.map { Microseconds(max(now &- $0, 0)) }
        state.queue.waiting = waiters.count
        state.queue.retries = counters.retries
        if case .calling(_, let since) = phase {
            state.queue.call = Microseconds(max(now &- since, 0))
        }
        return state
    }

    private func note(_ failure: FailureState, in state: inout SinkState, _ now: Instant) {
        state.failingFor = Microseconds(max(now &- failure.since, 0))
        if case .error(let message) = failure.cause { state.reason = message }
    }
}
