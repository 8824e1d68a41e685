// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Finds the parts of a text that are another text in an encoded form.
///
/// **Shape.** Runs are in order and do not overlap. A run of escapes ends at control characters and
/// at unescaped quotes, as strings do; base64 within it is found once the run is decoded. A run is
/// likely but not certain: `decode` fails if the rest of it turns out not to be text.
///
/// **Limits.** Time is linear. Most of a text is skipped, sixteen bytes at a time.
package struct EmbeddedFinder: Sendable {
    /// The limits of the search.
    package let limits: EmbeddedLimits
    let table = Base64Table()

    /// Makes a finder with these limits.
    package init(_ limits: EmbeddedLimits = EmbeddedLimits()) {
        self.limits = limits
    }

    /// Returns the form of a text as a whole: UTF-16, UTF-32, gzip, zlib or zstd; `nil` for plain
    /// text.
    package func wholeForm(of bytes: Span<UInt8>) -> EmbeddedForm? {
        guard bytes.count >= 4 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0x1F, 0x8B):
            return EmbeddedForm(kind: .compressed(.gzip))
        case (0x28, 0xB5) where bytes[2] == 0x2F && bytes[3] == 0xFD:
            return EmbeddedForm(kind: .compressed(.zstd))
        case (0x78, 0x01), (0x78, 0x5E), (0x78, 0x9C), (0x78, 0xDA):
            // All of these are valid zlib headers (RFC 1950 §2.2), but 0x78 0x5E is also the text
            // `x^`.
            return bytes[1] == 0x5E ? nil : EmbeddedForm(kind: .compressed(.deflate))
        default:
            // Tested before UTF-16, whose byte order mark is the first half of that of UTF-32.
            if let form = UTF32Text.form(of: bytes) { return EmbeddedForm(kind: .utf32(form)) }
            return UTF16Text.form(of: bytes).map { EmbeddedForm(kind: .utf16($0)) }
        }
    }

    /// Returns the form of a text whose charset is UTF-16 or UTF-32 by name (`utf-16`, `utf-16le`,
    /// …); `nil` for other charsets.
    ///
    /// Big-endian if neither the name nor the text determines the byte order (RFC 2781 §4.3).
    package func form(charset: Span<UInt8>, of bytes: Span<UInt8>) -> EmbeddedForm? {
        let isBigEndian = !Array(lowercasing: charset).suffix(2).elementsEqual("le".utf8)
        switch Charset(label: charset) {
        case .utf16 where bytes.count >= 2:
            let form = UTF16Text.form(of: bytes) ?? UTF16Form(isBigEndian: isBigEndian)
            return EmbeddedForm(kind: .utf16(form))
        case .utf32 where bytes.count >= 4:
            let form = UTF32Text.form(of: bytes) ?? UTF32Form(isBigEndian: isBigEndian)
            return EmbeddedForm(kind: .utf32(form))
        default: return nil
        }
    }

    /// Finds the runs in a text.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - runs: The array that the runs are appended to.
    package func find(in bytes: Span<UInt8>, appendingTo runs: inout [EmbeddedRun]) {
        var position = 0
        while position < bytes.count {
            let escape = nextEscape(bytes, from: position)
            guard escape < bytes.count else {
                findTokens(in: bytes, position..<escape, &runs)
                return
            }
            let start = ByteBlocks.afterBorder(bytes, from: position, to: escape)
            findTokens(in: bytes, position..<start, &runs)
            let (end, styles) = endOfEscapes(bytes, escape)
            let form = EmbeddedForm(kind: .escapes(styles))
            runs.append(EmbeddedRun(range: start..<end, form: form))
            position = end
        }
    }

    private func isBorder(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"")
    }
}

// MARK: - Escapes

extension EmbeddedFinder {
    /// Returns the next escape that represents a character; the end of the text if there is none.
    private func nextEscape(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while true {
            position = ByteBlocks.nextMark(bytes, from: position)
            guard position < bytes.count else { return bytes.count }
            if EscapeUnit(bytes, position) != nil { return position }
            position += 1
        }
    }

