// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Names and values that are not joined by `=` or `:`.
extension TextEditor {
    /// Edits the value after an option of a command: `--password x`.
    ///
    /// A rule matches the option's name or its last words, except for names of files and lengths.
    func editOption(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ end: Int,
        _ edits: inout EditList
    ) -> Int {
        guard !isStrict, bytes[word.lowerBound + 1] == .ascii("-"),
            let rule = optionRule(bytes.extracting(word.lowerBound + 2..<word.upperBound))
        else { return word.upperBound }
        var start = word.upperBound
        while start < end, bytes[start].isBlank { start += 1 }
        if start + 1 < end, bytes[start] == .ascii("="), bytes[start + 1].isBlank {
            // `--password = x`.
            start += 1
            while start < end, bytes[start].isBlank { start += 1 }
        }
        guard start < end, bytes[start] != .ascii("-") else { return word.upperBound }
        let first = TextUnit(bytes, start, end)
        var value: Range<Int>
        if first.byte == .ascii("\"") || first.byte == .ascii("'") {
            value = TextEditor.quoted(bytes, by: first, start + first.length..<end)
        } else {
            var last = start
            while last < end, bytes[last] > 0x20, bytes[last] != .ascii("\"") { last += 1 }
            // The quote that ends a string around the command.
            while last > start, last < end, bytes[last] == .ascii("\""),
                bytes[last - 1] == .ascii("\\")
            {
                last -= 1
            }
            value = start..<last
        }
        guard !value.isEmpty else { return word.upperBound }
        replace(bytes, word, value, rule, &edits)
        return value.upperBound
    }

    /// Returns the value of `name: value` in prose.
    ///
    /// It is the whole line if it is a credential, or if the name begins one of several lines;
    /// otherwise it is one word.
    func proseValue(
        of word: Range<Int>,
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) -> Range<Int>? {
        var start = range.lowerBound
        while start < range.upperBound, bytes[start].isBlank { start += 1 }
        // The end is only searched for if the value is redacted, so that the total time is linear.
        func end(orAt quote: UInt8 = 0x0A) -> Int {
            var end = start
            while end < range.upperBound, bytes[end] != 0x0A, bytes[end] != 0x0D,
                bytes[end] != quote
            {
                end += 1
            }
            return end
        }
        // `curl -H 'X-API-Key: x' …`: the quote before the name opens the string.
        if word.lowerBound > 0, TextEditor.isQuote(bytes[word.lowerBound - 1]) {
            return start..<end(orAt: bytes[word.lowerBound - 1])
        }
        let beginsLine = word.lowerBound > 0 && bytes[word.lowerBound - 1] == 0x0A
        if beginsLine || rules.credentials.begins(bytes.extracting(start..<range.upperBound)) {
            return start..<end()
        }
        if word.lowerBound == 0 {
            let end = end()
            if end < range.upperBound { return start..<end }
        }
        return TextEditor.lastWord(bytes, range)
    }

    /// Returns the word directly after `name:` in prose, unless it is a scope or the name of an
    /// event: `token:read`, `user:password:changed`.
    static func joinedWord(
        _ name: Range<Int>,
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) -> Range<Int>? {
        if name.lowerBound > 0, bytes[name.lowerBound - 1] == .ascii(":") { return nil }
        var end = range.lowerBound
        while end < range.upperBound, bytes[end] > 0x20 { end += 1 }
        while end > range.lowerBound, endsWord(bytes[end - 1]) { end -= 1 }
        let word = bytes.extracting(range.lowerBound..<end)
        for action in [
            "read", "write", "create", "delete", "update", "refresh", "revoke", "list", "manage",
            "reset", "changed", "admin", "all", "*",
        ] where word.equalsIgnoringCase(action) {
            return nil
        }
        return range.lowerBound..<end
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte == .ascii(",") || byte == .ascii(";") || byte == .ascii(")")
    }

    /// Returns the single word after a name: it is followed by the line end, a comma, a semicolon,
    /// a bar or a bracket, or it cannot be a word of prose.
    ///
    /// - Returns: `nil` if the word is prose and another one follows.
    static func lastWord(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        var start = range.lowerBound
        while start < range.upperBound, bytes[start].isBlank { start += 1 }
        var end = start
        while end < range.upperBound, bytes[end] > 0x20 {
            switch bytes[end] {
            case .ascii(","), .ascii(";"), .ascii(")"): return start..<end
            default: end += 1
            }
        }
        var next = end
        // Tabs separate columns, not words.
        while next < range.upperBound, bytes[next] == 0x20 { next += 1 }
        guard next < range.upperBound, bytes[next] >= 0x20, bytes[next] != .ascii("|") else {
            return start..<end
        }
        // `[password: x] and more`.
        let closing = end
        while end > start, bytes[end - 1] == .ascii("]") || bytes[end - 1] == .ascii("}") {
            end -= 1
        }
        let word = bytes.extracting(start..<end)
        return end < closing || isUnlikeProse(word) ? start..<end : nil
    }

