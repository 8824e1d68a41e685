// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem

/// What a crash may leave at the end of a file: a line without its line feed, or zero bytes that a
/// file system added after a power failure.
enum UnfinishedLine {
    /// Removes an unfinished last line; returns the size of the file after that.
    ///
    /// **Throws**: `NDJSONError` if the file does not look like records: files of other programs
    /// are never truncated.
    static func repair(_ file: borrowing File, size: Int, log: (String) -> Void) throws -> Int {
        guard size > 0 else { return 0 }
        guard try byte(0, of: file) == .ascii("{") else {
            // After a power failure a new file may contain only zeros.
            guard try isZeros(file, 0..<size) else {
                throw NDJSONError("cannot append to '\(file.path)'; it does not contain records")
            }
            return try cut(file, from: size, to: 0, log: log)
        }
        let end = try lineEnd(file, size)
        guard end < size else { return size }
        let first = try byte(end, of: file)
        guard first == .ascii("{") || first == 0 else {
            throw NDJSONError("cannot append to '\(file.path)'; its last line is not a record")
        }
        return try cut(file, from: size, to: end, log: log)
    }

    private static func cut(
        _ file: borrowing File,
        from size: Int,
        to end: Int,
        log: (String) -> Void
    ) throws -> Int {
        try file.truncate(to: end)
        log("removed an unfinished line of \(size - end) bytes from '\(file.path)'")
        return end
    }

    /// The offset after the last line feed.
    private static func lineEnd(_ file: borrowing File, _ size: Int) throws -> Int {
        var end = size
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while end > 0 {
            let start = max(0, end - chunk.count)
            var space = chunk.mutableSpan
            let count = min(try file.read(into: &space, at: start), end - start)
            if let line = chunk.span.extracting(0..<count).lastIndex(of: .ascii("\n")) {
                return start + line + 1
            }
            end = start
        }
        return 0
    }

    private static func byte(_ offset: Int, of file: borrowing File) throws -> UInt8? {
        var bytes: [UInt8] = [0]
        var space = bytes.mutableSpan
        return try file.read(into: &space, at: offset) == 1 ? bytes[0] : nil
    }

    private static func isZeros(_ file: borrowing File, _ range: Range<Int>) throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var start = range.lowerBound
        while start < range.upperBound {
            var space = chunk.mutableSpan
            let count = try file.read(into: &space, at: start)
            if count == 0 || chunk[..<count].contains(where: { $0 != 0 }) { return count == 0 }
            start += count
        }
        return true
    }
}
