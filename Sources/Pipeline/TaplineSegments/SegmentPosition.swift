// SPDX-License-Identifier: MIT

/// A position between two records of a log.
package struct SegmentPosition: Sendable, Equatable {
    /// The largest number of a record that is accepted in names and positions.
    ///
    /// A log never gets that far, and counting on from a larger one would overflow.
    static let maxRecord: UInt64 = 1 << 62

    /// The number of the first record of the segment, which is the segment's name.
    package let segment: UInt64
    /// The offset in the segment.
    package let offset: Int
    /// The number of the record that follows.
    package let record: UInt64

    package init(segment: UInt64, offset: Int, record: UInt64) {
        self.segment = segment
        self.offset = offset
        self.record = record
    }

    /// The position of the first record of a segment.
    package init(startOf segment: UInt64) {
        self.init(segment: segment, offset: SegmentFormat.headerBytes, record: segment)
    }
}

/// The read position of a log, as a line of text.
///
/// ```
/// tapline-queue 1 SEGMENT OFFSET RECORD
/// ```
enum SegmentPositionText {
    /// The longest line.
    static let maxBytes = 128

    static func text(_ position: SegmentPosition) -> String {
        "tapline-queue 1 \(position.segment) \(position.offset) \(position.record)\n"
    }

    /// Returns the position; `nil` if the text is none.
    static func position(_ text: String) -> SegmentPosition? {
        guard text.hasSuffix("\n") else { return nil }
        let words = text.dropLast().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 5, words[0] == "tapline-queue", words[1] == "1",
            let segment = UInt64(words[2]), let offset = Int(words[3]),
            let record = UInt64(words[4]),
            offset >= SegmentFormat.headerBytes, record >= segment,
            record <= SegmentPosition.maxRecord
        else { return nil }
        return SegmentPosition(segment: segment, offset: offset, record: record)
    }
}
