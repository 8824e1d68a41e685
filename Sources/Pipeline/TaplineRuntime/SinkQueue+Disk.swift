// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineSegments
internal import TaplineSystem

// MARK: - The queue on disk

extension SinkQueue {
    /// Opens the queue on disk, if there is one and it is not open.
    ///
    /// - Parameter left: The number of records that a sink which a reload has replaced left in it;
    ///   `nil` if there is no such sink.
    /// - Throws: `SegmentError` if it cannot be used.
    func openDisk(left: Int? = nil) throws(SegmentError) {
        guard let disk, machine.withLock({ $0.disk == nil }) else { return }
        let found = try disk.open()
        if found.cutBytes > 0 {
            log.warning(
                "an incomplete record was cut off the queue '\(disk.path)': "
                    + Counted.text(found.cutBytes, "byte")
            )
        }
        if found.isPositionLost {
            log.warning(
                "the queue '\(disk.path)' does not know what was written; all of its records are "
                    + "written again"
            )
        }
        if found.count > 0 {
            let origin = left == nil ? "an earlier run" : "the sink before the reload"
            log.info(
                "\(Counted.text(found.count, "record")) of \(origin) are in the queue "
                    + "'\(disk.path)' and are written first"
            )
        }
        carryOut(machine.withLock { $0.diskOpened(next: found.next, end: found.end, left: left) })
    }

    /// Whether records are on their way to the queue on disk.
    var isWritingToDisk: Bool { machine.withLock { $0.isWritingToDisk } }

    /// Writes staged records to disk until none are left.
    func move(to disk: RecordLog) {
        while let entries = machine.withLock({ $0.takeStaged() }) {
            do throws(SegmentError) {
                let ends = try append(entries, to: disk)
                // Read before, since it waits for other calls of the log.
                let bytes = disk.bytes
                report { machine, _ in machine.diskWrote(ends, bytes: bytes) }
            } catch {
                if case .file(let failure) = error, failure.isFull {
                    report { machine, now in machine.diskWasFull("\(error)", now: now) }
                } else {
                    report { machine, now in machine.diskFailed("\(error)", now: now) }
                }
            }
        }
    }

    /// Appends records; if `overflow` says so, the oldest make room for them.
    private func append(
        _ entries: [QueueEntry],
        to disk: RecordLog
    ) throws(SegmentError) -> [SegmentPosition] {
        let drops = machine.withLock { $0.dropsOldest }
        // On a full disk, fewer records are tried first.
        let isOne = entries.reduce(0) { $0 + $1.range.count } == 1
        return try QueueRoom.append(onFullDisk: isOne) { () throws(SegmentError) in
            try disk.append(entries)
        } droppingOldest: {
            guard drops, disk.bytes > 0 else { return false }
            let start = disk.dropOldest()
            report { machine, _ in machine.diskDropped(until: start) }
            return true
        }
    }

    /// Notes on disk which records the sink has, on the sink's thread.
    func commit(_ position: SegmentPosition) {
        guard let disk else { return }
        do {
            try disk.commit(position)
        } catch {
            log.error("cannot note what is written; it may be written again: \(error)")
        }
        let bytes = disk.bytes
        report { machine, _ in machine.diskCommitted(bytes: bytes) }
    }

    /// Logs a notice about the queue on disk.
    func sayDisk(_ notice: SinkQueueStateMachine.Notice) {
        let path = disk?.path ?? ""
        switch notice {
        case .diskFull(let reason):
            log.error("no room in the queue '\(path)', trying again: \(reason)")
        case .diskUnreadable(let records, let reason):
            log.error("\(Counted.text(records, "record")) lost in the queue '\(path)': \(reason)")
        case .diskReadFailing(let reason):
            let what = disk == nil ? "the spill" : "the queue '\(path)'"
            log.error("\(what) cannot be read, trying again: \(reason)")
        case .writingAgain(let records):
            let origin = disk == nil ? "" : " from the queue '\(path)'"
            log.warning(
                "opened again after a failed flush; \(Counted.text(records, "record"))\(origin) "
                    + "are written again"
            )
        case .deadLetters(let count, let reason):
            log.warning("\(Self.refused(count)), each set aside: \(reason)")
        default: break
        }
    }
}

/// Makes room for new records in place of the oldest.
enum QueueRoom {
    /// Appends, and removes the oldest records as long as that can make room.
    ///
    /// At the limit of the queue, the oldest are removed until the new ones fit. If the disk is
    /// full, other programs may take what is freed, so only one part is removed for each call.
    ///
    /// - Parameters:
    ///   - dropsOnFullDisk: Whether it is removed then, too.
    ///   - append: Appends all records, or none.
    ///   - dropOldest: Removes the oldest segment; returns whether there was one.
    /// - Returns: The result of `append`.
    /// - Throws: The last error of `append`.
    static func append<Result>(
        onFullDisk dropsOnFullDisk: Bool,
        _ append: () throws(SegmentError) -> Result,
        droppingOldest dropOldest: () -> Bool
    ) throws(SegmentError) -> Result {
        while true {
            do throws(SegmentError) {
                return try append()
            } catch {
                switch error {
                case .limit: guard dropOldest() else { throw error }
                case .file(let failure):
                    guard failure.isFull, dropsOnFullDisk, dropOldest() else { throw error }
                    return try append()
                case .inUse, .version: throw error
                }
            }
        }
    }
}
