// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineJSON

extension tapline_lua_functions {
    /// Sets the functions for strings and numbers in JSON.
    mutating func setJSONFunctions() {
        unsafe json_escape = { text, position, room, capacity in
            guard let position = unsafe position, let room = unsafe room else { return 0 }
            let isFirst = unsafe position.pointee == 0
            let text = unsafe text.buffer.span
            let written = unsafe JSONText.escape(
                text,
                from: &position.pointee,
                to: room,
                capacity: capacity
            )
            let isWhole = unsafe position.pointee == text.count
            if !isFirst || written.isASCII && isWhole || isValidUTF8(text) { return written.count }
            return -1
        }
        unsafe json_integer = { value, room in
            guard let room = unsafe room else { return 0 }
            return unsafe JSONText.write(value, to: room)
        }
        unsafe json_double = { value, room in
            guard let room = unsafe room else { return 0 }
            return unsafe JSONText.write(value, to: room)
        }
    }
}
