// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineKafkaClient
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineSystem

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// One run of a source: reads messages, hands them to the sinks in batches, and commits what the
/// sinks have acknowledged.
///
/// ```
/// reading ──▶ waiting for room in the sinks ──▶ reading
///    └──────────────────┴──▶ ending
/// ```
///
/// **Isolation**: one thread.
struct KafkaReader: ~Copyable {
    private enum Phase {
        /// Messages are fetched.
        case reading
        /// All partitions are paused until the sinks have room.
        case waiting
        /// No more messages are read.
        case ending
    }

    /// The messages since the last submission.
    private struct Batch {
        var count = 0
        var bytes = 0
    }

    /// The longest wait for messages, in milliseconds.
    private static let pollTime: Int32 = 100
    /// The longest wait for a commit, in milliseconds.
    private static let commitTime: Int32 = 5000

    private let settings: KafkaSourceSettings
    private let intake: any Intake
    private let signals: KafkaSignals
    private let figures: KafkaFigures
    private let consumer: KafkaConsumer
    private let lane: any AcknowledgingLane
    private var phase = Phase.reading
    /// Whether no sink accepts records any longer.
    private var isClosed = false
    /// Whether the group has given partitions, perhaps none.
    private var isAssigned = false
    private var partitions: [KafkaPartition: AssignedPartition] = [:]
    /// The partition of the last message.
    private var latest: AssignedPartition?
    /// The partitions of the commit that is on its way.
    private var committing: [AssignedPartition] = []
    private var committedAt: Int64
    private var batch = Batch()
    private var total: Int64 = 0
    private var records: NDJSONReader
    private var rejected: RejectedMessages

    init(
        _ settings: KafkaSourceSettings,
        _ intake: any Intake,
        _ signals: KafkaSignals,
        _ figures: KafkaFigures
    ) throws {
        let consumer = try KafkaConsumer(
            settings.properties,
            topics: settings.topics,
            log: intake.log
        )
        let lane = try intake.makeLane()
        guard let acknowledging = lane as? any AcknowledgingLane else {
            lane.close()
            throw KafkaSourceError(
                description: "the pipeline does not report what its sinks have stored"
            )
        }
        self.settings = settings
        self.intake = intake
        self.signals = signals
        self.figures = figures
        self.consumer = consumer
        self.lane = acknowledging
        committedAt = SteadyClock.microseconds
        records = NDJSONReader()
        rejected = RejectedMessages(intake)
    }

    /// Reads until the run is stopped, or until the end of all partitions if that is wanted.
    mutating func run() throws {
        signals.attach(consumer.waker)
        var problem: (any Error)?
        do {
            try read()
        } catch {
            problem = error
        }
        end()
        lane.close()
        if let problem { throw problem }
    }

    private mutating func read() throws {
        while !signals.isStopped, !isClosed {
            if phase == .waiting, signals.hasRoom {
                phase = .reading
                consumer.resume(Array(partitions.keys))
            }
            if let event = consumer.event(within: batch.count > 0 ? 0 : Self.pollTime) {
                try handle(event)
                guard isBatchFull else { continue }
            } else if batch.count == 0, isAtEnd {
                return
            }
            if phase == .reading, batch.count > 0 { submit() }
            keepUp()
        }
    }

    private var isBatchFull: Bool {
        batch.count >= settings.batchLimit || batch.bytes >= settings.batchBytes
    }

    /// Whether the run ends with the last message, and that has been read.
    private var isAtEnd: Bool {
        settings.endsAtEnd && isAssigned && partitions.values.allSatisfy(\.hasReachedEnd)
    }

