// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The names in the text of a script and of the modules that it has loaded.
///
/// A field or variable in a message of Lua is shown only if the text contains its name as a name,
/// because Lua also calls a computed string that was used as a key a field.
///
/// **Isolation**: one thread at a time.
final class ScriptIdentifiers {
    private var names: Set<ByteString> = []
    /// The modules that the text requires with a literal.
    private var modules: Set<ByteString> = []
    /// The maximum number of names; messages do not show names beyond it.
    private static let most = 1 << 16

    /// Whether the text contains a name as a name.
    func hasName(_ name: ByteString) -> Bool { names.contains(name) }

    /// Whether the text requires a module of that name.
    func requires(_ module: ByteString) -> Bool { modules.contains(module) }

    /// Removes all names.
    func clear() {
        names = []
        modules = []
    }

    /// Notes the names in a text, and the modules that it requires.
    func note(_ text: Span<UInt8>) {
        var index = 0
        while index < text.count {
            guard text[index].isWordByte else {
                index += 1
                continue
            }
            let start = index
            while index < text.count, text[index].isWordByte { index += 1 }
            guard !text[start].isDigit else { continue }
            let word = text.extracting(start..<index)
            if !beginsString(text, start), names.count < Self.most {
                names.insert(ByteString(word))
            }
            if word.equals("require") { noteRequired(text, index) }
        }
    }

    /// Whether the word at a position is the beginning of a string.
    private func beginsString(_ text: Span<UInt8>, _ start: Int) -> Bool {
        guard start > 0 else { return false }
        let before = text[start - 1]
        if before == .ascii("\"") || before == .ascii("'") { return true }
        return start > 1 && before == .ascii("[")
            && (text[start - 2] == .ascii("[") || text[start - 2] == .ascii("="))
    }

    /// Notes the module that a literal after `require` names.
    private func noteRequired(_ text: Span<UInt8>, _ end: Int) {
        var index = end
        while index < text.count, text[index] == .ascii(" ") || text[index] == .ascii("(") {
            index += 1
        }
        guard index < text.count, text[index] == .ascii("'") || text[index] == .ascii("\"") else {
            return
        }
        let quote = text[index]
        let start = index + 1
        index = start
        while index < text.count, text[index] != quote, text[index] != 0x0A { index += 1 }
        if modules.count < Self.most { modules.insert(ByteString(text.extracting(start..<index))) }
    }
}

extension UInt8 {
    /// Whether a name in Lua can contain the byte.
    fileprivate var isWordByte: Bool { isLetter || isDigit || self == .ascii("_") }
}
