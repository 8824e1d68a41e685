// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplineJSON

/// Which readings of a length-delimited value are possible.
package struct ProtobufReadings: Sendable {
    /// Whether it is UTF-8 without control characters other than tabs and line ends.
    package let isText: Bool
    /// Whether it consists of at least one field, and of nothing else.
    package let isMessage: Bool

    /// Examines a value; with a depth of zero, it is not read as a message.
    package init(_ bytes: Span<UInt8>, depth: Int) {
        isText = Self.isText(bytes)
        isMessage =
            !bytes.isEmpty && depth > 0
            && ProtobufReader.reads(bytes, 0..<bytes.count, maxDepth: depth)
    }

    private static func isText(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D, byte != 0x7F else {
                return false
            }
        }
        return isValidUTF8(bytes)
    }
}

extension UInt64 {
    /// The value of a varint of type `sint64`.
    package var unzigzagged: Int64 {
        Int64(bitPattern: self >> 1) ^ -Int64(bitPattern: self & 1)
    }
}