    /// Returns the rule for an option's name, or for its last words.
    private func optionRule(_ name: Span<UInt8>) -> Rule? {
        // No name is longer, so the suffixes of a longer one are not all looked up.
        var start = max(0, name.count - 128)
        let last = name.extracting(start..<name.count)
        while true {
            if let rule = rules.text.exactRule(for: name.extracting(start..<name.count)) {
                return rule
            }
            guard let hyphen = name.firstIndex(of: .ascii("-"), from: start) else {
                return rules.text.phraseRule(for: last)
            }
            start = hyphen + 1
        }
    }

    /// Returns the rule for a name of several words separated by blanks: `API key: x`.
    func spacedRule(_ bytes: Span<UInt8>, _ word: Range<Int>, _ separator: TextUnit) -> Rule? {
        guard !isStrict, separator.length == 1, rules.text.mayMatch(bytes.extracting(word)) else {
            return nil
        }
        var start = word.lowerBound
        for _ in 0..<2 {
            guard start > 1, bytes[start - 1] == 0x20 else { return nil }
            let end = start - 1
            start = end
            while start > 0, end - start <= 32, TextEditor.isPlainWordByte(bytes[start - 1]) {
                start -= 1
            }
            guard start < end else { return nil }
            let name = bytes.extracting(start..<word.upperBound)
            if let rule = rules.text.phraseRule(for: name) { return rule }
        }
        return nil
    }

    /// Returns the edits of the passwords in `-u user:password`, an option of curl and other
    /// clients.
    func userOptions(_ bytes: Span<UInt8>, _ range: Range<Int>) -> EditList {
        var found = EditList()
        guard let rule = rules.credentials.plainRule else { return found }
        let text = bytes.extracting(0..<range.upperBound)
        var position = text.nextUserOption(from: range.lowerBound)
        // `-uuser:password` may be a different option in other programs.
        let isCurl = position < range.upperBound && TextEditor.holdsCurl(text, range)
        while position < range.upperBound {
            let option = position
            position = text.nextUserOption(from: position + 1)
            guard let start = TextEditor.endOfUserOption(text, option, isCurl, range.lowerBound)
            else {
                continue
            }
            let isQuoted = TextEditor.isQuote(bytes[start])
            let first = isQuoted ? start + 1 : start
            var end = first
            while end < range.upperBound, isQuoted ? bytes[end] != bytes[start] : bytes[end] > 0x20,
                bytes[end] != 0x0A
            {
                end += 1
            }
            guard let colon = text.extracting(0..<end).firstIndex(of: .ascii(":"), from: first),
                colon > first, colon + 1 < end, bytes[colon + 1] != .ascii("/"),
                // A user and a group, as in Docker.
                !(bytes[first].isDigit && bytes[colon + 1].isDigit)
            else { continue }
            replace(bytes, option..<colon, colon + 1..<end, rule, &found)
        }
        return found
    }

    /// Returns where the value of `-u`, `-U`, `--user` or `--proxy-user` begins, given the position
    /// of its `-u`.
    private static func endOfUserOption(
        _ text: Span<UInt8>,
        _ dash: Int,
        _ isCurl: Bool,
        _ least: Int
    ) -> Int? {
        var start = dash
        while start > least, dash - start < 8, !text[start - 1].isBlank { start -= 1 }
        let rest = text.extracting(start..<min(text.count, start + 13))
        let name = ["--proxy-user", "--user", "-u"].first { name in
            let count = name.utf8.count
            return rest.count > count && rest.extracting(0..<count).equalsIgnoringCase(name)
        }
        guard let name, start + name.utf8.count > dash + 1 else { return nil }
        var position = start + name.utf8.count
        let isJoined = text[position] == .ascii("=")
        if isJoined { position += 1 }
        let separator = position
        while position < text.count, text[position].isBlank { position += 1 }
        guard position < text.count else { return nil }
        return isJoined || position > separator || (isCurl && name == "-u") ? position : nil
    }

    /// Whether the first 4,096 bytes of a part of a text contain `curl`.
    private static func holdsCurl(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let command = text.extracting(range.prefix(4096))
        var position = 0
        while let next = command.firstIndex(of: .ascii("c"), from: position) {
            if command.extracting(next..<command.count).starts(with: "curl") { return true }
            position = next + 1
        }
        return false
    }

