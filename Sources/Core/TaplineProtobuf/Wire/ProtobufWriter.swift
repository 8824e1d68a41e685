// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Writes the parts of fields.
package enum ProtobufWriter {
    /// Appends a varint in its shortest form.
    package static func append(varint value: UInt64, to output: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends the tag of a field.
    package static func append(tag number: Int, _ type: ProtobufWireType, to output: inout [UInt8])
    {
        append(varint: UInt64(clamping: number) << 3 | UInt64(type.rawValue), to: &output)
    }

    /// Appends a length-delimited field.
    package static func append(_ number: Int, _ content: Span<UInt8>, to output: inout [UInt8]) {
        append(tag: number, .lengthDelimited, to: &output)
        append(varint: UInt64(content.count), to: &output)
        output.append(copying: content)
    }
}
