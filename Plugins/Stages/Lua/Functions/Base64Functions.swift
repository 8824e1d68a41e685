// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineJSON

extension tapline_lua_functions {
    /// Sets the functions for Base64.
    mutating func setBase64Functions() {
        unsafe base64_encode = { value, isURL, isPadded, room in
            let value = unsafe value.buffer.span
            let capacity = Base64.encodedCount(of: value.count)
            return unsafe room?.write(upTo: capacity) { output in
                Base64.encode(value, isURL ? .url : .standard, isPadded: isPadded, into: &output)
            } ?? 0
        }
        unsafe base64_decode = { text, room in
            let text = unsafe text.buffer.span
            var isWrong = false
            let count = unsafe room?.write(upTo: Base64.decodedCapacity(of: text.count)) { output in
                isWrong = Base64.decode(text, .compact, into: &output) != nil
            }
            return isWrong ? -1 : count ?? 0
        }
    }
}
