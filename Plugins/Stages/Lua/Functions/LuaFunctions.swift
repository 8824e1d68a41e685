// SPDX-License-Identifier: MIT

// What the libraries of scripts read and write by the code that all of Tapline uses. C calls these
// functions under the contract of `CLuaFunctions.h`: they raise nothing and have returned before C
// goes on.

internal import CLuaShims
internal import TaplineModel

extension tapline_lua_functions {
    /// The functions of Swift that each state gets.
    static var swift: tapline_lua_functions {
        var functions = tapline_lua_functions()
        functions.setURLFunctions()
        return functions
    }
}

extension [UInt8] {
    /// Copies the bytes into the room that C gave for them, and returns how many there are.
    @unsafe
    func copy(to room: UnsafeMutablePointer<UInt8>?) -> Int {
        guard let room = unsafe room else { return 0 }
        unsafe UnsafeMutableRawPointer(room).copyMemory(from: self, byteCount: count)
        return count
    }
}
