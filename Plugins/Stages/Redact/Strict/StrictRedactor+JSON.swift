// SPDX-License-Identifier: MIT

internal import TaplineModel

/// JSON: its structure is kept, and so are `true`, `false`, `null` and known names.
extension StrictRedactor {
    /// An open container.
    private struct Frame {
        let isObject: Bool
        let isMap: Bool
        /// The position of the current element.
        var index = 0
    }

    /// The state of the JSON text that is being written.
    private struct Writing {
        var frames: [Frame] = []
        /// The number of objects opened so far.
        var objects = 0
        var states: [UInt64] = []
        /// Whether a name comes next.
        var isKey = false
        /// Whether the value of the current member is kept.
        var isKept = false
        /// Whether paths of `keep` apply; they do not within strings.
        var hasPaths = false
        var position = 0
    }

    /// Writes JSON; returns `false` if the text is not JSON, in which case the output is
    /// meaningless.
    mutating func json(_ bytes: Span<UInt8>, _ level: Int, into output: inout [UInt8]) -> Bool {
        guard let outline = JSONOutline(bytes, words, maxDepth: limits.maxDepth) else {
            return false
        }
        var writing = Writing()
        writing.hasPaths = level == 0 && !strict.keep.paths.isEmpty
        writing.states = strict.keep.paths.initial
        writing.position = JSONText.start(bytes, 0..<bytes.count)
        prefix(bytes.extracting(0..<writing.position), level, into: &output)
        while writing.position < bytes.count {
            step(bytes, outline, level, &writing, into: &output)
        }
        return true
    }

    /// Writes what precedes JSON: a byte order mark and guards are kept, comments are text.
    private mutating func prefix(
        _ text: Span<UInt8>,
        _ level: Int,
        into output: inout [UInt8]
    ) {
        var position = text.starts(with: "\u{FEFF}") ? 3 : 0
        while position < text.count, JSONOutline.isBlank(text[position]) { position += 1 }
        for guarding in JSONText.guards where text.extracting(position...).starts(with: guarding) {
            position += guarding.utf8.count
            break
        }
        output.append(copying: text.extracting(0..<position))
        while position < text.count {
            guard text[position] == .ascii("/"), position + 1 < text.count else {
                // Only blanks are between comments.
                output.append(text[position])
                position += 1
                continue
            }
            let isLine = text[position + 1] == .ascii("/")
            output.append(copying: text.extracting(position..<position + 2))
            position += 2
            var end = position
            while end < text.count, !Self.endsComment(text, end, isLine) { end += 1 }
            self.text(text.extracting(position..<end), strict.value, level, into: &output)
            position = end
            if !isLine, position + 1 < text.count {
                output.append(copying: "*/".utf8.span)
                position += 2
            }
        }
    }

    private static func endsComment(_ text: Span<UInt8>, _ position: Int, _ isLine: Bool) -> Bool {
        guard !isLine else { return text[position] == 0x0A }
        return text[position] == .ascii("*") && position + 1 < text.count
            && text[position + 1] == .ascii("/")
    }

    private mutating func step(
        _ bytes: Span<UInt8>,
        _ outline: JSONOutline,
        _ level: Int,
        _ writing: inout Writing,
        into output: inout [UInt8]
    ) {
        let byte = bytes[writing.position]
        switch byte {
        case .ascii(","):
            if let last = writing.frames.indices.last {
                writing.frames[last].index += 1
                writing.isKey = writing.frames[last].isObject
            }
        case .ascii("}"), .ascii("]"):
            writing.frames.removeLast()
            writing.isKey = false
        case .ascii(":"):
            break
        case _ where JSONOutline.isBlank(byte):
            break
        case .ascii("\"") where writing.isKey:
            key(bytes, &writing, into: &output)
            return
        default:
            value(bytes, outline, level, &writing, into: &output)
            return
        }
        output.append(byte)
        writing.position += 1
    }

    private mutating func key(
        _ bytes: Span<UInt8>,
        _ writing: inout Writing,
        into output: inout [UInt8]
    ) {
        let start = writing.position
        let (end, isEscaped) =
            JSONText.endOfString(bytes, start, bytes.count) ?? (bytes.count, false)
        let text = bytes.extracting(start..<end)
        let inner = text.extracting(1..<text.count - 1)
        if isEscaped {
            var name: [UInt8] = []
            JSONText.decode(inner, to: &name)
            key(text, named: name.span, &writing, into: &output)
        } else {
            key(text, named: inner, &writing, into: &output)
        }
        writing.position = end
        writing.isKey = false
    }

