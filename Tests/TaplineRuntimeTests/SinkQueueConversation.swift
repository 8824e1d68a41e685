// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineSegments
import TaplineTesting
import Testing

@testable import TaplineRuntime

/// An event of a sink's queue in a test's notation.
enum QueueEvent {
    case submit(Int, live: Bool = false)
    /// The source waits until the sink is done with the records.
    case submitAwaited(Int)
    case opened, ended
    case close, leave, flush, reopen, abandon, notOpened
    /// The sink's thread asks for its next step.
    case next
    case selected(Int)
    case wrote(duplicates: Int = 0, rejected: Int = 0)
    case writeFailed(SinkError.Kind)
    case noted, noteFailed, flushed, flushFailed, reopened, reopenFailed
    /// A timer fires.
    case looked
    /// The spill thread asks for records, has moved them, or has failed to.
    case takeStaged
    case spilled(bytes: Int = 1000)
    case spillFailed
    /// The numbers of records that came back from the spill and that were lost there.
    case readBack(Int, lost: Int = 0)
    /// The thread of a queue on disk has written what it took.
    case diskWrote
    /// This number of records came back from the queue on disk.
    case diskRead(Int)
    /// The disk cannot be read now.
    case readFailed
    /// The oldest records were removed from disk, this number of them.
    case diskDropped(Int)
    /// The sink was closed and opened again, or could not be opened.
    case restarted, restartFailed
    /// The refused record is in the file for dead letters, or could not be written there.
    case setAside, setAsideFailed
    /// The timer of a failure to write to disk fires.
    case diskPauseEnded
}

/// Sends events to a queue's state machine and describes its answers.
struct SinkQueueConversation: ~Copyable {
    var machine: SinkQueueStateMachine
    /// The time, in milliseconds.
    var milliseconds: Int64 = 0

    init(
        maxExchanges: Int = 20,
        overflow: QueueOptions.Overflow = .block,
        spillMaxBytes: Int = 1 << 20,
        batchLimit: Int = 10,
        delayMilliseconds: Int64 = 50,
        disk: String? = nil,
        deadLetters: String? = nil
    ) {
        var options = QueueOptions(
            maxExchanges: maxExchanges,
            overflow: overflow,
            spillMaxBytes: spillMaxBytes
        )
        options.disk = disk
        options.deadLetters = deadLetters
        machine = SinkQueueStateMachine(
            options,
            RetryOptions(),
            batchLimit: batchLimit,
            batchDelay: Microseconds(delayMilliseconds * 1000)
        )
    }

    /// Creates a conversation with a queue on disk that is open and empty.
    static func onDisk(
        _ overflow: QueueOptions.Overflow = .block,
        deadLetters: String? = nil
    ) -> SinkQueueConversation {
        var talk =
            SinkQueueConversation(overflow: overflow, disk: "queue", deadLetters: deadLetters)
        _ = talk.machine.diskOpened(next: position(0), end: position(0))
        return talk
    }

    private static func position(_ record: UInt64) -> SegmentPosition {
        SegmentPosition(segment: 0, offset: 16 + 10 * Int(record), record: record)
    }

    private var now: Int64 { milliseconds * 1000 }