    private mutating func handle(_ event: KafkaConsumerEvent) throws {
        switch event {
        case .message(let message): receive(message)
        case .reachedEnd(let name): partitions[name]?.reachedEnd()
        case .assigned(let names): assigned(names)
        case .revoked(let names, let isLost):
            release(names, isLost: isLost)
            consumer.completeRevocation()
        case .committed(let error): committed(error)
        case .failed(let error, let isFatal):
            if isFatal || settings.endsAtEnd && (error.isUnknownTopic || error.isDenied) {
                throw KafkaSourceError(description: error.message)
            }
            consumer.warn(error.message)
        }
    }
}

// MARK: - Messages

extension KafkaReader {
    private mutating func receive(_ message: KafkaMessage) {
        guard phase != .ending else { return }
        if latest?.name != message.partition { latest = partitions[message.partition] }
        guard let partition = latest else { return }
        if !partition.read(message.offset) {
            guard restart(partition, message) else { return }
        }
        batch.count += 1
        total += 1
        guard let value = message.value else { return rejected.note(message, "it has no content") }
        batch.bytes += value.count
        do throws(RecordError) {
            pass(try records.read(value.span), message, value)
        } catch {
            rejected.note(message, error.description)
        }
        if value.count > 1 << 20 { records.shrink(toLinesOf: 1 << 20) }
    }

    /// Reads a message that only seems to have been read before; returns whether it has read it.
    ///
    /// The offsets of a topic that was deleted and created, or of a log that has lost its end, begin
    /// anew. What waits for the sinks has offsets of the former log, which are not committed any more.
    private mutating func restart(
        _ partition: AssignedPartition,
        _ message: KafkaMessage
    ) -> Bool {
        let name = partition.name
        let end = consumer.end(of: name)
        guard partition.isReplaced(at: message.offset, end: end) else { return false }
        intake.log.warning(
            "\(name): the messages up to offset \(partition.next ?? 0) are gone from the broker; "
                + "continuing at offset \(message.offset)"
        )
        let replacement = AssignedPartition(name)
        partitions[name] = replacement
        latest = replacement
        return replacement.read(message.offset)
    }

    private func pass(
        _ exchange: consuming Exchange,
        _ message: KafkaMessage,
        _ value: [UInt8]
    ) {
        if exchange.id.isNil {
            // The same id if the message is read again.
            exchange.id = RecordID.derived(
                started: exchange.started,
                from: value.span,
                position: Int(clamping: message.offset),
                pass: Int(message.partition.number)
            )
        }
        let recorded = exchange.source
        if !recorded.isEmpty, recorded != intake.id { exchange.tags["recorded_source"] = recorded }
        exchange.source = intake.id
        lane.pass(exchange)
    }

    /// Hands the records of the batch to the sinks.
    private mutating func submit() {
        let issued = partitions.values.compactMap { partition in
            partition.issue().map { (partition, $0) }
        }
        batch = Batch()
        signals.awaitRoom()
        let acknowledged: @Sendable () -> Void = {
            for (partition, number) in issued { _ = partition.acknowledge(number) }
        }
        let ready: @Sendable () -> Void = { [signals] in signals.roomFound() }
        switch lane.submit(ticket: nil, acknowledged: acknowledged, ready: ready) {
        case .open: break
        case .paused:
            guard phase == .reading else { return }
            phase = .waiting
            consumer.pause(Array(partitions.keys))
        case .closed: isClosed = true
        }
    }
}

// MARK: - Partitions and offsets

extension KafkaReader {
    private mutating func assigned(_ names: [KafkaPartition]) {
        isAssigned = true
        for name in names { partitions[name] = AssignedPartition(name) }
        if phase != .reading { consumer.pause(names) }
        figures.countRebalance(in: settings.group)
        let list = names.map(\.description).sorted().joined(separator: ", ")
        intake.log.info("partitions of the group: \(names.isEmpty ? "none" : list)")
    }