    /// Edits what follows a name and another sign; returns where to continue.
    func editOther(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ separator: TextUnit,
        _ start: Int,
        _ end: Int,
        _ edits: inout EditList
    ) -> Int {
        let value: Range<Int>?
        switch separator.byte {
        case .ascii(","):
            value = isStrict ? nil : TextEditor.tuple(bytes, word, start, end)
        case .ascii(";"), .ascii("|"):
            value = TextEditor.serialized(bytes, word, start, end)
        default:
            return start
        }
        guard let value, !value.isEmpty, let rule = rule(bytes.extracting(word), separator) else {
            return start
        }
        if rule.action == .remove {
            edits.remove(value, rule)
        } else {
            rules.replace(bytes, value, rule, notation, &edits)
        }
        return value.upperBound
    }

    /// Returns the value in `("password", "x")` and `['password', 'x']`: exactly two quoted texts.
    private static func tuple(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ start: Int,
        _ end: Int
    ) -> Range<Int>? {
        guard word.lowerBound > 0, isQuote(bytes[word.lowerBound - 1]), word.upperBound < end,
            bytes[word.upperBound] == bytes[word.lowerBound - 1]
        else { return nil }
        var before = word.lowerBound - 2
        while before >= 0, bytes[before].isBlank { before -= 1 }
        guard before >= 0, bytes[before] == .ascii("(") || bytes[before] == .ascii("[") else {
            return nil
        }
        var position = start
        while position < end, bytes[position].isBlank { position += 1 }
        guard position < end, isQuote(bytes[position]) else { return nil }
        let quote = TextUnit(bytes, position, end)
        let value = quoted(bytes, by: quote, position + 1..<end)
        var after = value.upperBound + 1
        while after < end, bytes[after].isBlank { after += 1 }
        guard after < end, bytes[after] == .ascii(")") || bytes[after] == .ascii("]") else {
            return nil
        }
        return value
    }

    /// Returns the value in `s:8:"password";s:6:"secret";`, the format of PHP's `serialize`, or in
    /// `password|s:6:"secret";`, its session format.
    private static func serialized(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ start: Int,
        _ end: Int
    ) -> Range<Int>? {
        guard start + 3 < end, bytes[start + 1] == .ascii(":") else { return nil }
        var position = start + 2
        switch bytes[start] {
        case .ascii("i"), .ascii("d"):
            while position < end, 0x2B...0x39 ~= bytes[position] { position += 1 }
            return start + 2..<position
        case .ascii("s"):
            var length = 0
            while position < end, position < start + 11, 0x30...0x39 ~= bytes[position] {
                length = length * 10 + Int(bytes[position] - 0x30)
                position += 1
            }
            guard position > start + 2, position < end, bytes[position] == .ascii(":") else {
                return nil
            }
            return serializedText(bytes, position + 1, end, length: length)
        default:
            return nil
        }
    }

    /// Returns the text of a given length that begins with a quote, which may be escaped.
    private static func serializedText(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        length: Int
    ) -> Range<Int>? {
        var first = start
        while first < end, bytes[first] == .ascii("\\") { first += 1 }
        let isEscaped = first > start
        guard first < end, bytes[first] == .ascii("\"") else { return nil }
        first += 1
        // Quotes within the text are not escaped; its length determines the end.
        if !isEscaped, first + length < end, bytes[first + length] == .ascii("\"") {
            return first..<first + length
        }
        var last = bytes.extracting(0..<end).firstIndex(of: .ascii("\""), from: first) ?? end
        while isEscaped, last > first, bytes[last - 1] == .ascii("\\") { last -= 1 }
        return first..<last
    }

    static func isQuote(_ byte: UInt8) -> Bool {
        byte == .ascii("\"") || byte == .ascii("'")
    }
}

// MARK: - Values in lines of their own

extension TextEditor {
    /// Returns the lines after `password:` or `password: |` that are indented more than the name,
    /// as in YAML (YAML 1.2.2 §8.1, §8.2); `nil` if something else follows on the line.
    ///
    /// As in JSON, a value of several parts is redacted whole.
    static func block(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ separator: TextUnit,
        _ range: Range<Int>
    ) -> Range<Int>? {
        guard separator.byte == .ascii(":"), separator.length == 1,
            let column = column(bytes, word), let head = endOfBlockHead(bytes, range)
        else { return nil }
        var content: Range<Int>?
        var position = head
        while position < range.upperBound {
            let line = position
            while position < range.upperBound, bytes[position] == 0x20 { position += 1 }
            let indentation = position - line
            var end = position
            while end < range.upperBound, bytes[end] != 0x0A { end += 1 }
            let text = bytes.trimmed(position..<bytes.withoutReturn(position..<end))
            position = min(end + 1, range.upperBound)
            guard !text.isEmpty else { continue }
            let isItem =
                indentation == column && bytes[text.lowerBound] == .ascii("-")
                && (text.count == 1 || bytes[text.lowerBound + 1] == 0x20)
            guard indentation > column || isItem else { break }
            content = (content?.lowerBound ?? text.lowerBound)..<text.upperBound
        }
        return content
    }

