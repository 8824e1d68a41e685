// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineSystem

/// Reads the lines of a recording in NDJSON in batches, decompressed.
struct LineBatches: ~Copyable {
    private static let chunk = 1 << 18
    private static let maxLineBytes = 1 << 30

    private let path: String
    private var splitter: RecordingSplitter
    private var bytes: [UInt8] = []
    private var isAtEnd = false

    init(_ path: String) {
        self.path = path
        splitter = RecordingSplitter(file: path, maxRecordBytes: Self.maxLineBytes)
    }

    /// Returns the next lines, or one that is longer than a batch; `nil` at the end.
    ///
    /// **Throws**: `StoreError` if a line is too long, or the recording is HAR; `RecordError` or
    /// `FileError` if it cannot be read.
    mutating func next(_ source: borrowing File) throws -> RawRecords? {
        var records = RawRecords(file: path)
        var bytes = self.bytes
        self.bytes = []
        defer { self.bytes = bytes }
        while records.isEmpty, !isAtEnd {
            bytes.removeAll(keepingCapacity: true)
            if try source.read(appendingTo: &bytes, atMost: Self.chunk) > 0 {
                try splitter.append(bytes.span, to: &records)
            } else {
                try splitter.finish(to: &records)
                isAtEnd = true
            }
            guard splitter.format != .har else {
                throw StoreError(
                    .notChangeable,
                    "'\(path)' is HAR; expected a database or NDJSON, into which 'tapline convert' "
                        + "converts it"
                )
            }
        }
        try check(records)
        return records.isEmpty ? nil : records
    }

    /// Rejects lines that are too long to be read.
    private func check(_ records: RawRecords) throws(StoreError) {
        for index in 0..<records.count {
            let isTooLong = records.bytes(at: index).isEmpty
            if isTooLong {
                throw StoreError(
                    .notChangeable,
                    "'\(path)' has a line of more than \(Self.maxLineBytes) bytes at line "
                        + "\(records.place(at: index).line)"
                )
            }
        }
    }
}