    /// Gives partitions back: commits what the sinks are done with; the rest is read again by the
    /// next owner.
    private mutating func release(_ names: [KafkaPartition], isLost: Bool) {
        let leaving = names.compactMap { partitions[$0] }
        if !isLost {
            if phase == .reading, batch.count > 0 { submit() }
            let end = SteadyClock.microseconds + settings.revocationGrace
            while !isClosed, !leaving.allSatisfy(\.isComplete), SteadyClock.microseconds < end {
                Self.pause()
            }
            commitNow(leaving, within: Self.commitTime)
        }
        for name in names { partitions[name] = nil }
        latest = nil
    }

    /// Lets other threads work for a moment.
    private static func pause() { usleep(5000) }

    private func commitNow(_ partitions: [AssignedPartition], within limit: Int32) {
        let begun = partitions.compactMap { partition in
            partition.beginCommit().map { (partition, $0) }
        }
        let error = consumer.commit(begun.map { ($0.name, $1) }, within: limit)
        for (partition, _) in begun { partition.endCommit(isSuccess: error == nil) }
        if let error { failedCommit(error) }
    }

    private mutating func committed(_ error: KafkaError?) {
        for partition in committing { partition.endCommit(isSuccess: error == nil) }
        committing = []
        if let error { failedCommit(error) }
    }

    private func failedCommit(_ error: KafkaError) {
        figures.countFailedCommit(in: settings.group)
        consumer.warn("offsets are not committed yet: \(error.message)")
    }

    /// Commits offsets from time to time, and reports how far the source is.
    private mutating func keepUp() {
        let now = SteadyClock.microseconds
        guard now - committedAt >= settings.commitInterval else { return }
        committedAt = now
        if committing.isEmpty {
            let begun = partitions.values.compactMap { partition in
                partition.beginCommit().map { (partition, $0) }
            }
            if consumer.commit(begun.map { ($0.name, $1) }) { committing = begun.map(\.0) }
        }
        report()
    }

    private func report() {
        let consumer = consumer
        let lag = figures.set(partitions.values.sorted { $0.name < $1.name }) { partition in
            partition.next.flatMap { consumer.lag(of: partition.name, after: $0) }
        }
        intake.progress(done: total, of: total.addingClamped(Int64(lag)))
    }
}

// MARK: - The end

extension KafkaReader {
    /// Hands over the last records, waits for the sinks, commits, and leaves the group.
    private mutating func end() {
        let mayWait = phase == .waiting
        phase = .ending
        consumer.pause(Array(partitions.keys))
        if mayWait { _ = serve { $0.hasRoom } }
        if batch.count > 0, !isClosed, !mayWait || signals.hasRoom { submit() }
        let isComplete = serve { _ in false }
        if !isComplete {
            intake.log.warning(
                "the sinks have not confirmed all records; the group reads them again"
            )
        }
        // A run that is stopped has a part of `drain_timeout` for all of this.
        let limit: Int32 = signals.isStopped ? 2000 : Self.commitTime
        commitNow(Array(partitions.values), within: limit)
        report()
        consumer.close(within: Int(limit)) { _, _ in }
    }

    /// Serves the group until all batches are acknowledged, or a condition holds.
    ///
    /// After `drain_timeout` without an acknowledgement it gives up.
    /// - Returns: Whether all batches are acknowledged.
    private mutating func serve(until isEnough: (KafkaSignals) -> Bool) -> Bool {
        var left = unconfirmed
        var end = SteadyClock.microseconds.addingClamped(intake.drainTimeout.count)
        while left > 0, !isClosed, !isEnough(signals), SteadyClock.microseconds < end {
            if let event = consumer.event(within: 20) {
                do {
                    try handle(event)
                } catch {
                    return false
                }
            }
            let now = unconfirmed
            if now < left, !signals.isStopped {
                end = SteadyClock.microseconds.addingClamped(intake.drainTimeout.count)
            }
            left = now
        }
        return left == 0
    }

    /// The number of batches that are not acknowledged.
    private var unconfirmed: Int {
        partitions.values.reduce(0) { $0.addingClamped($1.unconfirmed) }
    }
}