    /// Reads the name after `name:` if another pair follows: in the same column of the next line,
    /// as in YAML lists (`- name: password`, `value: x`), or after a comma.
    static func namedPair(
        _ bytes: Span<UInt8>,
        _ word: Range<Int>,
        _ start: Int,
        _ end: Int
    ) -> (name: Range<Int>, key: Range<Int>, start: Int)? {
        guard let name = shortWord(bytes, start, end) else { return nil }
        var position = name.end
        if position < end, bytes[position] == .ascii(",") {
            position += 1
        } else {
            if position < end, bytes[position] == 0x0D { position += 1 }
            guard position < end, bytes[position] == 0x0A else { return nil }
            position += 1
            let line = position
            while position < end, bytes[position] == 0x20 { position += 1 }
            guard column(bytes, word) == position - line else { return nil }
        }
        guard let key = shortWord(bytes, position, end), key.end < end,
            bytes[key.end] == .ascii(":"), JSONPairs.Role(of: bytes.extracting(key.word)) == .value
        else { return nil }
        return (name.word, key.word, key.end + 1)
    }

    /// Returns a word of at most 64 bytes after blanks, possibly quoted, and the end of the blanks
    /// after it.
    private static func shortWord(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int
    ) -> (word: Range<Int>, end: Int)? {
        var position = start
        while position < end, bytes[position].isBlank { position += 1 }
        guard position < end else { return nil }
        let quote = isQuote(bytes[position]) ? bytes[position] : nil
        if quote != nil { position += 1 }
        let first = position
        while position < end, position - first <= 64, isPlainWordByte(bytes[position]) {
            position += 1
        }
        let word = first..<position
        guard 1...64 ~= word.count else { return nil }
        if let quote {
            guard position < end, bytes[position] == quote else { return nil }
            position += 1
        }
        while position < end, bytes[position].isBlank { position += 1 }
        return (word, position)
    }

    /// Returns where the first line of a block begins, after `|`, `>-` or nothing, and a comment.
    private static func endOfBlockHead(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var position = range.lowerBound
        while position < range.upperBound, bytes[position].isBlank { position += 1 }
        // A tag and an anchor may precede the block indicator (YAML 1.2.2 §6.9).
        while position < range.upperBound,
            bytes[position] == .ascii("!") || bytes[position] == .ascii("&")
        {
            while position < range.upperBound, bytes[position] > 0x20 { position += 1 }
            while position < range.upperBound, bytes[position].isBlank { position += 1 }
        }
        if position < range.upperBound,
            bytes[position] == .ascii("|") || bytes[position] == .ascii(">")
        {
            position += 1
            while position < range.upperBound,
                bytes[position] == .ascii("-") || bytes[position] == .ascii("+")
                    || 0x30...0x39 ~= bytes[position]
            {
                position += 1
            }
        }
        while position < range.upperBound, bytes[position].isBlank { position += 1 }
        if position < range.upperBound, bytes[position] == .ascii("#") {
            while position < range.upperBound, bytes[position] != 0x0A { position += 1 }
        }
        if position < range.upperBound, bytes[position] == 0x0D { position += 1 }
        guard position < range.upperBound, bytes[position] == 0x0A else { return nil }
        return position + 1
    }

    /// Returns the column of a name that begins its line; `nil` for other names.
    private static func column(_ bytes: Span<UInt8>, _ word: Range<Int>) -> Int? {
        var start = word.lowerBound
        // A hyphen that is not an item of a list is the first character of the word.
        if start > 0, isQuote(bytes[start - 1]) { start -= 1 }
        let column = start
        while start > 0, bytes[start - 1] == 0x20 || bytes[start - 1] == .ascii("-") { start -= 1 }
        guard start == 0 || bytes[start - 1] == 0x0A else { return nil }
        return column - start
    }
}

extension Span where Element == UInt8 {
    /// Returns the end of a line without its carriage return.
    fileprivate func withoutReturn(_ line: Range<Int>) -> Int {
        !line.isEmpty && self[line.upperBound - 1] == 0x0D ? line.upperBound - 1 : line.upperBound
    }
}