    /// Applies an event and returns the description of its effects.
    mutating func callAsFunction(_ event: QueueEvent) -> String {
        switch event {
        case .submit(let count, let isLive): return submit(batch(count), isLive: isLive)
        case .submitAwaited(let count): return submit(awaitedBatch(count), isLive: false)
        case .opened: return Self.text("", machine.opened(ActiveExchange(.example())))
        case .ended: return Self.text("", machine.ended([ExchangeID(high: 1, low: 2)]))
        case .close: return Self.text("", machine.closed())
        case .leave: return Self.text("", machine.leaveRequested())
        case .flush: return Self.text("", machine.flushRequested {})
        case .reopen: return Self.text("", machine.reopenRequested())
        case .abandon: return Self.text("", machine.abandoned())
        case .notOpened: return Self.text("", machine.notOpened())
        case .looked: return Self.text("", machine.looked(now: now))
        case .next, .selected, .wrote, .writeFailed, .noted, .noteFailed, .flushed, .flushFailed,
            .reopened, .reopenFailed, .restarted, .restartFailed, .setAside, .setAsideFailed:
            return thread(event)
        case .diskWrote, .diskRead, .diskDropped, .readFailed: return disk(event)
        case .diskPauseEnded: return Self.text("", machine.diskPauseEnded(now: now))
        case .takeStaged:
            guard let entries = machine.takeStaged() else { return "nothing to move" }
            return "move \(entries.reduce(0) { $0 + $1.range.count })"
        case .spilled(let bytes): return Self.text("", machine.spilled(bytes: bytes, now: now))
        case .spillFailed: return Self.text("", machine.spillFailed("disk full", now: now))
        case .readBack(let count, let lost):
            let records = count == 0 ? nil : batch(count)
            return Self.text("", machine.readBack(records, lost: lost, "torn", bytes: 500))
        }
    }

    private mutating func submit(_ batch: RecordBatch, isLive: Bool) -> String {
        let ready: @Sendable () -> Void = {}
        let (result, effects) = machine.submitted(batch, isLive: isLive, now: now, ready: ready)
        return Self.text(result == .open ? "" : "\(result)", effects)
    }

    private func awaitedBatch(_ count: Int) -> RecordBatch {
        RecordBatch(
            records(count),
            memory: 0,
            budget: MemoryBudget(limit: 1 << 30),
            acknowledgement: BatchAcknowledgement(sinks: 1) {}
        )
    }

    /// Applies an event of the disk.
    private mutating func disk(_ event: QueueEvent) -> String {
        let end = machine.disk?.end.record ?? 0
        switch event {
        case .diskWrote:
            var last = end
            let ends = machine.contents.moving.map { entry in
                last += UInt64(entry.range.count)
                return Self.position(last)
            }
            return Self.text("", machine.diskWrote(ends, bytes: 1000))
        case .diskRead(let count):
            let next = machine.disk.map { $0.next.record + UInt64(count) } ?? 0
            let read = count == 0 ? nil : batch(count)
            return Self.text(
                "",
                machine.diskRead(read, end: Self.position(next), lost: 0, "")
            )
        case .diskDropped(let count):
            let start = min((machine.disk?.first.record ?? 0) + UInt64(count), end)
            return Self.text("", machine.diskDropped(until: Self.position(start)))
        default: return Self.text("", machine.readFailed("no descriptors", now: now))
        }
    }

    /// Applies an event of the sink's thread.
    private mutating func thread(_ event: QueueEvent) -> String {
        switch event {
        case .next:
            guard let (step, effects) = machine.next(now: now) else { return "cannot happen" }
            return Self.text(text(of: step), effects)
        case .selected(let count): return Self.text("", machine.selected(count))
        case .wrote(let duplicates, let rejected):
            return Self.text("", machine.wrote(duplicates: duplicates, rejected: rejected))
        case .writeFailed(let kind):
            return Self.text("", machine.writeFailed(SinkError(kind, "locked"), now: now))
        case .noted: return Self.text("", machine.noted(failure: nil))
        case .noteFailed: return Self.text("", machine.noted(failure: "locked"))
        case .flushed: return Self.text("", machine.flushed(failure: nil, now: now))
        case .flushFailed: return Self.text("", machine.flushed(failure: "flush: locked", now: now))
        case .reopened: return Self.text("", machine.reopened(failure: nil))
        case .restarted: return Self.text("", machine.restarted(failure: nil, now: now))
        case .restartFailed:
            return Self.text("", machine.restarted(failure: "open: locked", now: now))
        case .setAside: return Self.text("", machine.wroteDeadLetter(failure: nil, now: now))
        case .setAsideFailed:
            return Self.text("", machine.wroteDeadLetter(failure: "disk full", now: now))
        default: return Self.text("", machine.reopened(failure: "open: locked"))
        }
    }

