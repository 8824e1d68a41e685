// SPDX-License-Identifier: MIT

package import TaplineJSON
package import TaplineModel
package import TaplinePlugin

/// Writes records as lines of NDJSON, in record schema v1 (`README.md` in this module).
///
/// **Shape**: each record is one line that ends with a line feed. Lines are collected in a buffer
/// that is reused after `removeAll`; once warm, writing does not allocate.
/// **Isolation**: one thread at a time.
package struct NDJSONWriter: ~Copyable {
    private var writer: JSONWriter
    private var scratch: [UInt8] = []

    /// Creates an empty writer.
    ///
    /// - Parameter capacity: The number of bytes to allocate at first.
    package init(capacity: Int = 64 * 1024) {
        writer = JSONWriter(capacity: capacity)
    }

    /// The lines written since the last `removeAll`.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { writer.bytes }
    }

    /// The number of bytes in `bytes`.
    package var count: Int { writer.count }

    /// Removes all lines but keeps the memory.
    package mutating func removeAll() { writer.removeAll() }

    /// Writes one record as a line; one that a queue on disk has encoded is copied.
    ///
    /// - Parameter record: The record.
    package mutating func write(_ record: Record) {
        if let line = record.encodedLine?.bytes {
            writer.raw(line.span)
        } else {
            encode(record)
        }
        writer.separator(0x0A)
    }

    private mutating func encode(_ record: Record) {
        RecordEncoding.record(record, to: &writer, &scratch)
    }
}

extension JSONWriter {
    /// Writes fields as in the record schema: a list of `[name, value]` pairs.
    /// - Parameter fields: The fields.
    package mutating func fields(_ fields: FieldSection) {
        RecordEncoding.fields(fields, to: &self)
    }

    /// Writes a record as one object of the record schema, without a line feed.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - hasContent: Whether the bytes of bodies are written; otherwise only what is known of
    ///     them.
    package mutating func record(_ record: Record, hasContent: Bool = true) {
        var scratch: [UInt8] = []
        RecordEncoding.record(record, to: &self, &scratch, hasContent: hasContent)
    }
}
