// SPDX-License-Identifier: MIT

/// Reads the numbers of a packed field.
package struct ProtobufPackedValues {
    private var cursor: ProtobufCursor
    private let type: ProtobufWireType

    /// Begins at the first number.
    ///
    /// - Parameters:
    ///   - bytes: The content of the field.
    ///   - type: How each number is written: `varint`, `fixed32` or `fixed64`.
    package init(_ bytes: Span<UInt8>, _ type: ProtobufWireType) {
        cursor = ProtobufCursor(0, bytes.count)
        self.type = type
    }

    /// Where the next number begins.
    package var position: Int { cursor.position }

    /// Whether all bytes were read.
    package var isAtEnd: Bool { cursor.position == cursor.end }

    /// Whether a content consists of such numbers.
    package static func reads(_ bytes: Span<UInt8>, _ type: ProtobufWireType) -> Bool {
        var values = ProtobufPackedValues(bytes, type)
        while values.next(in: bytes) != nil {}
        return values.isAtEnd
    }

    /// Returns the bits of the next number; `nil` at the end, and where bytes are not a number.
    package mutating func next(in bytes: Span<UInt8>) -> UInt64? {
        guard cursor.position < cursor.end else { return nil }
        guard type != .varint else { return try? cursor.varint(in: bytes) }
        let count = type == .fixed64 ? 8 : 4
        let start = cursor.position
        guard cursor.end - start >= count else { return nil }
        cursor.position += count
        return bytes.littleEndian(start..<cursor.position)
    }
}
