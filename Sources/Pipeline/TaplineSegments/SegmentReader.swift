// SPDX-License-Identifier: MIT

internal import TaplineBytes
package import TaplineSystem

/// Reads the records of a log in order, each part of a segment once.
///
/// Damage is skipped up to the next valid record, or to the end of the segment if none follows.
/// Records that are skipped are counted: damage as one, and what is missing at the end of the
/// segment. A file that cannot be read now is not damaged: the read ends before it.
///
/// **Isolation**: one thread at a time; the log may grow meanwhile.
package struct SegmentReader: ~Copyable {
    /// What was read.
    package struct Result: Sendable {
        /// The position after the records that were read or skipped.
        package var end: SegmentPosition
        /// The number of records that were skipped.
        package var lost = 0
        /// Why the last of them was.
        package var reason = ""
        /// Why the record at `end` could not be read; it is still there.
        package var failure: FileError?
    }

    /// The number of bytes that are read at a time, unless a record is longer.
    package static let readBytes = SegmentWindow.readBytes

    private let log: SegmentLog
    private var window: SegmentWindow?
    private var segment: UInt64 = 0

    package init(_ log: SegmentLog) { self.log = log }

    /// Reads records.
    ///
    /// - Parameters:
    ///   - start: The position of the first one.
    ///   - limit: The maximum number of records.
    ///   - end: The end of the log.
    ///   - receive: Called with each record.
    /// - Returns: How far it came: to `limit`, to the end, past about `readBytes`, or to a failure.
    package mutating func read(
        from start: SegmentPosition,
        upTo limit: Int,
        end: SegmentPosition,
        _ receive: (Span<UInt8>) -> Void
    ) -> Result {
        var result = Result(end: start)
        var taken = 0
        var read = 0
        while taken < limit, read < SegmentWindow.readBytes, result.end.record < end.record {
            let position = result.end
            let next = log.segment(after: position.segment)
            if let next, position.record >= next {
                result.end = SegmentPosition(startOf: next)
                continue
            }
            do throws(FileError) {
                let window = try window(of: position.segment)
                switch try window.next(at: position.offset) {
                case .record(let range, let end):
                    let bytes = window.bytes
                    receive(bytes.span.extracting(range))
                    read += range.count
                    taken += 1
                    result.end = position.advanced(to: end)
                case .damaged(let end):
                    skip(1, of: position, "is damaged", &result)
                    result.end = position.advanced(to: end)
                case .end, .torn:
                    skipRest(position, next, end, "is damaged or incomplete", &result)
                }
            } catch {
                self.window = nil
                // Only a file that is gone has lost its records; others can be read later, for
                // example when the process has descriptors again.
                guard error.isMissing else {
                    result.failure = error
                    return result
                }
                skipRest(position, next, end, "cannot be read: \(error.reason)", &result)
            }
        }
        return result
    }

    /// Closes the segment that is open if it was removed, so that its space is freed.
    package mutating func closeRemoved() {
        if window != nil, !log.holds(segment) { window = nil }
    }

    /// Opens a segment, unless it is open.
    private mutating func window(of segment: UInt64) throws(FileError) -> SegmentWindow {
        if let window, self.segment == segment { return window }
        let opened = try log.window(of: segment)
        window = opened
        self.segment = segment
        return opened
    }

    private func skip(
        _ count: Int,
        of position: SegmentPosition,
        _ reason: String,
        _ result: inout Result
    ) {
        result.lost += count
        result.reason = "'\(log.name(of: position.segment))' \(reason)"
    }

    /// Skips the rest of a segment.
    private func skipRest(
        _ position: SegmentPosition,
        _ next: UInt64?,
        _ end: SegmentPosition,
        _ reason: String,
        _ result: inout Result
    ) {
        let target = next.map { SegmentPosition(startOf: $0) } ?? end
        skip(Int(clamping: target.record - position.record), of: position, reason, &result)
        result.end = target
    }
}

extension SegmentPosition {
    /// The position after the next record, which ends at an offset.
    fileprivate func advanced(to offset: Int) -> SegmentPosition {
        SegmentPosition(segment: segment, offset: offset, record: record &+ 1)
    }
}
