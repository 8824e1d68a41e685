// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Words that are not secrets even if a label or a column names them as one.
enum PlainWords {
    /// Names of settings that occur next to secrets in forms, tables and files.
    private static let settings = table([
        "user", "username", "user_name", "login", "account", "name", "first_name", "last_name",
        "full_name", "display_name", "email", "e-mail", "mail", "phone", "address", "city",
        "country", "language", "locale", "company", "role", "roles", "group", "groups", "scope",
        "scopes", "status", "state", "type", "kind", "id", "user_id", "client_id", "tenant",
        "tenant_id", "region", "host", "hostname", "server", "port", "url", "uri", "endpoint",
        "domain", "protocol", "scheme", "method", "path", "database", "db", "schema", "driver",
        "table", "version", "environment", "env", "mode", "debug", "level", "timeout", "retries",
        "created", "created_at", "updated", "updated_at", "expires", "expires_at", "expires_in",
        "last_used", "description", "comment", "notes", "title", "label", "enabled", "active",
        "count", "size", "date", "time", "actions", "action", "key", "value", "field", "default",
    ])

    /// Text that pages show next to the label of a secret that is hidden.
    private static let states = table([
        "change", "edit", "reset", "show", "hide", "hidden", "copy", "generate", "regenerate",
        "revoke", "rotate", "delete", "remove", "add", "view", "none", "null", "nil", "n/a", "yes",
        "no", "true", "false", "on", "off", "set", "unset", "not set", "required", "optional",
        "forgot", "forgotten", "missing", "invalid", "valid", "expired", "active", "inactive",
        "enabled", "disabled", "never", "unknown", "default", "string", "text", "varchar", "save",
        "cancel", "submit", "update", "confirm", "confirmed", "help", "example", "description",
    ])

    private static func table(_ words: [String]) -> Set<[UInt8]> {
        Set(words.map { folded($0.utf8.span) })
    }

    /// Returns the lowercase letters, without joining characters and without the colon after a
    /// label.
    private static func folded(_ text: Span<UInt8>) -> [UInt8] {
        var word: [UInt8] = []
        for index in text.indices {
            switch text[index] {
            case 0x20, .ascii("_"), .ascii("-"), .ascii(":"): break
            default: word.append(text[index].asciiLowercased)
            }
        }
        return word
    }

    /// The length of the longest of these words, including joining characters.
    private static let longest = 32

    /// Whether a text is the name of a setting that is not a secret.
    static func isSetting(_ text: Span<UInt8>) -> Bool {
        text.count <= longest && settings.contains(folded(text))
    }

    /// Whether a text next to a label is shown instead of a secret, or describes it: a word such as
    /// `change`, only punctuation (`••••`), or a sentence.
    static func isNoSecret(_ text: Span<UInt8>) -> Bool {
        if text.count <= longest {
            let word = folded(text)
            if settings.contains(word) || states.contains(word) { return true }
        }
        return !hasLetters(text) || isSentence(text)
    }

    /// Whether there is a letter or a digit; general punctuation and symbols of Unicode
    /// (U+2000–U+2FFF) and Latin-1 punctuation are neither.
    static func hasLetters(_ text: Span<UInt8>) -> Bool {
        var position = 0
        while position < text.count {
            switch text[position] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
            case 0xE2: position += 3
            case 0xC2: position += 2
            case 0x80...0xFF: return true
            default: position += 1
            }
        }
        return false
    }

    /// Whether a text is a sentence: it begins with a capital letter, ends with the punctuation of
    /// a sentence, and has at least three words.
    private static func isSentence(_ text: Span<UInt8>) -> Bool {
        guard text.count > 8, 0x41...0x5A ~= text[0] else { return false }
        switch text[text.count - 1] {
        case .ascii("."), .ascii("!"), .ascii("?"): break
        default: return false
        }
        var words = 0
        var start = 0
        while start < text.count {
            let end = text.firstIndex(of: 0x20, from: start) ?? text.count
            if isWord(text.extracting(start..<end)) { words += 1 }
            start = end + 1
        }
        return words >= 3
    }

    /// Whether a text is a word of prose: letters, with a capital only in the first place or only
    /// capitals, and punctuation around them.
    private static func isWord(_ text: Span<UInt8>) -> Bool {
        var letters = 0
        var capitals = 0
        var beginsCapital = false
        for index in text.indices {
            switch text[index] {
            case 0x41...0x5A:
                if letters == 0 { beginsCapital = true }
                capitals += 1
                letters += 1
            case 0x61...0x7A, 0x80...0xFF: letters += 1
            case 0x30...0x39: return false
            default: break
            }
        }
        guard letters > 0 else { return false }
        return capitals == 0 || capitals == letters || capitals == 1 && beginsCapital
    }
}
