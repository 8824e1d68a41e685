// SPDX-License-Identifier: MIT

/// Maps offsets in a scalar's text to the file, through quotes, escapes and folding.
struct ScalarAligner {
    private let raw: ArraySlice<UInt8>
    private let text: [UInt8]

    /// - Parameters:
    ///   - raw: The notation in the file, starting with its quote, `|`, `>` or first letter.
    ///   - text: The text of the scalar.
    init(raw: ArraySlice<UInt8>, text: [UInt8]) {
        self.raw = raw
        self.text = text
    }

    /// Returns the file offset of an offset in the text; `nil` if the two cannot be aligned.
    func fileOffset(of target: Int) -> Int? {
        guard target >= 0, target <= text.count else { return nil }
        switch raw.first {
        case UInt8(ascii: "\"") where text.first != UInt8(ascii: "\"") || raw.count > text.count:
            return walk(from: raw.startIndex + 1, to: target, escapes: true)
        case UInt8(ascii: "'") where text.first != UInt8(ascii: "'") || raw.count > text.count:
            return walk(from: raw.startIndex + 1, to: target, doubledQuotes: true)
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            guard let end = raw.firstIndex(of: 0x0A) else { return nil }
            // Leading empty lines, and blanks beyond the indentation, belong to the text.
            let blanks = text.prefix(while: Self.isBlank)
            let kept = blanks.reversed().prefix { $0 != 0x0A }.count
            guard target >= blanks.count - kept else { return end }
            return walk(from: skipBlanks(end) - kept, done: blanks.count - kept, to: target)
        default:
            return walk(from: raw.startIndex, to: target)
        }
    }

    private func walk(
        from start: Int,
        done first: Int = 0,
        to target: Int,
        escapes: Bool = false,
        doubledQuotes: Bool = false
    ) -> Int? {
        var index = start
        var done = first
        while done < target {
            guard index < raw.endIndex else { return nil }
            if escapes, raw[index] == UInt8(ascii: "\\") {
                guard let (length, size) = Self.escape(raw[index...]) else { return nil }
                guard done + size <= target else { return index }
                index += length
                done += size
            } else if Self.isBlank(raw[index]), Self.isBlank(text[done]),
                let (next, blanks) = fold(index, done)
            {
                guard done + blanks <= target else { return index }
                index = next
                done += blanks
            } else {
                guard raw[index] == text[done] else { return nil }
                if doubledQuotes, raw[index] == UInt8(ascii: "'") {
                    index += 1
                }
                index += 1
                done += 1
            }
        }
        return index
    }

    /// Skips a line break with the blanks around it, and the corresponding part of the text; `nil`
    /// if there is no line break.
    private func fold(_ index: Int, _ done: Int) -> (next: Int, blanks: Int)? {
        let next = skipBlanks(index)
        guard raw[index..<next].contains(0x0A) else { return nil }
        var end = done
        while end < text.count, Self.isBlank(text[end]) {
            end += 1
        }
        // Blanks at the beginning of the next line may belong to the text: as many as the text has
        // after its line break.
        let kept = text[done..<end].reversed().prefix { $0 != 0x0A }.count
        let hasBreak = text[done..<end].contains(0x0A)
        return hasBreak ? (next - kept, end - done - kept) : (next, end - done)
    }

    private func skipBlanks(_ index: Int) -> Int {
        var index = index
        while index < raw.endIndex, Self.isBlank(raw[index]) {
            index += 1
        }
        return index
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Returns the length of an escape in the file and the number of bytes that it stands for (YAML
    /// 1.2 §5.7).
    private static func escape(_ raw: ArraySlice<UInt8>) -> (length: Int, size: Int)? {
        let digits: Int
        switch raw.dropFirst().first {
        case UInt8(ascii: "x"): digits = 2
        case UInt8(ascii: "u"): digits = 4
        case UInt8(ascii: "U"): digits = 8
        case UInt8(ascii: "N"), UInt8(ascii: "_"): return (2, 2)
        case UInt8(ascii: "L"), UInt8(ascii: "P"): return (2, 3)
        case nil, 0x0A, 0x0D: return nil
        default: return (2, 1)
        }
        let hex = String(decoding: raw.dropFirst(2).prefix(digits), as: UTF8.self)
        guard let value = UInt32(hex, radix: 16) else { return nil }
        switch value {
        case 0..<0x80: return (2 + digits, 1)
        case 0x80..<0x800: return (2 + digits, 2)
        case 0x800..<0x10000: return (2 + digits, 3)
        default: return (2 + digits, 4)
        }
    }
}
