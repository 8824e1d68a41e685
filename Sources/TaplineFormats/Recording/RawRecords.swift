// SPDX-License-Identifier: MIT

internal import TaplineModel

/// How a recording is written.
public struct RecordingFormat: Sendable, Hashable, CustomStringConvertible {
    /// The word for it: `ndjson` or `har`.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// One record of schema v1 a line.
    public static let ndjson = RecordingFormat("ndjson")
    /// HTTP Archive 1.2.
    public static let har = RecordingFormat("har")
}

/// Records cut out of a recording, not parsed yet: what the reader of a file hands to workers.
///
/// **Shape**: one block of bytes, and for each record where it lies there and where it stood in the
/// file. What could not be cut out stands in its place as an error.
public struct RawRecords: Sendable {
    /// One record, or what is wrong in its place.
    struct Item: Sendable {
        var bytes: Range<Int>
        /// Line and byte of its beginning in the recording.
        var line: Int
        var byte: Int
        /// Whether the input ends right after it, so that it may be cut off.
        var isOpen = false
        var error: RecordError?
        /// Members that the file has beside its entries and that this one carries along.
        var log: Range<Int>?
    }

    /// The recording's name.
    public let file: String
    /// How the records are written; nothing before the first record.
    public internal(set) var format: RecordingFormat?
    var items: [Item] = []
    var bytes: [UInt8] = []

    /// No records yet.
    /// - Parameter file: The recording's name, for errors.
    public init(file: String) { self.file = file }

    /// The number of records.
    public var count: Int { items.count }

    /// Whether there are none.
    public var isEmpty: Bool { items.isEmpty }

    /// The bytes that the records take together.
    public var byteCount: Int { bytes.count }

    /// Forgets the records and keeps the memory.
    public mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// The bytes of one record; none where an error stands in its place.
    /// - Parameter index: Its position, from 0.
    /// - Returns: The bytes as they stood in the recording.
    @_lifetime(borrow self)
    public func bytes(at index: Int) -> Span<UInt8> {
        bytes.span.extracting(items[index].bytes)
    }

    /// Where one record begins in the recording, after decompression.
    /// - Parameter index: Its position, from 0.
    /// - Returns: The line, from 1, and the byte, from 0.
    public func place(at index: Int) -> (line: Int, byte: Int) {
        (items[index].line, items[index].byte)
    }

    /// Appends a record whose first part came with an earlier chunk.
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

    /// Gives the last record members of the file to carry along.
    mutating func attachToLast(log: Span<UInt8>) {
        guard let last = items.indices.last, !log.isEmpty else { return }
        let first = bytes.count
        if let former = items[last].log {
            bytes += Array(copying: bytes.span.extracting(former)) + [.ascii(",")]
        }
        bytes.append(copying: log)
        items[last].log = first..<bytes.count
    }

    /// Members of the file that one record carries along; none for most.
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
