// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

extension tapline_lua_functions {
    /// Sets the functions for the names of a script and for messages without values.
    ///
    /// The words must live as long as the state.
    mutating func setMessageFunctions(_ words: ScriptIdentifiers) {
        unsafe self.words = Unmanaged.passUnretained(words).toOpaque()
        unsafe words_clear = { unsafe ScriptIdentifiers.at($0)?.clear() }
        unsafe words_note = { words, text in
            unsafe ScriptIdentifiers.at(words)?.note(text.buffer.span)
        }
        unsafe words_require = { words, module in
            unsafe ScriptIdentifiers.at(words)?.requires(module.byteString) ?? false
        }
        unsafe message_clean = { words, message, isSyntax, room in
            guard let words = unsafe ScriptIdentifiers.at(words) else { return 0 }
            // Known forms are short; values are also removed from longer messages.
            let message = unsafe Array(message.buffer.prefix(4 * Int(TAPLINE_LUA_MESSAGE_BYTES)))
            let clean =
                isSyntax
                ? SanitizedLuaMessage.syntax(message) : SanitizedLuaMessage(message, words).text
            return unsafe Array(clean.prefix(Int(TAPLINE_LUA_MESSAGE_BYTES))).copy(to: room)
        }
    }
}

extension ScriptIdentifiers {
    /// The words at an address that C holds.
    @unsafe
    fileprivate static func at(_ address: UnsafeMutableRawPointer?) -> ScriptIdentifiers? {
        unsafe address.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }
}
