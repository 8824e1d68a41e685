// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The result of a first pass over JSON: that it is complete (RFC 8259), and which of its objects
/// are maps, whose members are keyed by data.
struct JSONOutline {
    /// For each object, in the order in which they open, whether it is a map.
    private(set) var maps: [Bool] = []

    private struct Frame {
        /// The index in `maps`; negative for arrays.
        let object: Int
        var keys = 0
        var known = 0
        var isOdd = false

        /// Whether the object is a map: a key contains characters that are not used in names, or
        /// most keys are not known names.
        var isMap: Bool { isOdd || known * 2 < keys }
    }

    private enum Expectation {
        case document, value, firstValue, key, firstKey, colon, comma
    }

    private var frames: [Frame] = []
    private var expectation = Expectation.document
    private var position: Int
    /// Whether there is a value at all.
    private var isFound = false

    /// Reads a range with one or more texts; returns `nil` if any of it is not JSON.
    init?(_ bytes: Span<UInt8>, _ words: StrictWords, maxDepth: Int) {
        position = JSONText.start(bytes, 0..<bytes.count)
        while true {
            while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
            guard position < bytes.count else { break }
            guard step(bytes, words, maxDepth) else { return nil }
        }
        guard isFound, frames.isEmpty, expectation == .document else { return nil }
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 || byte == 0x1E
    }

    private mutating func step(
        _ bytes: Span<UInt8>,
        _ words: StrictWords,
        _ maxDepth: Int
    ) -> Bool {
        let byte = bytes[position]
        switch expectation {
        case .firstValue where byte == .ascii("]"), .firstKey where byte == .ascii("}"):
            return close()
        case .document, .value, .firstValue:
            return value(bytes, maxDepth)
        case .key, .firstKey:
            return key(bytes, words)
        case .colon:
            guard byte == .ascii(":") else { return false }
            position += 1
            expectation = .value
            return true
        case .comma:
            guard let frame = frames.last else { return false }
            if byte == .ascii(",") {
                position += 1
                expectation = frame.object < 0 ? .value : .key
                return true
            }
            guard byte == (frame.object < 0 ? .ascii("]") : .ascii("}")) else { return false }
            return close()
        }
    }

    private mutating func close() -> Bool {
        guard let frame = frames.popLast() else { return false }
        if frame.object >= 0 { maps[frame.object] = frame.isMap }
        position += 1
        endValue()
        return true
    }

    private mutating func endValue() {
        isFound = true
        expectation = frames.isEmpty ? .document : .comma
    }

    private mutating func key(_ bytes: Span<UInt8>, _ words: StrictWords) -> Bool {
        guard bytes[position] == .ascii("\""),
            let (end, isEscaped) = JSONText.endOfString(bytes, position, bytes.count)
        else { return false }
        let written = bytes.extracting(position + 1..<end - 1)
        if isEscaped {
            var name: [UInt8] = []
            JSONText.decode(written, to: &name)
            note(name.span, words)
        } else {
            note(written, words)
        }
        position = end
        expectation = .colon
        return true
    }

    private mutating func note(_ key: Span<UInt8>, _ words: StrictWords) {
        let last = frames.count - 1
        frames[last].keys += 1
        if words.isName(key) {
            frames[last].known += 1
        } else if !StrictWords.isIdentifier(key) {
            frames[last].isOdd = true
        }
    }

    private mutating func value(_ bytes: Span<UInt8>, _ maxDepth: Int) -> Bool {
        switch bytes[position] {
        case .ascii("{"), .ascii("["):
            guard frames.count < maxDepth else { return false }
            let isObject = bytes[position] == .ascii("{")
            frames.append(Frame(object: isObject ? maps.count : -1))
            if isObject { maps.append(false) }
            position += 1
            expectation = isObject ? .firstKey : .firstValue
            return true
        case .ascii("\""):
            guard let (end, _) = JSONText.endOfString(bytes, position, bytes.count) else {
                return false
            }
            position = end
        default:
            let end = Self.endOfScalar(bytes, position)
            guard Self.isScalar(bytes.extracting(position..<end)) else { return false }
            position = end
        }
        endValue()
        return true
    }

    /// Returns where a number or a word ends.
    static func endOfScalar(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var end = start
        while end < bytes.count {
            switch bytes[end] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, .ascii("-"), .ascii("+"), .ascii("."):
                end += 1
            default: return end
            }
        }
        return end
    }

    private static func isScalar(_ text: Span<UInt8>) -> Bool {
        if text.equals("true") || text.equals("false") || text.equals("null") { return true }
        var position = 0
        func skipDigits(_ position: inout Int) -> Int {
            let start = position
            while position < text.count, text[position].isDigit { position += 1 }
            return position - start
        }
        if position < text.count, text[position] == .ascii("-") { position += 1 }
        guard skipDigits(&position) > 0 else { return false }
        if position < text.count, text[position] == .ascii(".") {
            position += 1
            guard skipDigits(&position) > 0 else { return false }
        }
        if position < text.count, text[position] | 0x20 == .ascii("e") {
            position += 1
            if position < text.count, text[position] == .ascii("+") || text[position] == .ascii("-")
            {
                position += 1
            }
            guard skipDigits(&position) > 0 else { return false }
        }
        return position == text.count
    }
}
