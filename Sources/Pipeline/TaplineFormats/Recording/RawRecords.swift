// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The format of a recording.
package struct RecordingFormat: Sendable, Hashable, CustomStringConvertible {
    /// The name: `ndjson` or `har`.
    package let description: String

    private init(_ description: String) { self.description = description }

    /// One record of schema v1 per line.
    package static let ndjson = RecordingFormat("ndjson")
    /// HTTP Archive 1.2.
    package static let har = RecordingFormat("har")
}

/// Unparsed records of a recording, which the reader of a file passes to workers.
///
/// **Shape**: one block of bytes, and for each record its location there and its position in the
/// file. A part that could not be split is represented by an error.
package struct RawRecords: Sendable {
    /// One record, or the error in its place.
    struct Item: Sendable {
        var bytes: Range<Int>
        /// The line and byte of its start in the recording.
        var line: Int
        var byte: Int
        /// Whether the input ends right after it, so that it may be cut off.
        var isOpen = false
        var error: RecordError?
        /// Members of the file's log that are attached to this record.
        var log: Range<Int>?
    }

    /// The recording's name.
    package let file: String
    /// The format of the records; `nil` before the first record.
    package internal(set) var format: RecordingFormat?
    var items: [Item] = []
    var bytes: [UInt8] = []

    /// Creates an empty list of records.
    ///
    /// - Parameter file: The recording's name, for errors.
    package init(file: String) { self.file = file }

    /// The number of records.
    package var count: Int { items.count }

    /// Whether there are none.
    package var isEmpty: Bool { items.isEmpty }

    /// The total size of the records in bytes.
    package var byteCount: Int { bytes.count }

    /// Removes the records but keeps the memory.
    package mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// The bytes of one record; empty if an error takes its place.
    ///
    /// - Parameter index: Its position, from 0.
    /// - Returns: The bytes as in the recording.
    @_lifetime(borrow self)
    package func bytes(at index: Int) -> Span<UInt8> {
        bytes.span.extracting(items[index].bytes)
    }

    /// The start of a record in the recording, after decompression.
    ///
    /// - Parameter index: Its position, from 0.
    /// - Returns: The line, from 1, and the byte, from 0.
    package func place(at index: Int) -> (line: Int, byte: Int) {
        (items[index].line, items[index].byte)
    }

    /// Appends a record whose first part is from an earlier chunk.
    mutating func append(
        _ start: Span<UInt8>,
        _ rest: Span<UInt8>,
        line: Int,
        byte: Int,
        isOpen: Bool = false
    ) {
        let first = bytes.count
        bytes.append(copying: start)
        bytes.append(copying: rest)
        items.append(Item(bytes: first..<bytes.count, line: line, byte: byte, isOpen: isOpen))
    }

    /// Attaches members of the file's log to the last record.
    mutating func attachToLast(log: Span<UInt8>) {
        guard let last = items.indices.last, !log.isEmpty else { return }
        let first = bytes.count
        if let former = items[last].log {
            bytes += Array(copying: bytes.span.extracting(former)) + [.ascii(",")]
        }
        bytes.append(copying: log)
        items[last].log = first..<bytes.count
    }

    /// The members of the file's log that are attached to a record; empty for most.
    @_lifetime(borrow self)
    func log(at index: Int) -> Span<UInt8> {
        bytes.span.extracting(items[index].log ?? 0..<0)
    }

    /// Appends an error in place of a record.
    mutating func append(_ error: RecordError) {
        var located = error
        located.file = file
        let end = bytes.count
        items.append(
            Item(bytes: end..<end, line: error.line, byte: error.byte, error: located)
        )
    }
}
