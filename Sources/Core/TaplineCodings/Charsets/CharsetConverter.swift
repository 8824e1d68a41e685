// SPDX-License-Identifier: MIT

internal import CIconv

/// Decodes and encodes texts of one charset with the C library's iconv.
///
/// **Isolation.** Used by one thread at a time.
@safe
package final class CharsetConverter {
    private let decoder: UnsafeMutableRawPointer
    /// `nil` for charsets that can only be decoded.
    private let encoder: UnsafeMutableRawPointer?
    /// Whether each character is encoded independently of its context.
    package let isStateless: Bool
    private var room = [UInt8](repeating: 0, count: 4 * CharsetConverter.step)

    /// The number of bytes that are converted at a time; more than a character can have.
    private static let step = 1024

    /// Makes a converter for a charset; `nil` if iconv does not support it.
    package init?(_ charset: Charset) {
        switch charset {
        case .stateless(let name):
            guard let decoder = unsafe tapline_iconv_open("UTF-8", name) else { return nil }
            guard let encoder = unsafe tapline_iconv_open(name, "UTF-8") else {
                unsafe tapline_iconv_close(decoder)
                return nil
            }
            unsafe self.decoder = decoder
            unsafe self.encoder = encoder
            isStateless = true
        case .stateful(let name):
            guard let decoder = unsafe tapline_iconv_open("UTF-8", name) else { return nil }
            unsafe self.decoder = decoder
            unsafe encoder = nil
            isStateless = false
        case .utf8, .utf16, .utf32, .unknown: return nil
        }
    }

    deinit {
        unsafe tapline_iconv_close(decoder)
        if let encoder = unsafe encoder { unsafe tapline_iconv_close(encoder) }
    }

    /// Decodes a text.
    ///
    /// A byte that does not belong to a character becomes U+FFFD, as in browsers.
    ///
    /// - Returns: The text, or `nil` if the bytes are unlikely to be in this charset: more than a
    ///   sixteenth of them do not belong to characters, or any of them does not in a stateful
    ///   charset, where it would lose the state.
    package func decode(_ source: Span<UInt8>) -> CharsetText? {
        var text = CharsetText()
        text.bytes.reserveCapacity(source.count + source.count / 2)
        var damage = 0
        var position = 0
        unsafe tapline_iconv_reset(decoder)
        while position < source.count {
            text.mark(source: position)
            let end = min(position + CharsetConverter.step, source.count)
            let result = unsafe convert(decoder, source.extracting(position..<end), room.count)
            text.bytes.append(contentsOf: room[..<result.produced])
            position += result.consumed
            switch result.outcome {
            case .done: continue
            case .full where result.consumed > 0: continue
            case .cut where result.consumed > 0 && end < source.count: continue
            case .full, .cut, .bad: break
            }
            damage += 1
            // The body may have been truncated.
            let isCut = result.outcome == .cut && end == source.count
            guard isStateless || isCut, damage <= 1 + source.count / 16 else { return nil }
            text.mark(source: position)
            text.bytes.append(contentsOf: "\u{FFFD}".utf8)
            position += 1
            unsafe tapline_iconv_reset(decoder)
        }
        text.mark(source: position)
        if !isStateless {
            // iconv holds back a character until the next one shows whether they combine.
            let produced = unsafe flush(decoder)
            text.bytes.append(contentsOf: room[..<produced])
        }
        return text
    }

    /// Returns the source position of a position in the text; `nil` if no character begins there.
    package func source(of place: Int, in text: CharsetText, from source: Span<UInt8>) -> Int? {
        guard isStateless else { return nil }
        let (mark, end) = text.mark(before: place, sourceCount: source.count)
        let missing = place - mark.text
        guard missing > 0 else { return missing == 0 ? mark.source : nil }
        guard missing <= room.count, mark.source < end else { return nil }
        unsafe tapline_iconv_reset(decoder)
        let result = unsafe convert(decoder, source.extracting(mark.source..<end), missing)
        return result.produced == missing ? mark.source + result.consumed : nil
    }

    /// Encodes a text in the charset.
    ///
    /// - Returns: `nil` if the charset lacks one of its characters.
    package func encode(_ text: Span<UInt8>) -> [UInt8]? {
        guard let encoder = unsafe encoder else { return nil }
        var output: [UInt8] = []
        var position = 0
        unsafe tapline_iconv_reset(encoder)
        while position < text.count {
            let end = min(position + CharsetConverter.step, text.count)
            let result = unsafe convert(encoder, text.extracting(position..<end), room.count)
            output.append(contentsOf: room[..<result.produced])
            position += result.consumed
            switch result.outcome {
            case .done where result.isExact: continue
            case .full where result.consumed > 0: continue
            case .cut where result.consumed > 0 && end < text.count: continue
            default: return nil
            }
        }
        return output
    }
}

// MARK: - One step

extension CharsetConverter {
    private enum Outcome {
        case done, full, cut, bad
    }

    private struct Step {
        var outcome: Outcome
        var consumed: Int
        var produced: Int
        /// Whether the conversion can be reversed exactly.
        var isExact = true
    }

    /// Converts into the first bytes of `room`, up to the given number.
    @unsafe
    private func convert(
        _ handle: UnsafeMutableRawPointer,
        _ input: Span<UInt8>,
        _ limit: Int
    ) -> Step {
        var consumed = input.count
        var produced = limit
        let code = unsafe input.withUnsafeBufferPointer { input in
            unsafe room.withUnsafeMutableBufferPointer { room in
                unsafe tapline_iconv(
                    handle,
                    input.baseAddress,
                    &consumed,
                    room.baseAddress,
                    &produced
                )
            }
        }
        let outcome: Outcome
        switch Int(code) {
        case Int(TAPLINE_ICONV_DONE), Int(TAPLINE_ICONV_INEXACT): outcome = .done
        case Int(TAPLINE_ICONV_FULL): outcome = .full
        case Int(TAPLINE_ICONV_CUT): outcome = .cut
        default: outcome = .bad
        }
        return Step(
            outcome: outcome,
            consumed: consumed,
            produced: produced,
            isExact: Int(code) != Int(TAPLINE_ICONV_INEXACT)
        )
    }

    @unsafe
    private func flush(_ handle: UnsafeMutableRawPointer) -> Int {
        var consumed = 0
        var produced = room.count
        _ = unsafe room.withUnsafeMutableBufferPointer { room in
            unsafe tapline_iconv(handle, nil, &consumed, room.baseAddress, &produced)
        }
        return produced
    }
}

/// The converters that a lane has opened.
package struct CharsetConverters {
    private var opened: [Charset: CharsetConverter?] = [:]

    /// The maximum number of converters kept; a recording uses few.
    private static let most = 32

    /// Makes an empty cache.
    package init() {}

    /// Returns the converter for a charset; `nil` if it is not supported.
    package mutating func converter(_ charset: Charset) -> CharsetConverter? {
        if let known = opened[charset] { return known }
        let converter = CharsetConverter(charset)
        if opened.count < CharsetConverters.most { opened[charset] = .some(converter) }
        return converter
    }
}