    /// The description of a step.
    private func text(of step: SinkQueueStateMachine.Step) -> String {
        switch step {
        case .select(let entries): "select \(entries.reduce(0) { $0 + $1.range.count })"
        case .write(let piece): "write \(piece.lowerBound)..<\(piece.upperBound)"
        case .note(let opened, let ended): "note \(opened.count) opened, \(ended.count) ended"
        case .flush: "flush sink"
        case .reopen: "reopen sink"
        case .restart: "close and open sink"
        case .readBack(let count): "read back up to \(count)"
        case .readDisk(let count, let start, _): "read up to \(count) from \(start.record)"
        case .deadLetter(let position, let reason): "set \(position) aside: \(reason)"
        case .sleep(nil): "sleep"
        case .sleep(let end?): "sleep until \(end / 1000)"
        case .end(let repeatsNotes): repeatsNotes ? "note again, end" : "end"
        }
    }

    /// The description of a result and its effects; `-` if there are none.
    private static func text(
        _ answer: String,
        _ effects: SinkQueueStateMachine.Effects?
    ) -> String {
        guard let effects else { return "cannot happen" }
        var words = answer.isEmpty ? [] : [answer]
        if effects.wakes { words.append("wake") }
        if effects.spills { words.append("start moving") }
        if let position = effects.commits { words.append("commit \(position.record)") }
        if let time = effects.watchAt { words.append("look at \(time / 1000)") }
        if let time = effects.retryDiskAt { words.append("try the disk at \(time / 1000)") }
        if !effects.released.isEmpty { words.append("release \(effects.released.count)") }
        if !effects.callbacks.isEmpty { words.append("call \(effects.callbacks.count) back") }
        words += effects.notices.map { "log \($0)" }
        return words.isEmpty ? "-" : words.joined(separator: "; ")
    }

    /// The description of the machine's state.
    var state: String {
        var words: [String] = []
        switch machine.phase {
        case .ready: words.append(machine.pacer.isAsleep ? "asleep" : "ready")
        case .selecting(let count): words.append("selecting \(count)")
        case .holding(let batch, let start):
            words.append("holding \(batch.count)" + (start > 0 ? " until \(start / 1000)" : ""))
        case .calling(.write(let batch), _): words.append("writing \(batch.count)")
        case .calling(.note, _): words.append("noting")
        case .calling(.flush, _): words.append("flushing")
        case .calling(.deadLetter, _): words.append("setting aside")
        case .calling(.reopen, _): words.append("reopening")
        case .calling(.restart, _): words.append("opening again")
        case .restarting(let start): words.append("closed until \(start / 1000)")
        case .reading: words.append("reading")
        case .ended: words.append("ended")
        }
        switch machine.health {
        case .well: break
        case .failing(let failureState): words.append(failureState.isHang ? "hanging" : "failing")
        case .degraded: words.append("degraded")
        }
        switch machine.lifecycle {
        case .open: break
        case .closing: words.append("closing")
        case .leaving: words.append("leaving")
        case .finished: words.append("finished")
        case .readerGone: words.append("reader gone")
        case .handedOver: words.append("handed over")
        case .abandoned: words.append("abandoned")
        }
        let contents = machine.contents
        if contents.front.count > 0 { words.append("\(contents.front.count) queued") }
        if contents.stored > 0 { words.append("\(contents.stored) stored") }
        if contents.movingCount > 0 { words.append("\(contents.movingCount) moving") }
        if contents.staged.count > 0 { words.append("\(contents.staged.count) staged") }
        if case .full = machine.spill { words.append("spill full") }
        if case .failing = machine.access { words.append("unreadable") }
        if contents.unflushed.count > 0 { words.append("\(contents.unflushed.count) unflushed") }
        if case .failed = machine.durability { words.append("flush failed") }
        return words.joined(separator: ", ")
    }
}
