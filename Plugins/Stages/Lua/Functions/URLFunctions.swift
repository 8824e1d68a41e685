// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

extension tapline_lua_functions {
    /// Percent-encoding, request targets and URLs.
    mutating func setURLFunctions() {
        unsafe percent_decode = { text, plusIsSpace, room in
            unsafe PercentEncoding.decode(text.buffer.span, plusIsSpace: plusIsSpace).copy(to: room)
        }
        unsafe percent_encode = { text, room in
            unsafe PercentEncoding.encode(text.buffer.span).copy(to: room)
        }
    }
}
