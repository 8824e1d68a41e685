// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// How the value of a field is written (Protocol Buffers, Encoding).
package enum ProtobufWireType: UInt8, Sendable {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case group = 3
    case endOfGroup = 4
    case fixed32 = 5
}

/// A field of a message, by its number.
package struct ProtobufField: Sendable, Hashable {
    /// The number, from 1 to 536,870,911.
    package let number: Int
    /// How the value is written.
    package let wireType: ProtobufWireType
    /// The tag and the value.
    package let range: Range<Int>
    /// The value: the bytes of a number, or the content of a length-delimited value or a group.
    package let value: Range<Int>
    /// The bits of a varint or a fixed number; zero for other values.
    package let bits: UInt64
}

/// Reads the fields of a message without a schema.
///
/// No library offers this: they read messages of known types only, or lose which bytes a field came
/// from, which an edit has to know.
///
/// **Shape**: keeps positions only; the bytes are passed to each call and must be the same.
/// Accepts what protobuf's own parsers accept: varints that are longer than necessary, and bits
/// beyond the 64th, which are dropped.
/// **Units**: positions are offsets into the bytes.
package struct ProtobufReader: Sendable {
    /// The maximum nesting depth of groups.
    private let maxDepth: Int
    private let end: Int
    /// Where the next field begins.
    package private(set) var position: Int

    /// Starts reading a range of bytes.
    package init(_ range: Range<Int>, maxDepth: Int = ProtobufLimits().maxDepth) {
        position = range.lowerBound
        end = range.upperBound
        self.maxDepth = maxDepth
    }

    /// Reads the next field.
    ///
    /// - Parameter bytes: The bytes of which the range was given.
    /// - Returns: The field; `nil` at the end.
    /// - Throws: `ProtobufError`; the position remains at the beginning of the field.
    package mutating func next(in bytes: Span<UInt8>) throws(ProtobufError) -> ProtobufField? {
        guard position < end else { return nil }
        let start = position
        var cursor = ProtobufCursor(start, end)
        let field = try cursor.field(in: bytes, depth: maxDepth)
        guard field.wireType != .endOfGroup else {
            throw ProtobufError(.unbalancedGroup, at: start)
        }
        position = cursor.position
        return field
    }

    /// Whether a whole range of bytes consists of fields.
    package static func reads(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        maxDepth: Int = ProtobufLimits().maxDepth
    ) -> Bool {
        var reader = ProtobufReader(range, maxDepth: maxDepth)
        do throws(ProtobufError) {
            while try reader.next(in: bytes) != nil {}
            return true
        } catch {
            return false
        }
    }
}

/// A position that moves over the parts of fields.
struct ProtobufCursor {
    var position: Int
    let end: Int

    init(_ position: Int, _ end: Int) {
        self.position = position
        self.end = end
    }

    /// Reads a field, including the end of a group.
    ///
    /// **Limits**: groups as deep as `depth`; recursive only over groups.
    mutating func field(
        in bytes: Span<UInt8>,
        depth: Int
    ) throws(ProtobufError) -> ProtobufField {
        let start = position
        let tag = try varint(in: bytes)
        guard tag <= UInt64(UInt32.max), tag >> 3 != 0,
            let type = ProtobufWireType(rawValue: UInt8(truncatingIfNeeded: tag & 7))
        else { throw ProtobufError(.invalidTag, at: start) }
        let number = Int(tag >> 3)
        var value = position..<position
        var bits: UInt64 = 0
        switch type {
        case .varint:
            bits = try varint(in: bytes)
            value = value.lowerBound..<position
        case .fixed64, .fixed32:
            let count = type == .fixed64 ? 8 : 4
            guard end - position >= count else { throw ProtobufError(.truncated, at: start) }
            bits = bytes.littleEndian(position..<position + count)
            position += count
            value = value.lowerBound..<position
        case .lengthDelimited:
            let length = try varint(in: bytes)
            guard length <= UInt64(end - position) else {
                throw ProtobufError(.truncated, at: start)
            }
            value = position..<position + Int(length)
            position = value.upperBound
        case .group:
            let content = try group(number, in: bytes, depth: depth, at: start)
            value = value.lowerBound..<content
        case .endOfGroup: break
        }
        return ProtobufField(
            number: number,
            wireType: type,
            range: start..<position,
            value: value,
            bits: bits
        )
    }

    /// Moves over the fields of a group, and returns where they end.
    private mutating func group(
        _ number: Int,
        in bytes: Span<UInt8>,
        depth: Int,
        at start: Int
    ) throws(ProtobufError) -> Int {
        guard depth > 0 else { throw ProtobufError(.tooDeep, at: start) }
        while position < end {
            let inner = try field(in: bytes, depth: depth - 1)
            guard inner.wireType == .endOfGroup else { continue }
            guard inner.number == number else {
                throw ProtobufError(.unbalancedGroup, at: inner.range.lowerBound)
            }
            return inner.range.lowerBound
        }
        throw ProtobufError(.truncated, at: start)
    }

    /// Reads a varint: seven bits a byte, the lowest first.
    mutating func varint(in bytes: Span<UInt8>) throws(ProtobufError) -> UInt64 {
        let start = position
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < end {
            let byte = bytes[position]
            position += 1
            // Smart shifts drop the bits beyond the 64th.
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
            guard shift < 70 else { throw ProtobufError(.longVarint, at: start) }
        }
        throw ProtobufError(.truncated, at: start)
    }
}