    /// Returns the end of a run of escapes, and the styles that it uses.
    private func endOfEscapes(_ bytes: Span<UInt8>, _ start: Int) -> (Int, EscapeStyles) {
        var styles: EscapeStyles = []
        var position = start
        while true {
            position = ByteBlocks.nextMarkOrBorder(bytes, from: position)
            guard position < bytes.count, !isBorder(bytes[position]) else { break }
            if let unit = EscapeUnit(bytes, position) {
                styles.insert(unit.style)
                position += unit.length
            } else {
                position += 1
            }
        }
        return (min(position, bytes.count), styles)
    }
}

// MARK: - Base64, hexadecimal digits and tokens

extension EmbeddedFinder {
    /// Finds the runs that are long enough.
    private func findTokens(
        in bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ runs: inout [EmbeddedRun]
    ) {
        let least = min(max(limits.minBase64Length, 4), 32)
        guard range.count >= least else { return }
        let text = bytes.extracting(0..<range.upperBound)
        var digits = DigitRuns(from: range.lowerBound)
        // A found run may extend beyond its digits, for example over several lines of base64.
        var next = range.lowerBound
        while let run = digits.next(in: text, length: least) {
            let word = max(run.lowerBound, next)..<max(run.upperBound, next)
            guard word.count >= max(least, limits.minBase64Length) else { continue }
            next = word.upperBound
            findToken(in: bytes, word, range, &next, &runs)
        }
    }

    /// Decides what a run of digits is: hexadecimal text, or base64 that begins at its start or
    /// after a character that also separates words (`/path/eyJh…`, `key_dXNl…`).
    private func findToken(
        in bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ range: Range<Int>,
        _ next: inout Int,
        _ runs: inout [EmbeddedRun]
    ) {
        if let form = hexForm(bytes, word) {
            runs.append(EmbeddedRun(range: word, form: form))
            return
        }
        var start = word.lowerBound
        while start + limits.minBase64Length <= word.upperBound {
            if let end = likelyEnd(bytes, start, word.upperBound, range.upperBound),
                let run = base64Run(bytes, start, end)
            {
                runs.append(run)
                next = max(next, run.range.upperBound)
                // The other alphabet may begin where this run ended.
                start = run.range.upperBound
                guard start < word.upperBound else { return }
                continue
            }
            // A run that begins later would be too short.
            let last = word.upperBound - limits.minBase64Length
            guard start < last else { return }
            start = positionAfterSeparator(bytes, start..<last)
        }
    }

    /// Returns the position after the next character that separates words; the end plus one if
    /// there is none.
    private func positionAfterSeparator(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        ByteBlocks.nextSign(bytes.extracting(0..<range.upperBound), from: range.lowerBound) + 1
    }

    /// Returns the limit for a run that begins at a position; `nil` if none begins there.
    ///
    /// A slash may be a digit or separate the segments of a path.
    private func likelyEnd(_ bytes: Span<UInt8>, _ start: Int, _ word: Int, _ limit: Int) -> Int? {
        // The first digits do not depend on where the run ends.
        guard word - start < 4 || mayBegin(bytes, start) else { return nil }
        if isLikely(bytes, start, word) { return limit }
        let head = bytes.extracting(0..<min(word, start + 24))
        let end = ByteBlocks.nextSlash(head, from: start)
        guard end < head.count, end - start >= limits.minBase64Length,
            isLikely(bytes, start, end)
        else { return nil }
        return end
    }

    /// Returns whether text, or data that can be decoded, may begin with the digits from a position
    /// on; there must be at least four.
    @inline(__always)
    private func mayBegin(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
        let one = table.value(bytes[start])
        let two = table.value(bytes[start + 1])
        let three = table.value(bytes[start + 2])
        return mayBegin(one << 2 | two >> 4, two << 4 | three >> 2)
    }

