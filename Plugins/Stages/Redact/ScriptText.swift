// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Scripts: JSON, a call or an assignment with JSON in it, or others.
enum ScriptText {
    /// Edits a script: as JSON where all of it is understood so, otherwise where names have values
    /// in quotes.
    static func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ rules: RuleSet,
        _ json: inout JSONEditor,
        _ edits: inout EditList
    ) {
        let inner = JSONText.isLikely(bytes, range) ? range : ScriptText.json(bytes, range)
        if let inner {
            var found = EditList()
            if json.edit(bytes, inner, rules, &found) {
                edits.merge(found)
                return
            }
        }
        let isCode = ScriptText.isCode(bytes, range)
        TextEditor(rules: rules, isQuery: !isCode, isStrict: isCode, isScript: isCode)
            .edit(bytes, range, &edits)
    }

    /// Whether there is anything that a script of any length has.
    ///
    /// That is a bracket, a semicolon or a quote; what has none, as `user=a&password=b`, has got the
    /// wrong type.
    private static func isCode(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range {
            switch bytes[index] {
            case .ascii("("), .ascii("{"), .ascii("["), .ascii(";"), .ascii("\""), .ascii("'"),
                .ascii("`"):
                return true
            default: continue
            }
        }
        return false
    }

    /// Where the JSON lies in `callback({…});`, `/**/ a.b({…})` or `window.state = {…};`; nothing
    /// where the script is another one.
    static func json(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        var position = range.lowerBound
        func skipBlanks() {
            while position < range.upperBound,
                bytes[position].isBlank || bytes[position] == 0x0A || bytes[position] == 0x0D
            {
                position += 1
            }
        }
        skipBlanks()
        if bytes.extracting(position..<range.upperBound).starts(with: "/**/") { position += 4 }
        skipBlanks()
        // Names are short: a script that goes on for long is another one.
        let limit = min(range.upperBound, position + 256)
        while position < limit, isName(bytes[position]) { position += 1 }
        guard position < limit else { return nil }
        let opener = bytes[position]
        guard opener == .ascii("(") || opener == .ascii("=") else { return nil }
        position += 1
        var end = range.upperBound
        let closers: [UInt8] =
            [.ascii(";"), 0x20, 0x09, 0x0A, 0x0D] + (opener == .ascii("(") ? [.ascii(")")] : [])
        while end > position, closers.contains(bytes[end - 1]) { end -= 1 }
        return JSONText.isLikely(bytes, position..<end) ? position..<end : nil
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x20, 0x09: true
        case .ascii("_"), .ascii("$"), .ascii("."), .ascii("["), .ascii("]"), .ascii("\""): true
        case .ascii("'"), .ascii(";"): true
        default: false
        }
    }
}
