// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds secrets in text of no certain form: errors, tags, fields that no rule knows.
///
/// What is looked for is `name=value`, `name: value` and `"name": value` where a rule names the
/// name, and user-info behind `://`. What is in doubt goes: behind a colon the rest of the line.
extension RuleSet {
    func editText(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        var position = range.lowerBound
        // Where the present word begins and ends; blanks and quotes may follow it.
        var word = position..<position
        while position < range.upperBound {
            let byte = bytes[position]
            if RuleSet.isWordByte(byte) {
                word = (word.upperBound == position ? word.lowerBound : position)..<position + 1
                position += 1
            } else if byte == .ascii("=") || byte == .ascii(":") {
                position = editPair(bytes, word, position, range.upperBound, &edits)
                word = position..<position
            } else {
                if !(byte.isBlank || byte == .ascii("\"") || byte == .ascii("'")) {
                    word = position..<position
                }
                position += 1
            }
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
        case .ascii("_"), .ascii("-"), .ascii("."), .ascii("%"), .ascii("["), .ascii("]"): true
        default: false
        }
    }

    /// Edits what follows a name and its separator; returns where to go on.
    private func editPair(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ separator: Int,
        _ end: Int,
        _ edits: inout EditList
    ) -> Int {
        let isColon = bytes[separator] == .ascii(":")
        if isColon, let authority = RuleSet.authority(behind: separator, bytes, end) {
            editUserInfo(bytes, authority, &edits)
            return max(authority.lowerBound, edits.end)
        }
        guard !word.isEmpty, let action = textAction(bytes.extracting(word)) else {
            return separator + 1
        }
        let value = RuleSet.value(behind: separator, isColon: isColon, bytes, end)
        if action == .remove {
            edits.remove(word.lowerBound..<value.upperBound)
        } else {
            replacePlain(bytes, value, action, &edits)
        }
        return max(value.upperBound, separator + 1)
    }

    private func textAction(_ word: Span<UInt8>) -> RedactionAction? {
        guard word.firstIndex(of: .ascii("%")) != nil else { return text.action(forNested: word) }
        let decoded = PercentEncoding.decode(word, plusIsSpace: true)
        return text.action(forNested: decoded.span)
    }

    /// The authority of a URL whose scheme ends at a colon.
    private static func authority(
        behind colon: Int,
        _ bytes: Span<UInt8>,
        _ end: Int
    ) -> Range<Int>? {
        guard colon + 2 < end, bytes[colon + 1] == .ascii("/"), bytes[colon + 2] == .ascii("/")
        else { return nil }
        var position = colon + 3
        while position < end {
            switch bytes[position] {
            case 0...0x20, .ascii("/"), .ascii("?"), .ascii("#"), .ascii("\""), .ascii("<"),
                .ascii(">"):
                return colon + 3..<position
            default: position += 1
            }
        }
        return colon + 3..<end
    }

    /// Where a value lies: between quotes; behind `=` up to a blank or `&`; behind a colon up to
    /// the end of the line.
    private static func value(
        behind separator: Int,
        isColon: Bool,
        _ bytes: Span<UInt8>,
        _ end: Int
    ) -> Range<Int> {
        var start = separator + 1
        while start < end, bytes[start].isBlank { start += 1 }
        guard start < end else { return start..<end }
        if bytes[start] == .ascii("\"") || bytes[start] == .ascii("'") {
            return quoted(bytes, start, end)
        }
        var position = start
        while position < end {
            switch bytes[position] {
            case 0x0A, 0x0D: return start..<position
            case 0x20, 0x09, .ascii("&"), .ascii("<"), .ascii(">"):
                if !isColon { return start..<position }
            default: break
            }
            position += 1
        }
        return start..<end
    }

    private static func quoted(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Range<Int> {
        var position = start + 1
        while position < end, bytes[position] != bytes[start] {
            position += bytes[position] == .ascii("\\") ? 2 : 1
        }
        return start + 1..<min(position, end)
    }
}
