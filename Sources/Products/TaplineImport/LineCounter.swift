// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// Finds line and column of places in a file, mostly in the order of the file: the bytes between
/// two places are read once, however long a line is.
struct LineCounter {
    /// The place that was found last, with its line and column.
    private var place = 0
    private var line = 1
    private var column = 1

    /// Adds line and column to an error that has a byte.
    mutating func located(_ error: RecordError, _ bytes: [UInt8]) -> RecordError {
        move(to: min(max(error.byte, 0), bytes.count), bytes.span)
        var error = error
        error.line = line
        error.column = column
        return error
    }

    private mutating func move(to end: Int, _ bytes: Span<UInt8>) {
        if end < place { self = LineCounter() }
        for index in place..<end {
            let byte = bytes[index]
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        place = end
    }
}
