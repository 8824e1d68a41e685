// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

extension SinkQueue {
    /// Logs a notice.
    func say(_ notice: SinkQueueStateMachine.Notice) {
        switch notice {
        case .failing(let reason): log.warning("write failed, trying again: \(reason)")
        case .hanging:
            log.warning("a call has not returned for 5 s; sources no longer wait for this sink")
        case .degraded(let reason?):
            log.error("degraded, the sink has failed for longer than retry.max_elapsed: \(reason)")
        case .degraded(nil):
            log.error("degraded, a call has not returned for longer than retry.max_elapsed")
        case .recovered: log.info("recovered")
        case .readerGone(let reason): log.info("ended: \(reason)")
        case .refused(let count, let reason):
            log.error("\(Self.refused(count)): \(reason)")
        case .notesOutdated(let reason):
            log.warning("cannot note unfinished exchanges, trying again: \(reason)")
        case .callFailed(let what): log.error("cannot \(what)")
        case .lost(let count): log.error("\(Counted.text(count, "record")) not written, lost")
        case .diskFull, .diskUnreadable, .diskReadFailing, .writingAgain, .deadLetters:
            sayDisk(notice)
        default: saySpill(notice)
        }
    }

    private func saySpill(_ notice: SinkQueueStateMachine.Notice) {
        switch notice {
        case .spilling(let records, let bytes):
            log.warning(
                "records spill to '\(spill.folder)' until the sink accepts them: "
                    + SinkQueue.amount(records, bytes)
            )
        case .stillSpilling(let records, let bytes):
            log.warning("the spill holds \(SinkQueue.amount(records, bytes))")
        case .spillEmpty(let records):
            log.info("the spill is empty again; \(Counted.text(records, "record")) went through it")
        case .spillFull(let reason):
            log.error("no room to spill, the newest records are dropped: \(reason)")
        case .spillUnreadable(let records, let reason):
            log.error("\(Counted.text(records, "record")) lost in the spill: \(reason)")
        default: break
        }
    }

    /// `1 record refused`, and later `4 records refused so far`.
    static func refused(_ count: Int) -> String {
        "\(Counted.text(count, "record")) refused" + (count == 1 ? "" : " so far")
    }

    /// `1200 records, 3 MiB`.
    private static func amount(_ records: Int, _ bytes: Int) -> String {
        "\(Counted.text(records, "record")), \((bytes + (1 << 20) - 1) >> 20) MiB"
    }
}
