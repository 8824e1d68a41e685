// SPDX-License-Identifier: MIT

/// Determines the end and the form of a run of base64.
struct Base64RunReader {
    private(set) var form = Base64Form()
    /// Reads a run and returns its end.
    ///
    /// The first character that only one alphabet has selects the alphabet; a character of the
    /// other one ends the run.
    mutating func read(_ bytes: Span<UInt8>, _ start: Int, _ limit: Int) -> Int {
        var standard = false
        var end = line(bytes, start, limit, &standard)
        let length = end - start
        // Common line lengths are 76 (RFC 2045 §6.8) and 64 (RFC 7468 §2); all lines but the last
        // are equally long.
        if length >= 60, length % 4 == 0 {
            var last = length
            while last == length, let next = nextLine(bytes, end, limit) {
                let lineEnd = line(bytes, next, limit, &standard)
                last = lineEnd - next
                guard last > 0, last <= length, isLineEnd(bytes, lineEnd, limit) else { break }
                form.lineLength = length
                form.hasReturns = bytes[end] == 0x0D
                end = lineEnd
            }
        }
        let count = end - start
        if end < limit, bytes[end] == UInt8(ascii: "=") {
            form.isPadded = true
            end += 1
            if end < limit, bytes[end] == UInt8(ascii: "=") { end += 1 }
        } else if form.lineLength == 0 {
            // A single leftover digit does not make a byte.
            if count % 4 == 1 { end -= 1 }
            form.isPadded = count % 4 == 0 && !form.isURL
        }
        return end
    }

    /// Reads the digits of one alphabet and returns their end.
    private mutating func line(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ limit: Int,
        _ standard: inout Bool
    ) -> Int {
        let text = bytes.extracting(0..<limit)
        let digits = text.extracting(0..<ByteBlocks.endOfDigits(text, from: start))
        var position = start
        while true {
            position = ByteBlocks.nextSign(digits, from: position)
            guard position < digits.count else { return digits.count }
            let byte = digits[position]
            if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") {
                if standard { return position }
                form.isURL = true
            } else {
                if form.isURL { return position }
                standard = true
            }
            position += 1
        }
    }

    /// Returns the start of the next line if a line ends here and a digit follows; otherwise `nil`.
    private func nextLine(_ bytes: Span<UInt8>, _ end: Int, _ limit: Int) -> Int? {
        var position = end
        if position < limit, bytes[position] == 0x0D { position += 1 }
        guard position < limit, bytes[position] == 0x0A else { return nil }
        position += 1
        guard position < limit, Base64Text.isDigit(bytes[position]) else { return nil }
        return position
    }

    /// Returns whether the digits of a line are followed by a line end, padding, a quote, `-` or
    /// the end.
    private func isLineEnd(_ bytes: Span<UInt8>, _ end: Int, _ limit: Int) -> Bool {
        guard end < limit else { return true }
        switch bytes[end] {
        case 0x0A, 0x0D, UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "-"): return true
        default: return false
        }
    }
}
