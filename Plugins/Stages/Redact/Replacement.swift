// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel

/// Writes what takes the place of a secret.
struct Replacement: Sendable {
    private let plainMask: [UInt8]
    private let urlMask: [UInt8]
    private let jsonMask: [UInt8]
    private let jsonPartMask: [UInt8]
    private let key: HMACSHA256

    /// Hashes begin so, and go on with 32 hexadecimal digits (RFC 2104 §5 allows to cut).
    private static let hashPrefix = "h-"
    private static let hashBytes = 16

    init(mask: String, key: HMACSHA256) {
        plainMask = Array(mask.utf8)
        urlMask = PercentEncoding.encode(mask.utf8.span)
        jsonMask = Replacement.quoted(mask)
        jsonPartMask = Array(jsonMask.dropFirst().dropLast())
        self.key = key
    }

    /// Appends the replacement of a value; for `remove` nothing.
    ///
    /// `secret` is decoded, so that equal values have equal hashes wherever they stand.
    func append(
        _ action: RedactionAction,
        of secret: Span<UInt8>,
        as notation: Notation,
        to output: inout [UInt8]
    ) {
        switch action {
        case .remove:
            break
        case .mask:
            switch notation {
            case .plain: output.append(contentsOf: plainMask)
            case .url: output.append(contentsOf: urlMask)
            case .json: output.append(contentsOf: jsonMask)
            case .jsonPart: output.append(contentsOf: jsonPartMask)
            }
        case .hash:
            if notation == .json { output.append(.ascii("\"")) }
            output.append(copying: Replacement.hashPrefix.utf8.span)
            key.authenticate(secret).appendHex(to: &output, byteCount: Replacement.hashBytes)
            if notation == .json { output.append(.ascii("\"")) }
        }
    }

    /// A text as a string of JSON (RFC 8259 §7).
    private static func quoted(_ text: String) -> [UInt8] {
        var output: [UInt8] = [.ascii("\"")]
        for byte in text.utf8 {
            switch byte {
            case .ascii("\""), .ascii("\\"):
                output.append(.ascii("\\"))
                output.append(byte)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                output.append(contentsOf: "\\u00".utf8)
                output.append(digits[Int(byte >> 4)])
                output.append(digits[Int(byte & 0xF)])
            default:
                output.append(byte)
            }
        }
        output.append(.ascii("\""))
        return output
    }
}
