// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// The form of a quoted-printable text (RFC 2045 §6.7).
struct QuotedPrintableForm: Equatable, Sendable {
    /// Whether lines end with CR LF.
    var hasReturns = false
}

/// Decodes and encodes quoted-printable.
enum QuotedPrintableText {
    /// The maximum length of a line, including the `=` of a soft line break.
    private static let lineLength = 76

    /// Returns the form of a text that is declared as quoted-printable.
    static func form(of bytes: Span<UInt8>) -> QuotedPrintableForm {
        var form = QuotedPrintableForm()
        for index in bytes.indices where bytes[index] == 0x0A {
            form.hasReturns = index > 0 && bytes[index - 1] == 0x0D
            break
        }
        return form
    }

    /// Returns whether a text is likely to be quoted-printable.
    ///
    /// Each `=` must escape a byte or end a line. One of them must escape `=` itself, or a soft
    /// line break must occur in a text that names the form.
    static func isLikely(_ bytes: Span<UInt8>) -> Bool {
        var position = 0
        var hasBreak = false
        var hasEqualsSign = false
        while true {
            position = ByteBlocks.nextEqualsSign(bytes, from: position)
            guard position < bytes.count else { break }
            if let byte = escaped(bytes, position) {
                hasEqualsSign = hasEqualsSign || byte == UInt8(ascii: "=")
                position += 3
            } else {
                guard let end = endOfBreak(bytes, position) else { return false }
                hasBreak = true
                position = end
            }
        }
        return hasEqualsSign || (hasBreak && namesItself(bytes))
    }

    /// Returns whether the start of a text, such as a mail's header, contains the name of the form.
    private static func namesItself(_ bytes: Span<UInt8>) -> Bool {
        let name = Array("quoted-printable".utf8)
        var start = 0
        let last = min(bytes.count, 4096) - name.count
        while start <= last {
            var length = 0
            while length < name.count, bytes[start + length] | 0x20 == name[length] | 0x20 {
                length += 1
            }
            if length == name.count { return true }
            start += 1
        }
        return false
    }

    /// Returns the byte that `=41` represents.
    private static func escaped(_ bytes: Span<UInt8>, _ position: Int) -> UInt8? {
        guard position + 2 < bytes.count, let high = bytes[position + 1].hexDigit,
            let low = bytes[position + 2].hexDigit
        else { return nil }
        return high << 4 | low
    }

    /// Returns the start of the next line after a `=` that ends one; blanks may come between.
    private static func endOfBreak(_ bytes: Span<UInt8>, _ position: Int) -> Int? {
        var end = position + 1
        while end < bytes.count, bytes[end] == 0x20 || bytes[end] == 0x09 { end += 1 }
        if end < bytes.count, bytes[end] == 0x0D { end += 1 }
        guard end < bytes.count, bytes[end] == 0x0A else { return nil }
        return end + 1
    }

    /// Appends the decoded text; bytes that are not in the form are copied.
    static func decode(_ bytes: Span<UInt8>, appendingTo output: inout [UInt8]) {
        output.reserveCapacity(output.count + bytes.count)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "="), let plain = escaped(bytes, position) {
                output.append(plain)
                position += 3
            } else if byte == UInt8(ascii: "="), let end = endOfBreak(bytes, position) {
                position = end
            } else {
                output.append(byte)
                position += 1
            }
        }
    }

    /// Appends bytes encoded in the form.
    static func encode(
        _ bytes: Span<UInt8>,
        _ form: QuotedPrintableForm,
        appendingTo output: inout [UInt8]
    ) {
        var column = 0
        func put(_ text: [UInt8], _ output: inout [UInt8]) {
            if column + text.count >= lineLength {
                output.append(contentsOf: form.hasReturns ? [0x3D, 0x0D, 0x0A] : [0x3D, 0x0A])
                column = 0
            }
            output.append(contentsOf: text)
            column += text.count
        }
        output.reserveCapacity(output.count + bytes.count + bytes.count / 8)
        for index in bytes.indices {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0x0A
            switch byte {
            case 0x0A, 0x0D:
                output.append(byte)
                column = 0
            case 0x21...0x3C, 0x3E...0x7E:
                put([byte], &output)
            case 0x20 where next != 0x0A && next != 0x0D:
                put([byte], &output)
            case 0x09 where next != 0x0A && next != 0x0D:
                put([byte], &output)
            default:
                let high = EscapeText.hexDigit(byte >> 4, isUpper: true)
                let low = EscapeText.hexDigit(byte & 0xF, isUpper: true)
                put([UInt8(ascii: "="), high, low], &output)
            }
        }
    }
}
