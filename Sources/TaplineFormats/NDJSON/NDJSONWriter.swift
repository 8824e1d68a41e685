// SPDX-License-Identifier: MIT

public import TaplineJSON
public import TaplineModel
public import TaplinePlugin

/// Writes records as lines of NDJSON, in the record schema v1 (`README.md` beside this).
///
/// **Shape**: each record is one line that ends with a line feed. Lines gather in a buffer that is
/// used again after `removeAll`; once warm, writing allocates nothing.
/// **Isolation**: one thread at a time.
public struct NDJSONWriter: ~Copyable {
    private var writer: JSONWriter
    private var scratch: [UInt8] = []

    /// Makes an empty writer.
    /// - Parameter capacity: Bytes to make room for at once.
    public init(capacity: Int = 64 * 1024) {
        writer = JSONWriter(capacity: capacity)
    }

    /// The lines written since the last `removeAll`.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { writer.bytes }
    }

    /// How many bytes that is.
    public var count: Int { writer.count }

    /// Forgets what has been written and keeps the memory.
    public mutating func removeAll() { writer.removeAll() }

    /// Writes one record as a line.
    /// - Parameter record: The record.
    public mutating func write(_ record: Record) {
        RecordEncoding.record(record, to: &writer, &scratch)
        writer.separator(0x0A)
    }
}

extension JSONWriter {
    /// Writes fields as in the record schema: a list of `[name, value]` pairs.
    /// - Parameter fields: The fields.
    public mutating func fields(_ fields: FieldSection) {
        RecordEncoding.fields(fields, to: &self)
    }

    /// Writes a record as one object of the record schema, without a line feed.
    /// - Parameter record: The record.
    public mutating func record(_ record: Record) {
        var scratch: [UInt8] = []
        RecordEncoding.record(record, to: &self, &scratch)
    }
}
