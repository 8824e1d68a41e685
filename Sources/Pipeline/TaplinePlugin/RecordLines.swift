// SPDX-License-Identifier: MIT

/// The lines of NDJSON of several records, encoded once for a queue on disk and its sink.
package final class RecordLines: Sendable {
    fileprivate let bytes: [UInt8]
    private let released: @Sendable (Int) -> Void

    /// Takes the lines, and calls `released` with the size of their memory when the last record has
    /// dropped its line.
    package init(_ bytes: consuming [UInt8], released: @escaping @Sendable (Int) -> Void) {
        self.bytes = bytes
        self.released = released
    }

    deinit { released(bytes.count) }
}

/// The line of a record among those of others.
package struct RecordLine: Sendable {
    private let lines: RecordLines
    private let range: Range<Int>

    /// Creates the line at a range of `lines`, without its line feed.
    ///
    /// Returns `nil` if the range is not within them.
    package init?(_ lines: RecordLines, _ range: Range<Int>) {
        guard lines.bytes.indices.contains(range) else { return nil }
        self.lines = lines
        self.range = range
    }

    /// The line, without its line feed.
    package var bytes: ArraySlice<UInt8> { lines.bytes[range] }
}
