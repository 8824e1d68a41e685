// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineNATS
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineSystem

/// One run of the source, on its thread.
final class NATSSourceRun {
    /// About how many bytes a fetch may bring.
    private static let fetchBytes = 16 << 20
    /// How often a consumer without messages is asked for.
    private static let checkInterval: Int64 = 5_000_000
    /// The same if the source ends with the last message.
    private static let endInterval: Int64 = 100_000

    private let settings: NATSSourceSettings
    private let figures: NATSFigures
    private let intake: any Intake
    private let control: SourceControl
    private let connection: NATSConnection
    private let pull: NATSPull
    private let deliveries: Deliveries
    private let lane: any AcknowledgingLane
    /// How long a fetch waits, in milliseconds.
    private let window: Int64
    private let room: RoomSignal
    private var reader = NDJSONReader()
    private var checked: Int64 = 0
    private var limit: FetchLimit
    private var fetchFailures = 0

    // The current fetch.
    private var replies: [UInt8] = []
    private var count = 0
    /// The size of the largest message, in bytes.
    private var largest = 0
    private var received = 0
    private var redelivered = 0
    private var pending = 0
    /// When the first message arrived.
    private var began: Int64 = 0

    init(
        _ settings: NATSSourceSettings,
        _ figures: NATSFigures,
        _ intake: any Intake,
        _ control: SourceControl
    ) throws {
        self.settings = settings
        self.figures = figures
        self.intake = intake
        self.control = control
        room = RoomSignal(control)
        connection = try NATSConnection(settings.server, id: intake.id, log: intake.log)
        let consumer = try Self.consumer(settings, connection, intake.log)
        let pull = try NATSPull(
            connection,
            stream: settings.server.stream,
            consumer: settings.durable
        )
        self.pull = pull
        deliveries = Deliveries(
            ackWait: consumer.ackWait,
            retryDelay: settings.retryDelay,
            figures,
            wake: { control.wake() },
            send: { answer, replies in pull.answer(answer, replies) }
        )
        // While the messages of a fetch are passed on, the server is not asked for more time.
        let fetchTime = max(consumer.ackWait / 4, 1)
        limit = FetchLimit(most: settings.batch, bytes: Self.fetchBytes, time: fetchTime)
        window = min(settings.window, max(fetchTime / 1000, 1))
        let lane = try intake.makeLane()
        guard let acknowledging = lane as? any AcknowledgingLane else {
            lane.close()
            throw NATSError(.other, "the pipeline does not report what its sinks have stored")
        }
        self.lane = acknowledging
        intake.log.info("connected to \(connection.url)")
    }

    /// Finds the consumer, or creates it.
    private static func consumer(
        _ settings: NATSSourceSettings,
        _ connection: NATSConnection,
        _ log: Log
    ) throws -> NATSConsumer {
        let (stream, name) = (settings.server.stream, settings.durable)
        if let found = try connection.consumer(name, of: stream) {
            guard found.isExplicit, !found.isPush else {
                throw NATSError(
                    .other,
                    "the consumer '\(name)' of '\(stream)' is not a pull consumer with explicit "
                        + "acknowledgements; choose another 'durable'"
                )
            }
            if let filter = settings.filter, filter != found.filter {
                throw NATSError(
                    .other,
                    "the consumer '\(name)' of '\(stream)' selects '\(found.filter)', not "
                        + "'\(filter)'; choose another 'durable'"
                )
            }
            return found
        }
        guard let created = settings.created else {
            throw NATSError(
                .notFound,
                "the stream '\(stream)' has no consumer '\(name)'; create it, or set 'create: true'"
            )
        }
        try connection.addConsumer(name, of: stream, created)
        log.info("created the consumer '\(name)' of '\(stream)'")
        guard let found = try connection.consumer(name, of: stream) else {
            throw NATSError(.notFound, "the new consumer '\(name)' of '\(stream)' is gone")
        }
        return found
    }

    /// Reads until the run is stopped, or until there are no more messages if that is its end.
    func run() throws {
        defer { finish() }
        while !control.isStopped {
            let now = SteadyClock.microseconds
            deliveries.answer()
            deliveries.extend(now: now)
            guard room.isOpen else {
                control.wait(milliseconds: 100)
                continue
            }
            if try fetch(now) > 0 {
                checked = now
                fetchFailures = 0
            } else if try isAtEnd(now) {
                return
            }
            reportProgress()
        }
    }

    /// Fetches messages and passes them on; returns their number.
    private func fetch(_ now: Int64) throws -> Int {
        replies.removeAll(keepingCapacity: true)
        (count, largest, received, redelivered) = (0, 0, 0, 0)
        began = now
        do throws(NATSError) {
            _ = try pull.fetch(limit.count, waiting: window) { payload, reply in
                receive(payload, reply)
            }
        } catch {
            if error.kind == .closed { throw error }
            fetchFailures += 1
            // Between two leaders, each fetch may fail.
            if fetchFailures.nonzeroBitCount == 1, connection.isConnected {
                intake.log.warning("\(error); trying again")
            }
            checked = 0
            control.wait(milliseconds: 100)
        }
        guard received > 0 else { return 0 }
        limit.fetched(received, largest: largest, in: SteadyClock.microseconds - began)
        figures.update { values in
            values.received += received
            values.redelivered += redelivered
            values.pending = pending
        }
        if count > 0 { submit(now) }
        reader.shrink(toLinesOf: 1 << 20)
        return received
    }

