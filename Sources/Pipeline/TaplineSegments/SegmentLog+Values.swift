// SPDX-License-Identifier: MIT

extension SegmentLog {
    /// The limits of a log.
    package struct Limits: Sendable, Equatable {
        /// The most bytes of all segments.
        package var maxBytes: Int
        /// The length of a segment after which the next record begins another one.
        ///
        /// A quarter of `maxBytes` if that is less, so that a full log is freed in parts.
        package var segmentBytes: Int
        /// Whether records are synced before `append` returns.
        package var syncs: Bool

        package init(maxBytes: Int = 1 << 30, segmentBytes: Int = 8 << 20, syncs: Bool = true) {
            self.maxBytes = maxBytes
            self.segmentBytes = min(segmentBytes, maxBytes / 4)
            self.syncs = syncs
        }
    }

    /// What was found when a log was opened.
    package struct Opened: Sendable {
        /// The position of the first record that has not been read.
        package var next = SegmentPosition(startOf: 0)
        /// The position after the last record.
        package var end = SegmentPosition(startOf: 0)
        /// The bytes of an incomplete append that were cut off.
        package var cutBytes = 0
        /// Whether the read position was missing although there are segments.
        package var isPositionLost = false

        /// The number of records that have not been read.
        package var count: Int { Int(clamping: end.record - next.record) }
    }
}
