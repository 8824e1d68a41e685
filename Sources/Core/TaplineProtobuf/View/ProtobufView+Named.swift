// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplineJSON

/// Values whose types are known: the mapping to JSON of proto3.
///
/// A string that is not UTF-8 is written as `{"bytes": …}`, since JSON cannot hold it.
extension ProtobufView {
    mutating func named(
        _ bytes: Span<UInt8>,
        _ values: [ProtobufField],
        _ field: ProtobufFieldType,
        _ depth: Int,
        to writer: inout JSONWriter
    ) {
        guard field.isRepeated else { return singular(bytes, values, field, depth, to: &writer) }
        if let index = field.messageIndex, field.type == .message,
            let entry = schema?.messages[index], entry.isMapEntry
        {
            return map(bytes, values, entry, depth, to: &writer)
        }
        writer.beginArray()
        for value in values {
            guard !isFull(writer) else { break }
            if value.wireType == .lengthDelimited, field.type.isPackable {
                packed(bytes.extracting(value.value), field, to: &writer)
            } else {
                self.value(bytes, value, field, depth, to: &writer)
            }
        }
        writer.endArray()
    }

    /// Writes the value of a field that has one: the last one, as parsers do.
    ///
    /// Messages are merged,
    /// which is the same as reading their bytes as one.
    private mutating func singular(
        _ bytes: Span<UInt8>,
        _ values: [ProtobufField],
        _ field: ProtobufFieldType,
        _ depth: Int,
        to writer: inout JSONWriter
    ) {
        guard let last = values.last else { return writer.null() }
        if values.count > 1, field.type == .message || field.type == .group {
            var merged: [UInt8] = []
            for value in values { merged.append(copying: bytes.extracting(value.value)) }
            return nested(merged.span, as: field.messageIndex, depth, to: &writer)
        }
        value(bytes, last, field, depth, to: &writer)
    }

    private mutating func value(
        _ bytes: Span<UInt8>,
        _ value: ProtobufField,
        _ field: ProtobufFieldType,
        _ depth: Int,
        to writer: inout JSONWriter
    ) {
        let content = bytes.extracting(value.value)
        switch field.type {
        case .message, .group: nested(content, as: field.messageIndex, depth, to: &writer)
        case .bytes: writer.base64(content)
        case .string:
            guard !writer.string(ifValid: content) else { return }
            writer.object {
                $0.key("bytes")
                $0.base64(content)
            }
        default: number(value.bits, field, to: &writer)
        }
    }

    private func packed(
        _ bytes: Span<UInt8>,
        _ field: ProtobufFieldType,
        to writer: inout JSONWriter
    ) {
        let size = field.type.wireType == .fixed64 ? 8 : 4
        if field.type.wireType == .varint {
            for value in Self.varints(bytes, limits.maxFields) ?? [] {
                number(value, field, to: &writer)
            }
        } else {
            for index in 0..<bytes.count / size {
                let bits = bytes.littleEndian(index * size..<(index + 1) * size)
                number(bits, field, to: &writer)
            }
        }
    }

    /// Writes a number of a type; 64-bit integers are strings.
    private func number(
        _ bits: UInt64,
        _ field: ProtobufFieldType,
        to writer: inout JSONWriter
    ) {
        let low = UInt32(truncatingIfNeeded: bits)
        switch field.type {
        case .double: writer.number(Double(bitPattern: bits))
        case .float: writer.number(Float(bitPattern: low))
        case .int32, .sfixed32: writer.integer(Int64(Int32(bitPattern: low)))
        case .uint32, .fixed32: writer.integer(UInt64(low))
        case .sint32: writer.integer(UInt64(low).unzigzagged)
        case .int64, .sfixed64: writer.string("\(Int64(bitPattern: bits))")
        case .uint64, .fixed64: writer.string("\(bits)")
        case .sint64: writer.string("\(bits.unzigzagged)")
        case .bool: writer.bool(bits != 0)
        case .enum:
            let value = Int32(bitPattern: low)
            let names = field.enumIndex.flatMap { index in schema?.enums[index].names }
            if let name = names?[value] {
                writer.string(name)
            } else {
                writer.integer(Int64(value))
            }
        case .string, .bytes, .message, .group: writer.null()
        }
    }

    // MARK: Maps

    /// Writes a map as an object; the last value of a key applies.
    private mutating func map(
        _ bytes: Span<UInt8>,
        _ values: [ProtobufField],
        _ entry: ProtobufMessageType,
        _ depth: Int,
        to writer: inout JSONWriter
    ) {
        var keys: [[UInt8]] = []
        var entries: [[UInt8]: Range<Int>] = [:]
        for value in values {
            let key = mapKey(bytes.extracting(value.value), entry)
            if entries.updateValue(value.value, forKey: key) == nil { keys.append(key) }
        }
        writer.beginObject()
        for key in keys {
            guard !isFull(writer), let range = entries[key] else { break }
            let content = bytes.extracting(range)
            let fields = ProtobufFieldList(content, depth, &fieldsLeft)
            writer.key(key.span)
            guard let field = entry.fields[2] else {
                writer.null()
                continue
            }
            if fields[2].isEmpty {
                absent(field, depth, to: &writer)
            } else if fields[2].allSatisfy({ $0.wireType == field.type.wireType }) {
                named(content, fields[2], field, depth - 1, to: &writer)
            } else {
                writer.null()
            }
        }
        writer.endObject()
    }

    /// Returns the key of an entry as JSON writes it.
    private mutating func mapKey(_ bytes: Span<UInt8>, _ entry: ProtobufMessageType) -> [UInt8] {
        let fields = ProtobufFieldList(bytes, 1, &fieldsLeft)
        guard let field = entry.fields[1] else { return [] }
        var writer = JSONWriter(capacity: 64)
        if let key = fields[1].last, key.wireType == field.type.wireType {
            if field.type == .string {
                let text = String(
                    decoding: Array(copying: bytes.extracting(key.value)),
                    as: UTF8.self
                )
                return Array(text.utf8)
            }
            number(key.bits, field, to: &writer)
        } else {
            absent(field, 1, to: &writer)
        }
        return Array(copying: writer.bytes).filter { $0 != UInt8(ascii: "\"") }
    }

    /// Writes the default value of a type, which is not on the wire.
    private mutating func absent(
        _ field: ProtobufFieldType,
        _ depth: Int,
        to writer: inout JSONWriter
    ) {
        switch field.type {
        case .string, .bytes: writer.string("" as StaticString)
        case .message, .group: nested(Span(), as: field.messageIndex, depth, to: &writer)
        default: number(0, field, to: &writer)
        }
    }
}
