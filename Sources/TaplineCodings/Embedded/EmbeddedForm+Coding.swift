// SPDX-License-Identifier: MIT

internal import TaplineBytes

extension EmbeddedForm {
    /// Writes a text in the form.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - output: Gets the run.
    /// - Returns: Whether that was possible; otherwise nothing is appended.
    public func encode(_ text: Span<UInt8>, appendingTo output: inout [UInt8]) -> Bool {
        switch kind {
        case .escapes(let styles):
            EscapeText.encode(text, styles, appendingTo: &output)
        case .base64(let form):
            Base64Text.encode(text, form, appendingTo: &output)
        case .hex(let isUpper):
            for index in text.indices {
                output.append(EscapeText.hexDigit(text[index] >> 4, isUpper: isUpper))
                output.append(EscapeText.hexDigit(text[index] & 0xF, isUpper: isUpper))
            }
        case .quotedPrintable(let form):
            QuotedPrintableText.encode(text, form, appendingTo: &output)
        case .token:
            return false
        case .utf16(let form):
            UTF16Text.encode(text, form, appendingTo: &output)
        case .utf32(let form):
            UTF32Text.encode(text, form, appendingTo: &output)
        case .compressed(let coding):
            do throws(CodingError) {
                let coded = try coding.encode(text, level: 1)
                output.append(contentsOf: coded)
            } catch {
                return false
            }
        }
        return true
    }

    /// Writes a text so that it can take the place of a part of a run.
    ///
    /// Of the styles of a run only those count that occur in that part; all where none does.
    /// - Parameters:
    ///   - text: What takes the place.
    ///   - part: What stood there, as it was written.
    ///   - output: Gets the text in the form.
    public func encode(
        _ text: Span<UInt8>,
        replacing part: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) {
        guard case .escapes(let styles) = kind else {
            output.append(copying: text)
            return
        }
        let found = EscapeText.styles(in: part)
        EscapeText.encode(text, found.isEmpty ? styles : found, appendingTo: &output)
    }

    /// Appends what a text means whose characters are escaped one by one, and no other text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - output: Gets what it means, at most as many bytes; what is no escape stays as it is.
    public func unescape(_ text: Span<UInt8>, appendingTo output: inout [UInt8]) {
        guard case .escapes(let styles) = kind else { return }
        EscapeText.decode(text, styles, appendingTo: &output)
    }

    /// What a text means in which characters are escaped, by percent signs or backslashes.
    public static func unescaped(_ text: Span<UInt8>) -> [UInt8] {
        var meaning: [UInt8] = []
        EscapeText.decode(text, [.percent, .backslash], appendingTo: &meaning)
        return meaning
    }
}
