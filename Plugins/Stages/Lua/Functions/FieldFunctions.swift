// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

extension tapline_lua_functions {
    /// Sets the functions for the syntax of fields and for reason phrases.
    mutating func setFieldFunctions() {
        unsafe token_end = { name in
            let name = unsafe name.buffer
            return unsafe name.firstIndex { !$0.isTokenByte } ?? name.count
        }
        unsafe field_end = { value in
            let value = unsafe value.buffer
            return unsafe value.firstIndex { $0.endsField } ?? value.count
        }
        unsafe reason_of = { status in
            let reason = Response.registeredReason(of: Int(status))
            return unsafe tapline_lua_bytes(
                bytes: reason.utf8Start,
                count: reason.utf8CodeUnitCount
            )
        }
    }
}
