// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplinePlugin
internal import TaplineSegments

/// The records of queue entries as frames of a segment, in a buffer that is reused.
struct RecordFrames: ~Copyable {
    /// The capacity from which the buffer is not kept.
    private static let maxKeptBytes = 32 << 20

    private var writer = NDJSONWriter()
    private(set) var bytes: [UInt8] = []
    /// The bytes and records up to the end of each entry.
    private(set) var ends: [(bytes: Int, records: Int)] = []
    /// Each record's position in its batch and the range of its line; empty if it has none.
    private var lines: [(position: Int, line: Range<Int>)] = []

    /// Encodes records, instead of those encoded before.
    mutating func encode(_ entries: [QueueEntry]) {
        if bytes.capacity > Self.maxKeptBytes { bytes = [] }
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        for entry in entries {
            for position in entry.range {
                writer.removeAll()
                writer.write(entry.batch.records[position])
                lines.append((position, Self.append(writer, to: &bytes)))
            }
            ends.append((bytes.count, lines.count))
        }
        if writer.count > Self.maxKeptBytes { writer = NDJSONWriter() }
    }

    /// Appends the line in the writer, and returns its range without the line feed.
    private static func append(
        _ writer: borrowing NDJSONWriter,
        to bytes: inout [UInt8]
    ) -> Range<Int> {
        guard writer.count <= SegmentFormat.maxRecordBytes else {
            // Keeps its place; it is counted as unreadable if it has to be read.
            let placeholder: [1 of UInt8] = [0x0A]
            SegmentFormat.appendFrame(placeholder.span, to: &bytes)
            return bytes.count..<bytes.count
        }
        let start = bytes.count + SegmentFormat.frameHeaderBytes
        SegmentFormat.appendFrame(writer.bytes, to: &bytes)
        return start..<bytes.count - 1
    }

    /// Gives the encoded records their lines, and begins a new buffer.
    mutating func keepLines(of entries: [QueueEntry], _ budget: MemoryBudget) {
        let size = bytes.count
        budget.take(size)
        let kept = RecordLines(exchange(&bytes, with: [])) { budget.give($0) }
        bytes.reserveCapacity(size)
        var first = 0
        for entry in entries {
            let end = first + entry.range.count
            entry.batch.keep(kept, at: lines[first..<end])
            first = end
        }
    }
}
