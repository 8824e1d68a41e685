// SPDX-License-Identifier: MIT

extension JSONWriter {
    /// Writes a value for people: one member or element per line, indented, with keys in order.
    ///
    /// Numbers keep their text. Every control character, including DEL and C1, is escaped, so that
    /// the result is safe on a terminal.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - indent: The number of spaces per level.
    ///   - limit: Stops after this many bytes; deep nesting makes long lines of short texts.
    /// - Returns: `false` if the limit was reached.
    @discardableResult
    package mutating func pretty(
        _ value: JSONValue,
        indent: Int = 2,
        limit: Int = 16 * 1024 * 1024
    ) -> Bool {
        reserve(1)
        comma()
        let document = value.document
        let end = Int(value.token.next)
        let start = count
        var layout = PrettyLayout(indent: max(0, min(indent, 16)))
        var index = value.index
        while index < end || !layout.isEmpty {
            if count &- start > limit { return false }
            if layout.closes(at: index) {
                layout.close(&self)
                continue
            }
            let item = document.value(index)
            let isKey = layout.place(&self)
            prettyToken(item)
            if isKey {
                reserve(2)
                put(0x3A)
                put(0x20)
            } else if item.kind == .object || item.kind == .array {
                layout.open(end: Int(item.token.next), isObject: item.kind == .object)
            }
            index &+= 1
        }
        needsComma = true
        return true
    }

    /// Writes a scalar, a key or an opening bracket.
    private mutating func prettyToken(_ value: JSONValue) {
        switch value.kind {
        case .object, .array:
            reserve(1)
            put(value.kind == .object ? 0x7B : 0x5B)
        case .string:
            reserve(1)
            put(0x22)
            escapeForTerminal(value.bytes)
            reserve(1)
            put(0x22)
        case .null, .true, .false, .number:
            append(value.bytes)
        }
    }

    /// Escapes like `escape`, and also DEL (U+007F) and C1 (U+0080 to U+009F).
    private mutating func escapeForTerminal(_ text: Span<UInt8>) {
        var run = 0
        var at = 0
        while at < text.count {
            let isDelete = text[at] == 0x7F
            let isC1 =
                text[at] == 0xC2 && at &+ 1 < text.count && text[at &+ 1] >= 0x80
                && text[at &+ 1] <= 0x9F
            if isDelete || isC1 {
                escape(text.extracting(run..<at))
                escapeScalar(isDelete ? 0x7F : text[at &+ 1])
                at &+= isDelete ? 1 : 2
                run = at
            } else {
                at &+= 1
            }
        }
        escape(text.extracting(run..<text.count))
    }
}

/// The open lists while a value is formatted; not recursive, so that depth costs no stack.
private struct PrettyLayout {
    struct Level {
        let end: Int
        let isObject: Bool
        var isEmpty = true
        var awaitsValue = false
    }

    let indent: Int
    var levels: [Level] = []

    init(indent: Int) { self.indent = indent }

    var isEmpty: Bool { levels.isEmpty }

    /// Whether the innermost list ends before this token.
    func closes(at index: Int) -> Bool {
        guard let level = levels.last else { return false }
        return index >= level.end
    }

    mutating func open(end: Int, isObject: Bool) {
        levels.append(Level(end: end, isObject: isObject))
    }

    /// Writes what precedes the next token; returns whether that token is a key.
    mutating func place(_ writer: inout JSONWriter) -> Bool {
        guard let last = levels.indices.last else { return false }
        if levels[last].awaitsValue {
            levels[last].awaitsValue = false
            return false
        }
        if !levels[last].isEmpty { writer.append(0x2C) }
        levels[last].isEmpty = false
        levels[last].awaitsValue = levels[last].isObject
        newLine(&writer)
        return levels[last].isObject
    }

    mutating func close(_ writer: inout JSONWriter) {
        guard let level = levels.popLast() else { return }
        if !level.isEmpty { newLine(&writer) }
        writer.append(level.isObject ? 0x7D : 0x5D)
    }

    private func newLine(_ writer: inout JSONWriter) {
        writer.append(0x0A)
        for _ in 0..<levels.count * indent { writer.append(0x20) }
    }
}
