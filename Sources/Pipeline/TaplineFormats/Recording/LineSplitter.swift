// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Splits NDJSON into lines, for any division into chunks.
///
/// Blank lines are skipped. A line that exceeds the limit is dropped as it arrives, and an error
/// takes its place.
struct LineSplitter {
    let maxRecordBytes: Int
    /// The bytes of the unfinished line so far.
    private var part: [UInt8] = []
    private var isDropping = false
    private var line = 1
    /// The position at which the line begins.
    private var lineStart = 0

    init(maxRecordBytes: Int) { self.maxRecordBytes = maxRecordBytes }

    mutating func append(_ chunk: Span<UInt8>, to records: inout RawRecords) {
        var start = 0
        while let end = chunk.firstIndex(of: 0x0A, inLongTextFrom: start) {
            let length = part.count + end - start
            if isDropping || length > maxRecordBytes {
                if !isDropping { records.append(tooLarge) }
                isDropping = false
                lineStart += end - start
                lineStart += part.count
            } else {
                place(chunk.extracting(start..<end), in: &records)
                lineStart += length
            }
            part.removeAll(keepingCapacity: part.capacity <= 1 << 20)
            lineStart += 1
            line += 1
            start = end + 1
        }
        let rest = chunk.extracting(start..<chunk.count)
        if isDropping {
            lineStart += rest.count
        } else if part.count + rest.count > maxRecordBytes {
            records.append(tooLarge)
            lineStart += part.count + rest.count
            part = []
            isDropping = true
        } else {
            part.append(copying: rest)
        }
    }

    /// Ends the input: the remaining bytes are a record without a line end.
    mutating func finish(to records: inout RawRecords) {
        if !isDropping { place(Span(), in: &records, isOpen: true) }
        part = []
    }

    private func place(_ rest: Span<UInt8>, in records: inout RawRecords, isOpen: Bool = false) {
        if part.span.isBlankJSON && rest.isBlankJSON { return }
        records.append(part.span, rest, line: line, byte: lineStart, isOpen: isOpen)
    }

    private var tooLarge: RecordError {
        RecordError(
            code: .tooLarge,
            message: "the record is too large; expected at most \(maxRecordBytes) bytes",
            line: line,
            byte: lineStart
        )
    }
}

extension Span<UInt8> {
    /// Whether there is only JSON white space.
    var isBlankJSON: Bool {
        for index in indices {
            switch self[index] {
            case 0x20, 0x09, 0x0D, 0x0A: continue
            default: return false
            }
        }
        return true
    }
}
