// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin

/// One thread of a replay: parses raw records and passes them through its lane.
struct ReplayWorker: ~Copyable {
    private let lane: any Lane
    private let source: String
    private let log: Log
    private let control: ReplayControl
    private let broken: BrokenRecords
    private let room: CapacitySignal
    private var parser: RecordParser
    private let stores: (any RecordedStores)?
    private let maxRecordBytes: Int
    /// Reads databases; created with the first of them.
    private var reader: (any RecordedReader)?
    private let present = PresentExchange()
    private var ids: RecordIDs
    private var timing: ReplayTiming?
    private var hasCut = false

    init(
        _ settings: ReplaySettings,
        _ intake: any Intake,
        _ control: ReplayControl,
        _ broken: BrokenRecords,
        clock: ReplayClock
    ) throws {
        lane = try intake.makeLane()
        source = intake.id
        log = intake.log
        self.control = control
        self.broken = broken
        room = CapacitySignal(control)
        ids = RecordIDs(settings.ids)
        parser = RecordParser(maxExtraBytes: settings.maxExtraBytes)
        stores = settings.stores
        maxRecordBytes = settings.maxRecordBytes
        if case .times(let factor) = settings.speed {
            let pace = Pace(factor: factor, maxGap: settings.maxGap)
            timing = ReplayTiming(pace, clock)
        }
    }

    /// The place where the thread waits.
    var place: Parker { room.place }

    /// Closes the lane.
    func close() { lane.close() }

    /// Passes on the records of a chunk; a broken record ends the run or is counted.
    mutating func process(_ chunk: borrowing Chunk) {
        timing?.begin(pass: chunk.pass)
        for index in 0..<chunk.count {
            if control.isOver(chunk.number) { return }
            do {
                let position = chunk.first + index
                switch chunk.content {
                case .records(let records):
                    let byte = chunk.base.map { $0 + records.place(at: index).byte }
                    try pass(index, of: records, position: byte ?? position, pass: chunk.pass)
                case .keys(let keys, of: let stores):
                    let key = keys[index]
                    try pass(key, in: stores[key.store], position: position, pass: chunk.pass)
                }
            } catch {
                let located = Self.located(error, from: chunk.base)
                if !broken.mayGoOn(after: located) {
                    control.fail(located, in: chunk.number)
                    return
                }
            }
        }
    }

    /// Returns an error with its byte in the file; the line is unknown if reading did not begin at
    /// the start.
    private static func located(_ error: any Error, from base: Int?) -> any Error {
        guard let base, base > 0, var located = error as? RecordError else { return error }
        located.byte += base
        located.line = 0
        return located
    }

    private mutating func pass(
        _ index: Int,
        of records: borrowing RawRecords,
        position: Int,
        pass: Int
    ) throws(RecordError) {
        let present = present
        do throws(RecordError) {
            try parser.parse(index, of: records, into: &present.held.exchange)
        } catch {
            present.forget()
            throw error
        }
        ids.identify(
            &present.held.exchange,
            records.bytes(at: index),
            position: position,
            pass: pass
        )
        send(present)
    }

    private mutating func pass(
        _ key: RecordedKey,
        in store: RecordedStore,
        position: Int,
        pass: Int
    ) throws {
        if reader == nil { reader = stores?.makeReader(maxBytes: maxRecordBytes) }
        guard let found = try reader?.exchange(key, in: store) else {
            let id = key.id.map { "exchange \($0)" } ?? "row \(key.number)"
            broken.noteIncomplete("'\(store.path)': \(id) was removed while the recording was read")
            return
        }
        if let warning = found.warning { broken.noteIncomplete(warning) }
        present.held.exchange = found.exchange
        // The id stands for the content, which has no bytes of its own.
        let bytes = found.exchange.id.bytes
        ids.identify(&present.held.exchange, bytes.span, position: position, pass: pass)
        send(present)
    }

    /// Submits finished records, and waits until there is room again.
    func submit(ticket: UInt64?, acknowledged: (@Sendable () -> Void)? = nil) {
        let room = room
        room.shut()
        let ready: @Sendable () -> Void = { room.open() }
        let result: SubmitResult
        if let acknowledged, let lane = lane as? any AcknowledgingLane {
            result = lane.submit(ticket: ticket, acknowledged: acknowledged, ready: ready)
        } else {
            result = lane.submit(ticket: ticket, ready: ready)
        }
        switch result {
        case .open: break
        case .paused: room.wait()
        case .closed: control.stop()
        }
    }
}

// MARK: - One exchange

extension ReplayWorker {
    /// Passes the exchange through all hooks, as a live exchange is.
    private mutating func send(_ present: PresentExchange) {
        guard waitForTurn(present.held.exchange.started) else { return present.forget() }
        let recorded = present.held.exchange.source
        if !recorded.isEmpty { present.held.exchange.tags["recorded_source"] = recorded }
        present.held.exchange.source = source
        if lane.admits(present.held.exchange, &present.held.context) {
            let wire = lane.passWire(&present.held.exchange, &present.held.context) { wait($0) }
            if wire.delay.count > 0 {
                present.held.exchange.tags["tapline.delay"] = "\(wire.delay.milliseconds)ms"
            }
        }
        let lane = lane
        present.held.take { exchange, context in
            _ = lane.finish(consume exchange, consume context)
        }
    }
}

// MARK: - Time

extension ReplayWorker {
    /// Waits until a record is due; returns whether it is still wanted then.
    private mutating func waitForTurn(_ started: Timestamp) -> Bool {
        guard let (due, isCut) = timing?.due(started) else { return true }
        if isCut, !hasCut {
            hasCut = true
            log.info("a pause in the recording is longer than 'max_gap' and is cut")
        }
        return wait(until: due)
    }

    /// Waits for the delay that a hook requested, unless the speed is `max`.
    private mutating func wait(_ delay: Microseconds) {
        guard let now = timing?.now else { return }
        _ = wait(until: now + delay.count)
    }

    /// Submits finished records, then waits until a time; returns whether the run continues.
    private mutating func wait(until due: Int64) -> Bool {
        guard let timing else { return true }
        if due > timing.now || timing.isSubmissionDue {
            submit(ticket: nil)
            self.timing?.noteSubmission()
        }
        return timing.wait(until: due, at: place, control)
    }
}

/// The exchange that a worker passes on now; empty between exchanges.
///
/// One object is reused for all of them, since an exchange is large.
private final class PresentExchange {
    let held = ExchangeBox(Exchange(id: ExchangeID(high: 0, low: 0)))

    /// Discards the exchange without a record.
    func forget() { held.take { _, _ in } }
}
