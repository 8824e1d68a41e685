// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Writes messages of Protocol Buffers: the few kinds of fields that OTLP has.
///
/// Our own, since the C libraries in Debian need code that their compiler generates from the
/// definitions of OTLP, for a format of one page.
///
/// **Source**: protobuf.dev, "Encoding". Fields with the default value are left out, as in proto3.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    /// The kinds of fields.
    private enum Wire: UInt64 {
        case varint = 0
        case fixed64 = 1
        case length = 2
        case fixed32 = 5
    }

    init() {}

    /// Writes a message, whose length is written before it.
    mutating func message(_ field: UInt64, _ body: (inout ProtobufWriter) -> Void) {
        key(field, .length)
        let start = bytes.count
        bytes.append(0)
        body(&self)
        let length = bytes.count - start - 1
        if length < 0x80 {
            bytes[start] = UInt8(truncatingIfNeeded: length)
        } else {
            var prefix = ProtobufWriter()
            prefix.varint(UInt64(length))
            bytes.replaceSubrange(start...start, with: prefix.bytes)
        }
    }

    /// Writes a text, unless it is empty.
    mutating func string(_ field: UInt64, _ text: String) {
        guard !text.isEmpty else { return }
        key(field, .length)
        varint(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    /// Writes bytes, unless there are none.
    mutating func bytes(_ field: UInt64, _ value: [UInt8]) {
        guard !value.isEmpty else { return }
        key(field, .length)
        varint(UInt64(value.count))
        bytes += value
    }

    /// Writes a number, unless it is zero.
    mutating func number(_ field: UInt64, _ value: UInt64) {
        guard value != 0 else { return }
        key(field, .varint)
        varint(value)
    }

    /// Writes a number of eight bytes, unless it is zero.
    mutating func fixed64(_ field: UInt64, _ value: UInt64) {
        guard value != 0 else { return }
        key(field, .fixed64)
        little(value, 8)
    }

    /// Writes a number of four bytes, unless it is zero.
    mutating func fixed32(_ field: UInt64, _ value: UInt32) {
        guard value != 0 else { return }
        key(field, .fixed32)
        little(UInt64(value), 4)
    }

    /// Writes a value that may be the default, within a choice of fields (`oneof`).
    mutating func chosenString(_ field: UInt64, _ text: String) {
        key(field, .length)
        varint(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    /// Writes a signed number that may be zero, within a choice of fields (`oneof`).
    mutating func chosenInteger(_ field: UInt64, _ value: Int64) {
        key(field, .varint)
        varint(UInt64(bitPattern: value))
    }

    /// Writes numbers of eight bytes, also zeros, unless there are none.
    mutating func packed(_ field: UInt64, _ values: [UInt64]) {
        guard !values.isEmpty else { return }
        key(field, .length)
        varint(UInt64(values.count * 8))
        for value in values { little(value, 8) }
    }

    /// Appends messages that are already encoded.
    mutating func raw(_ encoded: [UInt8]) { bytes += encoded }

    private mutating func key(_ field: UInt64, _ wire: Wire) { varint(field << 3 | wire.rawValue) }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func little(_ value: UInt64, _ count: Int) {
        for index in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
        }
    }
}