    /// Returns whether the first digits from a position on decode to text, or to data that can be
    /// decoded.
    private func isLikely(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        var head = InlineArray<24, UInt8>(repeating: 0)
        var count = 0
        var position = start
        while position + 4 <= end, count < 18 {
            let one = table.value(bytes[position])
            let two = table.value(bytes[position + 1])
            let three = table.value(bytes[position + 2])
            let four = table.value(bytes[position + 3])
            head[count] = one << 2 | two >> 4
            head[count + 1] = two << 4 | three >> 2
            head[count + 2] = three << 6 | four
            count += 3
            position += 4
        }
        let bytes = head.span.extracting(0..<count)
        return UTF8Text.isPrintable(bytes) || wholeForm(of: bytes) != nil
    }

    /// Returns whether text, or decodable data, may begin with two bytes; this rules out most
    /// words.
    private func mayBegin(_ first: UInt8, _ second: UInt8) -> Bool {
        switch (first, second) {
        case (0x1F, 0x8B), (0x28, 0xB5), (0x78, _), (0, _), (_, 0), (0xFF, 0xFE), (0xFE, 0xFF): true
        case (0x20..<0x7F, 0x20..<0x7F), (0xC2...0xF4, 0x80...0xBF): true
        case (0x20..<0x7F, 0xC2...0xF4), (0x09...0x0D, _), (_, 0x09...0x0D): true
        default: false
        }
    }

    private func hexForm(_ bytes: Span<UInt8>, _ word: Range<Int>) -> EmbeddedForm? {
        guard word.count >= max(limits.minHexLength, 2), word.count % 2 == 0 else { return nil }
        var position = word.lowerBound
        var isUpper = false
        var isLower = false
        while position < word.upperBound {
            guard let high = bytes[position].hexDigit, let low = bytes[position + 1].hexDigit else {
                return nil
            }
            let byte = high << 4 | low
            guard 0x20..<0x7F ~= byte || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
                return nil
            }
            isUpper = isUpper || 0x41...0x46 ~= bytes[position + 1]
            isLower = isLower || 0x61...0x66 ~= bytes[position + 1]
            position += 2
        }
        return EmbeddedForm(kind: .hex(isUpper: isUpper && !isLower))
    }

    /// Returns the base64 run that begins at a position, with its padding, its further lines or,
    /// for a token, its further parts.
    private func base64Run(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ limit: Int
    ) -> EmbeddedRun? {
        var reader = Base64RunReader()
        let end = reader.read(bytes, start, limit)
        guard end - start >= limits.minBase64Length else { return nil }
        if end < limit, bytes[end] == UInt8(ascii: "."), bytes[end - 1] != UInt8(ascii: "="),
            isObject(bytes, start, end),
            let token = endOfToken(bytes, end, limit)
        {
            return EmbeddedRun(range: start..<token, form: EmbeddedForm(kind: .token))
        }
        return EmbeddedRun(range: start..<end, form: EmbeddedForm(kind: .base64(reader.form)))
    }

    /// Returns whether a run decodes to text that begins with a brace, as a token's header does.
    private func isObject(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        end - start >= 4
            && table.value(bytes[start]) << 2 | table.value(bytes[start + 1]) >> 4
                == UInt8(ascii: "{")
    }

    /// Returns the end of a token of two to five parts (RFC 7515 §7.1, RFC 7516 §7.1).
    private func endOfToken(_ bytes: Span<UInt8>, _ firstDot: Int, _ limit: Int) -> Int? {
        var end = firstDot
        for part in 0..<4 {
            guard end < limit, bytes[end] == UInt8(ascii: ".") else { break }
            let start = end + 1
            var position = start
            while position < limit, Base64Text.isDigit(bytes[position]),
                bytes[position] != UInt8(ascii: "+"), bytes[position] != UInt8(ascii: "/")
            {
                position += 1
            }
            if part == 0, position - start < 4 { return nil }
            end = position
        }
        return end
    }
}
