// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

extension tapline_lua_functions {
    /// Sets the functions for formatting and reading times.
    mutating func setTimeFunctions() {
        unsafe time_read = { text, microseconds in
            let text = unsafe text.buffer.span
            guard let time = Timestamp(rfc3339: text) ?? Timestamp(httpDate: text) else {
                return false
            }
            unsafe microseconds?.pointee = time.microseconds
            return true
        }
        unsafe time_write = { microseconds, room in
            var text: [UInt8] = []
            Timestamp(microseconds: microseconds).appendRFC3339(to: &text)
            // The text ends with a point, six digits and a `Z`.
            let surplus = microseconds % 1_000_000 == 0 ? 7 : microseconds % 1000 == 0 ? 3 : 0
            text.removeSubrange(text.count - 1 - surplus..<text.count - 1)
            return unsafe text.copy(to: room)
        }
        unsafe time_write_http = { microseconds, room in
            var text: [UInt8] = []
            Timestamp(microseconds: microseconds).appendHTTPDate(to: &text)
            return unsafe text.copy(to: room)
        }
    }
}
