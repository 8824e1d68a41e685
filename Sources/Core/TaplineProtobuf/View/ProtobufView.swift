// SPDX-License-Identifier: MIT

internal import TaplineBytes
package import TaplineJSON

/// Writes messages as JSON: with names and types if the message type is known, otherwise by field
/// numbers with all possible readings of each value.
///
/// **Shape**: one view may write many messages of many calls; `beginCall` begins another one.
/// **Units**: a view that exceeds a limit is cut and says so; see the README of this module.
package struct ProtobufView: Sendable {
    /// The known types.
    package let schema: ProtobufSchema?
    /// The limits of each message, and of the messages of a call.
    package let limits: ProtobufLimits
    /// Whether values without names have one reading only: text, a message, bytes, an unsigned
    /// integer.
    ///
    /// For comparisons, in which all readings differ if one does.
    package var isConcise = false
    /// How many more fields may be read.
    var fieldsLeft = 0
    /// The size of the output at which the view is cut.
    var end = 0
    /// How many more fields and bytes of output the messages of the call may have.
    private var callFieldsLeft: Int
    private var callBytesLeft: Int

    /// Creates a view.
    package init(_ schema: ProtobufSchema? = nil, limits: ProtobufLimits = ProtobufLimits()) {
        self.schema = schema
        self.limits = limits
        callFieldsLeft = limits.maxCallFields
        callBytesLeft = limits.maxCallViewBytes
    }

    /// Begins another call, whose messages may take as much as the limits of a call allow.
    package mutating func beginCall() {
        callFieldsLeft = limits.maxCallFields
        callBytesLeft = limits.maxCallViewBytes
    }

    /// Writes a message as an object; `{"$left_out": true}` if its call has exceeded a limit.
    ///
    /// - Parameters:
    ///   - bytes: The message.
    ///   - type: The index of its type in the schema; `nil` if unknown.
    ///   - writer: The object is added to it.
    package mutating func write(
        _ bytes: Span<UInt8>,
        as type: Int? = nil,
        to writer: inout JSONWriter
    ) {
        guard callFieldsLeft > 0, callBytesLeft > 0 else {
            return writer.object { $0.member("$left_out", true) }
        }
        let start = writer.count
        fieldsLeft = min(limits.maxFields, callFieldsLeft)
        end = start.addingReportingOverflow(min(limits.maxViewBytes, callBytesLeft)).partialValue
        callFieldsLeft -= fieldsLeft
        message(bytes, as: type, limits.maxDepth, to: &writer)
        callFieldsLeft += fieldsLeft
        callBytesLeft -= writer.count - start
    }

    /// Returns a message as JSON.
    package mutating func json(_ bytes: Span<UInt8>, as type: Int? = nil) -> [UInt8] {
        var writer = JSONWriter()
        write(bytes, as: type, to: &writer)
        return Array(copying: writer.bytes)
    }

    /// Whether the view is to be cut.
    func isFull(_ writer: borrowing JSONWriter) -> Bool { writer.count > end || fieldsLeft <= 0 }

    // MARK: Messages

    /// Writes a message or the content of a group.
    ///
    /// **Limits**: recursive, as deep as `depth`.
    mutating func message(
        _ bytes: Span<UInt8>,
        as index: Int?,
        _ depth: Int,
        to writer: inout JSONWriter
    ) {
        let type = index.flatMap { index in schema?.messages[index] }
        if let type, wellKnown(bytes, type, depth, to: &writer) { return }
        let fields = ProtobufFieldList(bytes, depth, &fieldsLeft)
        writer.beginObject()
        for number in fields.numbers {
            guard !isFull(writer) else { break }
            let values = fields[number]
            if let field = type?.fields[number], values.allSatisfy({ field.fits($0) }) {
                writer.key(field.jsonName.utf8.span)
                named(bytes, values, field, depth, to: &writer)
            } else {
                writer.key("\(number)".utf8.span)
                unnamed(bytes, values, depth, to: &writer)
            }
        }
        if let problem = fields.problem {
            writer.key("$error")
            writer.string(problem.code.name)
            writer.key("$rest")
            writer.base64(bytes.extracting(problem.offset..<bytes.count))
        } else if isFull(writer) {
            writer.key("$truncated")
            writer.bool(true)
        }
        writer.endObject()
    }

    // MARK: Without a schema

    /// Writes the readings of a value, or of several values with the same number.
    private mutating func unnamed(
        _ bytes: Span<UInt8>,
        _ values: [ProtobufField],
        _ depth: Int,
        to writer: inout JSONWriter
    ) {
        if values.count > 1 { writer.beginArray() }
        for value in values {
            if values.count > 1, isFull(writer) { break }
            if isConcise {
                concise(bytes, value, depth, to: &writer)
                continue
            }
            writer.beginObject()
            switch value.wireType {
            case .varint: varint(value.bits, to: &writer)
            case .fixed64: fixed64(value.bits, to: &writer)
            case .fixed32: fixed32(value.bits, to: &writer)
            case .group:
                writer.key("group")
                nested(bytes.extracting(value.value), as: nil, depth, to: &writer)
            case .lengthDelimited:
                lengthDelimited(bytes.extracting(value.value), depth, to: &writer)
            case .endOfGroup: break
            }
            writer.endObject()
        }
        if values.count > 1 { writer.endArray() }
    }

    /// Writes one reading of a value.
    private mutating func concise(
        _ bytes: Span<UInt8>,
        _ value: ProtobufField,
        _ depth: Int,
        to writer: inout JSONWriter
    ) {
        let content = bytes.extracting(value.value)
        switch value.wireType {
        case .varint, .fixed64, .fixed32: writer.exact(value.bits)
        case .group: nested(content, as: nil, depth, to: &writer)
        case .lengthDelimited:
            let readings = ProtobufReadings(content, depth: depth - 1)
            if readings.isText {
                writer.string(content)
            } else if readings.isMessage {
                message(content, as: nil, depth - 1, to: &writer)
            } else {
                writer.base64(content)
            }
        case .endOfGroup: writer.null()
        }
    }

    private func varint(_ bits: UInt64, to writer: inout JSONWriter) {
        writer.key("uint")
        writer.exact(bits)
        writer.key("int")
        writer.exact(Int64(bitPattern: bits))
        writer.key("sint")
        writer.exact(bits.unzigzagged)
        if bits <= 1 {
            writer.key("bool")
            writer.bool(bits == 1)
        }
    }

    private func fixed64(_ bits: UInt64, to writer: inout JSONWriter) {
        writer.key("fixed64")
        writer.exact(bits)
        writer.key("sfixed64")
        writer.exact(Int64(bitPattern: bits))
        writer.key("double")
        writer.number(Double(bitPattern: bits))
    }

    private func fixed32(_ bits: UInt64, to writer: inout JSONWriter) {
        let bits = UInt32(truncatingIfNeeded: bits)
        writer.key("fixed32")
        writer.integer(UInt64(bits))
        writer.key("sfixed32")
        writer.integer(Int64(Int32(bitPattern: bits)))
        writer.key("float")
        writer.number(Float(bitPattern: bits))
    }

    /// Writes the readings of a length-delimited value: text, message and packed numbers as far as
    /// they are possible, otherwise the bytes.
    private mutating func lengthDelimited(
        _ bytes: Span<UInt8>,
        _ depth: Int,
        to writer: inout JSONWriter
    ) {
        let readings = ProtobufReadings(bytes, depth: depth - 1)
        if readings.isText {
            writer.key("text")
            writer.string(bytes)
        }
        if readings.isMessage {
            writer.key("message")
            message(bytes, as: nil, depth - 1, to: &writer)
        }
        // The bytes of text are numbers too, which says nothing new.
        if !readings.isText { packed(bytes, to: &writer) }
        if !readings.isText, !readings.isMessage {
            writer.key("bytes")
            writer.base64(bytes)
        }
    }

    private func packed(_ bytes: Span<UInt8>, to writer: inout JSONWriter) {
        if let values = Self.varints(bytes, limits.maxPacked) {
            writer.key("packed")
            writer.array { writer in values.forEach { writer.exact($0) } }
        }
        let count = bytes.count
        if count % 4 == 0, count / 4 <= limits.maxPacked {
            writer.key("packed_fixed32")
            writer.array { writer in
                for start in stride(from: 0, to: count, by: 4) {
                    writer.integer(bytes.littleEndian(start..<start + 4))
                }
            }
        }
        if count % 8 == 0, count / 8 <= limits.maxPacked {
            writer.key("packed_fixed64")
            writer.array { writer in
                for start in stride(from: 0, to: count, by: 8) {
                    writer.exact(bytes.littleEndian(start..<start + 8))
                }
            }
        }
    }

    /// Returns the varints that the bytes consist of; `nil` if there are other bytes or too many.
    static func varints(_ bytes: Span<UInt8>, _ maximum: Int) -> [UInt64]? {
        var cursor = ProtobufCursor(0, bytes.count)
        var values: [UInt64] = []
        while cursor.position < bytes.count {
            guard values.count < maximum, let value = try? cursor.varint(in: bytes) else {
                return nil
            }
            values.append(value)
        }
        return values
    }

    /// Writes a nested message, or `null` if it is nested too deeply.
    mutating func nested(
        _ bytes: Span<UInt8>,
        as index: Int?,
        _ depth: Int,
        to writer: inout JSONWriter
    ) {
        guard depth > 1 else { return writer.null() }
        message(bytes, as: index, depth - 1, to: &writer)
    }
}

extension ProtobufValueType {
    /// Whether several values may be in one field.
    package var isPackable: Bool {
        switch wireType {
        case .varint, .fixed32, .fixed64: true
        case .lengthDelimited, .group, .endOfGroup: false
        }
    }
}
