// SPDX-License-Identifier: MIT

extension Span where Element == UInt8 {
    /// Returns whether a word may begin at a position, so that no longer word is split there.
    ///
    /// The letters of an escape (`\n`, `%3D`, `\u003d`) do not count as part of a word.
    func isWordStart(_ position: Int) -> Bool {
        guard position > 0, position <= count else { return position == 0 }
        let before = self[position - 1]
        guard ByteSet.word.contains(before) else { return true }
        return isEndOfEscape(position)
    }

    /// Returns whether a JSON or URL escape ends at a position.
    private func isEndOfEscape(_ position: Int) -> Bool {
        let last = self[position - 1]
        if position >= 2, self[position - 2] == 0x5C {
            return last == 0x6E || last == 0x72 || last == 0x74 || last == 0x62 || last == 0x66
        }
        guard position >= 3, ByteSet.anyHex.contains(last),
            ByteSet.anyHex.contains(self[position - 2])
        else { return false }
        if self[position - 3] == 0x25 { return true }
        if position >= 4, self[position - 3] == 0x78, self[position - 4] == 0x5C { return true }
        return position >= 6 && self[position - 5] == 0x75
            && (self[position - 6] == 0x5C || self[position - 6] == 0x25)
            && ByteSet.anyHex.contains(self[position - 3])
            && ByteSet.anyHex.contains(self[position - 4])
    }

    /// Returns how many of the bytes from `start` on belong to an escape that begins before
    /// `start`.
    func escapeLength(at start: Int) -> Int {
        if byte(start - 1) == 0x25 {
            return Swift.min(byte(start) == 0x75 ? 5 : 2, count - start)
        }
        var backslashes = 0
        while backslashes < 16, byte(start - 1 - backslashes) == 0x5C { backslashes += 1 }
        guard !backslashes.isMultiple(of: 2), start < count else { return 0 }
        switch self[start] {
        case 0x75: return Swift.min(5, count - start)
        case 0x78: return Swift.min(3, count - start)
        default: return 1
        }
    }

    /// Returns the end of the run of bytes of a set that begins at `start`; at most `limit` bytes.
    @inline(__always)
    func end(of set: ByteSet, from start: Int, limit: Int = .max) -> Int {
        let last = limit < count - start ? start + limit : count
        var position = start
        while position < last, set.contains(self[position]) { position += 1 }
        return position
    }

    /// Returns the start of the run of bytes of a set that ends at `end`; at most `limit` bytes.
    @inline(__always)
    func start(of set: ByteSet, before end: Int, limit: Int) -> Int {
        let last = Swift.max(0, end - limit)
        var position = end
        while position > last, set.contains(self[position - 1]) { position -= 1 }
        return position
    }

    /// Returns the byte at a position, or 0 outside the text.
    @inline(__always)
    func byte(_ position: Int) -> UInt8 {
        position >= 0 && position < count ? self[position] : 0
    }

    /// Returns the length of the UTF-8 sequence at a position; `nil` if it is malformed.
    ///
    /// Only the shape of the sequence is checked.
    func scalarLength(at position: Int) -> Int? {
        let length: Int
        switch byte(position) {
        case 0..<0x80: return 1
        case 0xC2..<0xE0: length = 2
        case 0xE0..<0xF0: length = 3
        case 0xF0...0xF4: length = 4
        default: return nil
        }
        for offset in 1..<length where byte(position + offset) & 0xC0 != 0x80 { return nil }
        return length
    }
}
