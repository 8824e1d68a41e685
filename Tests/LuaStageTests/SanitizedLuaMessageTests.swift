// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import LuaStage

/// Messages of Lua without values that a script computed.
@Suite struct SanitizedLuaMessageTests {
    private func clean(_ message: String) -> String {
        let words = ScriptIdentifiers()
        let script = "local cart = ex.cart"
        words.note(script.utf8.span)
        return String(decoding: SanitizedLuaMessage(Array(message.utf8), words).text, as: UTF8.self)
    }

    @Test(arguments: [
        (
            "attempt to index a nil value (local 'cart')",
            "attempt to index a nil value (local 'cart')"
        ),
        ("attempt to index a nil value (field 'secret')", "attempt to index a nil value"),
        ("attempt to call a secret value", "attempt to call a value"),
        ("attempt to compare two table values", "attempt to compare two table values"),
        ("attempt to compare number with string", "attempt to compare number with string"),
        ("attempt to compare two secret values", "attempt to compare two values"),
        ("attempt to compare secret with nil", "attempt to compare two values"),
        (
            "attempt to call a nil value (metamethod 'add')",
            "attempt to call a nil value (metamethod 'add')"
        ),
        (
            "bad argument #1 to 'cart' (number expected, got table)",
            "bad argument #1 to 'cart' (number expected, got table)"
        ),
        (
            "bad argument #2 to 'secret' (number expected, got secret)",
            "bad argument #2 to '?' (number expected)"
        ),
        ("bad argument #1 to 'cart' (invalid 'secret')", "bad argument #1 to 'cart' (invalid '…'"),
        (
            "bad 'for' limit (number expected, got nil)",
            "bad 'for' limit (number expected, got nil)"
        ),
        ("number 1.5 has no integer representation", "number has no integer representation"),
        ("integral size (99) out of limits [1,16]", "integral size out of limits"),
        ("unknown option 'secret' and more", "unknown option '…'"),
        ("unknown field of ex; did you mean 'cart'?", "unknown field of ex; did you mean 'cart'?"),
        ("the script's own word", "the script's own word"),
        ("", ""),
    ])
    func valuesAreRemoved(message: String, expected: String) {
        #expect(clean(message) == expected)
    }

    @Test(arguments: [
        ("unexpected symbol near 'cart'", "unexpected symbol near 'cart'"),
        ("malformed number near '3x'", "malformed number near a number"),
        ("unfinished string near '\"secret'", "unfinished string near a string"),
        ("unfinished long string near '[[secret'", "unfinished long string near a string"),
        ("'end' expected", "'end' expected"),
    ])
    func stringsAndNumbersOfTheTextAreRemoved(message: String, expected: String) {
        let clean = SanitizedLuaMessage.syntax(Array(message.utf8))
        #expect(String(decoding: clean, as: UTF8.self) == expected)
    }

    @Test func arbitraryBytesDoNotTrap() {
        let pieces = [
            "attempt to ", "compare ", "index", " a ", "nil", " value", " (", "local", " '", "')",
            "bad argument #", "1", " to '", "' (", " expected, got ", ")", "calling '", "\"", "'",
            "é",
            "bad 'for' ", "limit", " near '", "[", "number ", "two ", " with ",
        ]
        var random = Random(seed: 7)
        for _ in 0..<20_000 {
            var message = ""
            for _ in 0..<6 { message += random.pick(pieces) }
            _ = clean(message)
            _ = SanitizedLuaMessage.syntax(Array(message.utf8))
        }
    }
}
