// SPDX-License-Identifier: MIT

internal import TaplineBytes

extension EmbeddedFinder {
    /// Decodes a run.
    ///
    /// - Parameters:
    ///   - run: The bytes of the run.
    ///   - form: Its form.
    ///   - limit: The maximum number of decoded bytes; only compressed data grows.
    ///   - output: The array that the text is appended to, up to the point of a failure.
    /// - Returns: The outcome; if it is `isNoText`, the output is meaningless.
    package func decode(
        _ run: Span<UInt8>,
        from form: EmbeddedForm,
        limit: Int = .max,
        appendingTo output: inout [UInt8]
    ) -> EmbeddedOutcome {
        let start = output.count
        switch form.kind {
        case .escapes(let styles):
            EscapeText.decode(run, styles, appendingTo: &output)
        case .base64:
            Base64Text.decode(run, table, appendingTo: &output)
            guard isWorthReading(output.span.extracting(start...)) else {
                return .isNoText
            }
        case .hex:
            var position = 0
            while position + 1 < run.count, let high = run[position].hexDigit,
                let low = run[position + 1].hexDigit
            {
                output.append(high << 4 | low)
                position += 2
            }
        case .token:
            decodeToken(run, appendingTo: &output)
        case .quotedPrintable:
            QuotedPrintableText.decode(run, appendingTo: &output)
        case .utf16(let form):
            guard UTF16Text.decode(run, form, appendingTo: &output) else { return .isNoText }
        case .utf32(let form):
            guard UTF32Text.decode(run, form, appendingTo: &output) else { return .isNoText }
        case .compressed(let coding):
            return EmbeddedFinder.inflate(run, coding, limit, appendingTo: &output)
        }
        return output.count - start <= limit ? .decoded : .isTooLarge
    }

    /// Returns whether bytes are mostly text, or data that can be decoded in turn.
    private func isWorthReading(_ bytes: Span<UInt8>) -> Bool {
        if wholeForm(of: bytes) != nil { return true }
        var odd = 0
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x20, byte != 0x0A, byte != 0x0D, byte != 0x09 { odd += 1 }
        }
        return odd * 8 <= bytes.count
    }

    /// Appends those parts of a token that are text, each on its own line.
    private func decodeToken(_ run: Span<UInt8>, appendingTo output: inout [UInt8]) {
        var start = 0
        while start < run.count {
            var end = start
            while end < run.count, run[end] != UInt8(ascii: ".") { end += 1 }
            let before = output.count
            Base64Text.decode(run.extracting(start..<end), table, appendingTo: &output)
            if UTF8Text.isPrintable(output.span.extracting(before...)) {
                output.append(0x0A)
            } else {
                output.removeSubrange(before...)
            }
            start = end + 1
        }
    }

    private static func inflate(
        _ run: Span<UInt8>,
        _ coding: ContentCoding,
        _ limit: Int,
        appendingTo output: inout [UInt8]
    ) -> EmbeddedOutcome {
        do throws(CodingError) {
            let limits = DecodingLimits(maxOutputBytes: max(limit, 0))
            try ContentDecoder(coding, limits: limits).decodeWhole(run, appendingTo: &output)
            return .decoded
        } catch {
            switch error.code {
            case .outputLimit, .ratioLimit, .windowLimit, .memory: return .isTooLarge
            default: return .isNoText
            }
        }
    }
}

/// The outcome of decoding a run.
@frozen
package enum EmbeddedOutcome: Sendable {
    /// The whole run is decoded.
    case decoded
    /// The run is not in the given form.
    case isNoText
    /// The decoded text would exceed the limit.
    case isTooLarge
}
