// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplineJSON

/// Decodes the content of gRPC-Web-Text: base64 of one or more pieces, each with its own padding.
///
/// **Source**: "gRPC Web".
package struct GRPCWebText: Sendable {
    private var bits: UInt32 = 0
    private var count = 0
    private var padding = 0

    /// Starts before the first byte.
    package init() {}

    /// Decodes bytes, and appends what they mean.
    ///
    /// - Returns: Whether they were base64; if not, what precedes the error is appended.
    package mutating func decode(_ text: Span<UInt8>, appendingTo output: inout [UInt8]) -> Bool {
        for index in text.indices {
            let byte = text[index]
            if byte == 0x0D || byte == 0x0A { continue }
            if byte == .ascii("=") {
                padding += 1
                guard count >= 2, padding <= 2 else { return false }
                bits <<= 6
            } else {
                guard padding == 0, let value = Self.value(byte) else { return false }
                bits = bits << 6 | value
            }
            count += 1
            guard count == 4 else { continue }
            let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> UInt32($0)) }
            output.append(contentsOf: bytes.prefix(3 - padding))
            self = GRPCWebText()
        }
        return true
    }

    /// Appends content as one piece.
    package static func encode(_ content: Span<UInt8>, appendingTo output: inout [UInt8]) {
        Base64.encode(content, into: &output)
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x41...0x5A: UInt32(byte - 0x41)
        case 0x61...0x7A: UInt32(byte - 0x61 + 26)
        case 0x30...0x39: UInt32(byte - 0x30 + 52)
        case .ascii("+"), .ascii("-"): 62
        case .ascii("/"), .ascii("_"): 63
        default: nil
        }
    }
}
