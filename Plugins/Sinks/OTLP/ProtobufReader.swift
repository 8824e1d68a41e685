// SPDX-License-Identifier: MIT

/// Reads the fields of a message of Protocol Buffers, which may come from anywhere.
///
/// **Source**: protobuf.dev, "Encoding".
struct ProtobufReader {
    /// The value of a field.
    enum Value: Equatable {
        case varint(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// Four or eight bytes, whose value is not needed.
        case fixed
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Returns the next field; `nil` at the end, and at bytes that are not a field.
    mutating func next() -> (field: UInt64, value: Value)? {
        guard let key = varint() else { return nil }
        switch key & 7 {
        case 0: return varint().map { (key >> 3, .varint($0)) }
        case 1: return skip(8) ? (key >> 3, .fixed) : nil
        case 5: return skip(4) ? (key >> 3, .fixed) : nil
        case 2:
            guard let length = varint(), length <= UInt64(rest.count) else { return nil }
            let value = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            return (key >> 3, .bytes(value))
        default: return nil
        }
    }

    private mutating func skip(_ count: Int) -> Bool {
        guard rest.count >= count else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
