// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineSystem

/// A wait of a lane's first record for the verdict of a stage.
struct StageWait {
    /// The position of the stage.
    let stage: Int
    /// Its beginning, as `SteadyClock` counts.
    let since: Int64
}

/// The records of a lane from the first one on that waits for a verdict, in the order of the lane.
struct ParkedRecords {
    enum Slot {
        /// A record that follows one that waits; its memory counts as held.
        case sealed(Record)
        /// An exchange whose record hook gives its verdict later.
        case waiting(RecordChain.Parked, memory: Int, since: Int64)
        /// The end of a batch.
        case end(ticket: UInt64?, BatchAcknowledgement?)
    }

    private var slots = FIFO<Slot>()
    /// What is complete but not submitted yet.
    var submissions: [FanOut.Submission] = []
    /// Notifies the source of verdicts; `nil` if it does not want to know.
    var signal: VerdictSignal?

    /// Whether nothing waits, neither for a verdict nor to be submitted.
    var isEmpty: Bool { !isWaiting && submissions.isEmpty }

    /// Whether any record waits for a verdict.
    var isWaiting: Bool { !slots.isEmpty }

    var first: Slot? { slots.first }

    /// The stage that the first record waits for, and since when.
    var firstWait: StageWait? {
        guard case .waiting(let parked, _, let since) = slots.first else { return nil }
        return StageWait(stage: parked.position, since: since)
    }

    mutating func append(_ slot: Slot) { slots.append(slot) }

    mutating func replaceFirst(_ slot: Slot) { slots.replaceFirst(slot) }

    mutating func removeFirst() { slots.removeFirst() }
}

/// Calls a source back, once for all verdicts that are given before it looks at them.
final class VerdictSignal: Sendable {
    private let isGiven = Atomic<Bool>(false)
    private let call: @Sendable () -> Void

    init(_ call: @escaping @Sendable () -> Void) { self.call = call }

    func give() {
        if !isGiven.exchange(true, ordering: .acquiringAndReleasing) { call() }
    }

    func clear() { isGiven.store(false, ordering: .sequentiallyConsistent) }
}

// Records whose hooks give their verdicts later: they wait here, and the lane goes on.
extension PipelineLane: ParkingLane {
    func whenAnswered(_ call: @escaping @Sendable () -> Void) {
        parked.signal = VerdictSignal(call)
    }

    /// Continues with a record whose hook has given its verdict.
    func resume(
        _ waiting: RecordChain.Parked,
        _ answer: PendingVerdict.Answer
    ) -> RecordChain.Step {
        let step = chain.resume(waiting, answer)
        if case .ended(let outcome) = step { report(outcome) }
        return step
    }

    /// Logs the failure of a record hook.
    func report(_ outcome: RecordChain.Outcome) {
        guard case .failed(let position, let error) = outcome else { return }
        shared.failures.report("\(ids[position]).record", shared.log.of(ids[position])) {
            "\(error); the record was dropped"
        }
    }

    /// Keeps a record for the next batch.
    func keep(_ record: Record) {
        if parked.isWaiting {
            // In a batch it is counted by the batch.
            shared.budget.take(record.memory)
            return parked.append(.sealed(record))
        }
        pending.append(record)
        pendingMemory += record.memory
    }

    /// Keeps an exchange until its verdict is known.
    func park(_ waiting: RecordChain.Parked) {
        let memory = waiting.memory
        shared.budget.take(memory)
        parked.append(.waiting(waiting, memory: memory, since: SteadyClock.microseconds))
        if let signal = parked.signal { waiting.verdict.whenSettled { signal.give() } }
    }

    /// Continues with the records whose verdicts are known, up to the first one that waits.
    ///
    /// - Parameter isPatient: Whether to wait for all verdicts, after a stop until its deadline.
    func resumeParked(waiting isPatient: Bool) {
        parked.signal?.clear()
        while let slot = parked.first {
            switch slot {
            case .sealed(let record):
                parked.removeFirst()
                shared.budget.give(record.memory)
                pending.append(record)
                pendingMemory += record.memory
            case .end(let ticket, let acknowledgement):
                parked.removeFirst()
                parked.submissions.append(takeSubmission(ticket, acknowledgement))
            case .waiting(let waiting, let memory, _):
                guard let known = answer(waiting.verdict, waiting: isPatient) else { return }
                shared.budget.give(memory)
                switch resume(waiting, known) {
                case .parked(let next):
                    let memory = next.memory
                    shared.budget.take(memory)
                    let now = SteadyClock.microseconds
                    parked.replaceFirst(.waiting(next, memory: memory, since: now))
                    if let signal = parked.signal {
                        next.verdict.whenSettled { signal.give() }
                    }
                case .ended(let outcome):
                    parked.removeFirst()
                    guard case .sealed(let record) = outcome else {
                        board.end(1)
                        continue
                    }
                    pending.append(record)
                    pendingMemory += record.memory
                }
            }
        }
    }

    /// The verdict that a record waits for; `nil` if it is not known and the lane goes on.
    private func answer(
        _ verdict: PendingVerdict,
        waiting isPatient: Bool
    ) -> PendingVerdict.Answer? {
        guard isPatient else { return verdict.answer }
        return verdict.wait(until: shared.stopDeadline) ?? .failed(OverdueVerdict())
    }

    /// Submits what is complete; a batch with a ticket or an acknowledgement ends after the records
    /// that wait.
    func submitParked(
        ticket: UInt64?,
        _ acknowledgement: BatchAcknowledgement?,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        if ticket != nil || acknowledgement != nil {
            if parked.isWaiting {
                parked.append(.end(ticket: ticket, acknowledgement))
            } else {
                parked.submissions.append(takeSubmission(ticket, acknowledgement))
            }
        } else if !pending.isEmpty {
            parked.submissions.append(takeSubmission(nil))
        }
        return fanOut.submit(takeParkedSubmissions(), ready: ready)
    }

    /// Removes and returns what is complete, but was held up by a record that waited.
    func takeParkedSubmissions() -> [FanOut.Submission] {
        defer { parked.submissions = [] }
        return parked.submissions
    }
}
