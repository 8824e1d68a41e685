// SPDX-License-Identifier: MIT

internal import TaplineJSON
public import TaplinePlugin

/// Writes records as a HAR file (HTTP Archive 1.2), one entry a line.
///
/// **Shape**: `begin`, then any number of records, then `end`; without `end` the file is not valid.
/// The text gathers in a buffer that is used again after `removeAll`. Coded content is decoded, as
/// HAR demands. What HAR has no place for is counted in `losses`; id and tags are kept as `_id` and
/// `_tags`, which HAR leaves to tools and our reader understands.
/// **Isolation**: one thread at a time.
public struct HARWriter: ~Copyable {
    private var writer: JSONWriter
    private var encoding = HAREncoding()

    /// Makes a writer.
    /// - Parameters:
    ///   - capacity: Bytes to make room for at once.
    ///   - maxDecodedBytes: The largest content to decode; larger ones are written as they are.
    public init(capacity: Int = 64 * 1024, maxDecodedBytes: Int = 64 << 20) {
        writer = JSONWriter(capacity: capacity)
        encoding.maxDecodedBytes = max(0, maxDecodedBytes)
    }

    /// What has been written since the last `removeAll`.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { writer.bytes }
    }

    /// How many bytes that is.
    public var count: Int { writer.count }

    /// What had no place in the entries written so far.
    public var losses: LossReport { encoding.losses }

    /// Forgets what has been written and keeps the memory; the next record is still one of the file.
    public mutating func removeAll() {
        writer.removeAll()
    }

    /// Writes what stands before the first entry.
    /// - Parameter version: The version of the program that writes.
    public mutating func begin(version: String) {
        writer.beginObject()
        writer.key("log")
        writer.beginObject()
        writer.key("version")
        writer.string("1.2" as StaticString)
        writer.key("creator")
        writer.beginObject()
        writer.key("name")
        writer.string("tapline" as StaticString)
        writer.key("version")
        writer.string(version)
        writer.endObject()
        writer.key("entries")
        writer.beginArray()
        encoding.isFirst = true
    }

    /// Writes one record as an entry.
    /// - Parameter record: The record.
    public mutating func write(_ record: Record) {
        if !encoding.isFirst { writer.separator(0x2C) }
        encoding.isFirst = false
        writer.separator(0x0A)
        encoding.entry(record.exchange, to: &writer)
    }

    /// Writes what stands behind the last entry.
    public mutating func end() {
        writer.separator(0x0A)
        writer.endArray()
        writer.endObject()
        writer.endObject()
        writer.separator(0x0A)
    }
}