    /// Passes a message through the lane; one without a record is never delivered again.
    private func receive(_ payload: Span<UInt8>, _ reply: Span<UInt8>) {
        if received == 0 { began = SteadyClock.microseconds }
        largest = max(largest, payload.count)
        received += 1
        let stream = settings.server.stream
        guard let state = NATSReply(reply) else {
            return terminate(
                reply,
                "a message of '\(stream)' has a reply subject of an unknown form and is skipped "
                    + "for good"
            )
        }
        pending = state.pending
        if state.deliveries > 1 { redelivered += 1 }
        do throws(RecordError) {
            var exchange = try reader.read(payload)
            identify(&exchange, payload, state)
            lane.pass(exchange)
        } catch {
            terminate(
                reply,
                "message \(state.position) of '\(stream)' is not a record and is skipped for good: "
                    + "\(error)"
            )
            return
        }
        append(reply)
        count += 1
    }

    private func append(_ reply: Span<UInt8>) {
        replies.append(copying: reply)
        replies.append(0)
    }

    private func identify(
        _ exchange: inout Exchange,
        _ payload: Span<UInt8>,
        _ state: NATSReply
    ) {
        let recorded = exchange.source
        if !recorded.isEmpty { exchange.tags["recorded_source"] = recorded }
        exchange.source = intake.id
        if exchange.started.microseconds == 0 {
            exchange.started = Timestamp(microseconds: state.stored)
        }
        guard exchange.id.isNil else { return }
        // The same in each delivery, so that a store recognises it.
        exchange.id = RecordID.derived(
            started: exchange.started,
            from: payload,
            position: state.position
        )
    }

    /// Logs and counts a message without a usable record, which is never delivered again.
    private func terminate(_ reply: Span<UInt8>, _ problem: @autoclosure () -> String) {
        var subject: [UInt8] = []
        subject.append(copying: reply)
        subject.append(0)
        var terminated = 0
        figures.update { values in
            values.terminated += 1
            terminated = values.terminated
        }
        intake.rejected(1)
        if terminated <= 5 || terminated.nonzeroBitCount == 1 {
            intake.log.warning("\(problem()) (\(terminated) so far)")
        }
        pull.answer(.never, subject)
    }

    /// Submits the records of a fetch, to be answered when all sinks are done.
    private func submit(_ now: Int64) {
        let answer = deliveries.add(replies, count: count, now: now)
        let room = room
        room.close()
        let ready: @Sendable () -> Void = { room.open() }
        let result = lane.submit(
            ticket: nil,
            acknowledged: { answer.acknowledge() },
            ready: ready
        )
        switch result {
        case .open: room.reopen()
        case .paused: break
        case .closed: control.stop()
        }
    }

    /// Returns whether the source is at its end; looks for the consumer now and then.
    private func isAtEnd(_ now: Int64) throws -> Bool {
        let interval = settings.ends ? Self.endInterval : Self.checkInterval
        guard now - checked >= interval, connection.isConnected else { return false }
        checked = now
        let (stream, name) = (settings.server.stream, settings.durable)
        let found: NATSConsumer?
        do throws(NATSError) {
            found = try connection.consumer(name, of: stream)
        } catch {
            if error.kind == .closed { throw error }
            return false
        }
        guard let found else {
            intake.log.warning("the consumer '\(name)' of '\(stream)' was deleted")
            _ = try Self.consumer(settings, connection, intake.log)
            return false
        }
        figures.update { $0.pending = found.pending }
        return settings.ends && found.pending == 0 && found.unacknowledged == 0
            && deliveries.count == 0
    }

    private func reportProgress() {
        let unacknowledged = deliveries.count
        figures.update { $0.unacknowledged = unacknowledged }
        let values = figures.current
        let done = Int64(values.received)
        intake.progress(done: done, of: done + Int64(values.pending))
    }

    /// Waits for the sinks, and returns the messages that they do not have to the server.
    private func finish() {
        lane.close()
        let end = SteadyClock.microseconds + intake.drainTimeout.count
        while deliveries.count > 0, !connection.isClosed {
            deliveries.answer()
            let now = SteadyClock.microseconds
            if now >= end { break }
            deliveries.extend(now: now)
            control.wait(milliseconds: 5)
        }
        let returned = deliveries.end()
        if returned > 0 {
            intake.log.warning(
                "\(returned) messages were not confirmed by the sinks, and are delivered again"
            )
        }
        figures.update { $0.unacknowledged = returned }
        connection.flush()
        connection.close()
    }
}