    private mutating func key(
        _ text: Span<UInt8>,
        named name: Span<UInt8>,
        _ writing: inout Writing,
        into output: inout [UInt8]
    ) {
        writing.isKept = strict.keep.keeps(name, strict.keep.json)
        var isNamed = writing.isKept && strict.keep.json.rule(for: name) != nil
        if writing.hasPaths {
            let level = writing.frames.count - 1
            let found = strict.keep.paths.descend(from: level, &writing.states, name: name)
            // A path may end with a name of any kind.
            isNamed = isNamed || found != nil
            writing.isKept = writing.isKept || found != nil
        }
        let isMap = writing.frames.last?.isMap ?? true
        if (!isMap && words.isName(name)) || isNamed || name.isEmpty {
            output.append(copying: text)
        } else {
            output += Replacement.quoted(self.name(name))
        }
    }

    private mutating func value(
        _ bytes: Span<UInt8>,
        _ outline: JSONOutline,
        _ level: Int,
        _ writing: inout Writing,
        into output: inout [UInt8]
    ) {
        var isKept = writing.isKept
        writing.isKept = false
        if let frame = writing.frames.last, !frame.isObject {
            isKept = false
            if writing.hasPaths {
                let level = writing.frames.count - 1
                let found = strict.keep.paths
                    .descend(from: level, &writing.states, index: frame.index)
                isKept = found != nil
            }
        }
        let start = writing.position
        guard !isKept else {
            writing.position = Self.endOfValue(bytes, start, &writing.objects)
            output.append(copying: bytes.extracting(start..<writing.position))
            return
        }
        switch bytes[start] {
        case .ascii("{"), .ascii("["):
            let isObject = bytes[start] == .ascii("{")
            let isMap = isObject && outline.maps[writing.objects]
            if isObject { writing.objects += 1 }
            writing.frames.append(Frame(isObject: isObject, isMap: isMap))
            writing.isKey = isObject
            output.append(bytes[start])
            writing.position += 1
        case .ascii("\""):
            let end = JSONText.endOfString(bytes, start, bytes.count)?.end ?? bytes.count
            string(bytes.extracting(start..<end), level, into: &output)
            writing.position = end
        default:
            let end = JSONOutline.endOfScalar(bytes, start)
            scalar(bytes.extracting(start..<end), into: &output)
            writing.position = max(end, start + 1)
        }
    }

    /// Returns where a value ends in a text that is known to be JSON, and counts the objects in it.
    private static func endOfValue(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ objects: inout Int
    ) -> Int {
        var depth = 0
        var position = start
        while position < bytes.count {
            switch bytes[position] {
            case .ascii("{"), .ascii("["):
                if bytes[position] == .ascii("{") { objects += 1 }
                depth += 1
                position += 1
            case .ascii("}"), .ascii("]"):
                depth -= 1
                position += 1
            case .ascii("\""):
                position = JSONText.endOfString(bytes, position, bytes.count)?.end ?? bytes.count
            case .ascii(","), .ascii(":"): position += 1
            case let byte where JSONOutline.isBlank(byte): position += 1
            default: position = max(JSONOutline.endOfScalar(bytes, position), position + 1)
            }
            if depth == 0 { return position }
        }
        return position
    }

    private mutating func string(
        _ text: Span<UInt8>,
        _ level: Int,
        into output: inout [UInt8]
    ) {
        let inner = text.extracting(1..<text.count - 1)
        let start = output.count
        guard inner.firstIndex(of: .ascii("\\")) != nil else {
            output.append(.ascii("\""))
            value(inner, strict.value, level + 1, into: &output)
            // Kept text has no such bytes, but replacements of values may have.
            let isPlain = output.span.extracting((start + 1)...).isPlainInJSON
            if isPlain {
                output.append(.ascii("\""))
            } else {
                let written = Array(output[(start + 1)...])
                output.removeSubrange((start + 1)...)
                JSONText.encode(written.span, to: &output)
                output.append(.ascii("\""))
            }
            return
        }
        var meaning: [UInt8] = []
        meaning.reserveCapacity(inner.count)
        JSONText.decode(inner, to: &meaning)
        var written: [UInt8] = []
        written.reserveCapacity(inner.count)
        value(meaning.span, strict.value, level + 1, into: &written)
        if written == meaning {
            output.append(copying: text)
        } else {
            output.append(.ascii("\""))
            JSONText.encode(written.span, to: &output)
            output.append(.ascii("\""))
        }
    }

    /// Writes a number, or the words that are kept.
    private mutating func scalar(_ text: Span<UInt8>, into output: inout [UInt8]) {
        let isNumber = text[0] == .ascii("-") || text[0].isDigit
        guard isNumber, !isReplacement(text) || !Self.isPlain(number: text) else {
            output.append(copying: text)
            return
        }
        number(text, into: &output)
    }
}

extension Span<UInt8> {
    /// Whether these bytes need no escaping in a JSON string (RFC 8259 §7).
    fileprivate var isPlainInJSON: Bool {
        for index in indices {
            switch self[index] {
            case 0..<0x20, .ascii("\""), .ascii("\\"): return false
            default: break
            }
        }
        return true
    }
}
