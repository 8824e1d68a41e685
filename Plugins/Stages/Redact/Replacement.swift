// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel

/// Writes the replacements of secrets.
///
/// A class, because passing a struct on would retain each of its parts.
final class Replacement: Sendable {
    private let plainMask: [UInt8]
    private let urlMask: [UInt8]
    private let jsonMask: [UInt8]
    private let jsonPartMask: [UInt8]
    private let hashKey: HMACSHA256
    private let pseudonyms: Pseudonyms
    /// Records the replacements of values, if requested.
    private let applied: AppliedReplacements?

    /// The prefix of hashes; 32 hexadecimal digits follow (RFC 2104 §5 allows truncation).
    private static let hashPrefix = "h-"
    private static let hashBytes = 16

    /// Creates the replacements from the text of masks and the key for hashes and stand-ins.
    init(mask: String, key: Span<UInt8>, applied: AppliedReplacements? = nil) {
        self.applied = applied
        plainMask = Array(mask.utf8)
        urlMask = PercentEncoding.encode(mask.utf8.span)
        jsonMask = Replacement.quoted(plainMask)
        jsonPartMask = Array(jsonMask.dropFirst().dropLast())
        // Hashes can be reproduced by other tools with the key. Stand-ins have a key that is
        // derived from it (RFC 5869 §2.2), so that hashes reveal nothing about it.
        hashKey = HMACSHA256(key: key)
        let label = "tapline pseudonym \(Pseudonyms.version)"
        let derived = HMACSHA256(key: label.utf8.span).authenticate(key)
        pseudonyms = Pseudonyms(HMACSHA256(key: derived.bytes.span))
    }

    /// The version of stand-ins, and eight hexadecimal digits that identify their key.
    var standInMark: String { pseudonyms.mark }

    /// Appends the replacement of a value; appends nothing for `remove`.
    ///
    /// `secret` is decoded, so that equal values have equal hashes wherever they are.
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
            let start = output.count
            output.append(copying: Replacement.hashPrefix.utf8.span)
            hashKey.authenticate(secret).appendHex(to: &output, byteCount: Replacement.hashBytes)
            applied?.note(output.span.extracting(start...))
            if notation == .json { output.append(.ascii("\"")) }
        case .pseudonym:
            appendStandIn(of: secret, as: notation, to: &output)
        }
    }

    /// Appends the stand-in of a JSON number, or a mask for `true`, `false`, `null` and objects,
    /// whose names may be secrets too.
    func appendStandIn(ofScalar scalar: Span<UInt8>, to output: inout [UInt8]) {
        let isNumber = !scalar.isEmpty && (scalar[0] == .ascii("-") || scalar[0].isDigit)
        if isNumber, let number = pseudonyms.number(scalar) {
            applied?.note(number.span)
            output += number
        } else {
            output += jsonMask
        }
    }

    /// The unencoded mask.
    var maskText: [UInt8] { plainMask }

    /// Returns a stand-in of a value whatever the action, since names and hosts must remain valid.
    func standIn(of value: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        pseudonyms.append(for: value, to: &output)
        return output
    }

    /// Returns the stand-in of a host: for an address, an address of the same version; for a name,
    /// the stand-in that e-mail addresses use for it.
    func standIn(ofHost host: Span<UInt8>) -> [UInt8] {
        pseudonyms.address(Array(copying: host)) ?? pseudonyms.domain(Array(copying: host))
    }

    /// Appends the stand-ins of `user:password`, percent-encoded for URLs.
    func appendStandIn(ofUserInfo secret: Span<UInt8>, to output: inout [UInt8]) {
        var standIns: [UInt8] = []
        pseudonyms.appendPair(for: secret, to: &standIns)
        applied?.note(standIns.span)
        let colon = secret.firstIndex(of: .ascii(":")) == nil ? nil : standIns.firstIndex(of: 0x3A)
        guard let colon else {
            output += PercentEncoding.encode(standIns.span)
            return
        }
        output += PercentEncoding.encode(standIns.span.extracting(0..<colon))
        output.append(.ascii(":"))
        output += PercentEncoding.encode(standIns.span.extracting((colon + 1)...))
    }

    private func appendStandIn(
        of secret: Span<UInt8>,
        as notation: Notation,
        to output: inout [UInt8]
    ) {
        var standIn: [UInt8] = []
        let isEncoded = notation == .plain && Replacement.isPercentEncoded(secret)
        if isEncoded {
            // Cookies are often percent-encoded; the stand-in is that of the decoded value.
            let decoded = PercentEncoding.decode(secret, plusIsSpace: false)
            pseudonyms.append(for: decoded.span, to: &standIn)
        } else {
            pseudonyms.append(for: secret, to: &standIn)
        }
        applied?.note(standIn.span)
        switch notation {
        case .plain where !isEncoded: output += standIn
        case .plain, .url: output += PercentEncoding.encode(standIn.span)
        case .json: output += Replacement.quoted(standIn)
        case .jsonPart: output += Replacement.quoted(standIn).dropFirst().dropLast()
        }
    }

    /// Whether a text has a percent-encoded byte, and no byte that would have to be encoded.
    private static func isPercentEncoded(_ text: Span<UInt8>) -> Bool {
        var isFound = false
        for index in text.indices {
            switch text[index] {
            case 0...0x20, .ascii("\""), 0x7F...: return false
            case .ascii("%"):
                guard index + 2 < text.count, text[index + 1].hexDigit != nil,
                    text[index + 2].hexDigit != nil
                else { return false }
                isFound = true
            default: break
            }
        }
        return isFound
    }

    /// Returns a text as a JSON string (RFC 8259 §7).
    static func quoted(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [.ascii("\"")]
        for byte in text {
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
