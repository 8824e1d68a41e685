// SPDX-License-Identifier: MIT

internal import TaplineBytes

extension EmbeddedForm {
    /// Encodes a text in the form.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - output: The array that the run is appended to.
    /// - Returns: Whether encoding succeeded; otherwise nothing is appended.
    package func encode(_ text: Span<UInt8>, appendingTo output: inout [UInt8]) -> Bool {
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

    /// Encodes a text to replace a part of a run.
    ///
    /// It uses only those of the run's styles that occur in the replaced part, or all of them if
    /// none does.
    ///
    /// - Parameters:
    ///   - text: The replacement.
    ///   - part: The replaced part, in encoded form.
    ///   - output: The array that the encoded text is appended to.
    package func encode(
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

    /// Decodes a text if the form escapes single characters; otherwise appends nothing.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - output: The array that the decoded text, which is never longer, is appended to;
    ///     characters that are not escaped are copied.
    package func unescape(_ text: Span<UInt8>, appendingTo output: inout [UInt8]) {
        guard case .escapes(let styles) = kind else { return }
        EscapeText.decode(text, styles, appendingTo: &output)
    }

    /// Returns a text with its percent-encoding and backslash escapes decoded.
    package static func unescaped(_ text: Span<UInt8>) -> [UInt8] {
        var meaning: [UInt8] = []
        EscapeText.decode(text, [.percent, .backslash], appendingTo: &meaning)
        return meaning
    }
}
