// SPDX-License-Identifier: MIT

internal import CLuaShims

extension LuaAPI {
    /// The names that the C side actually supports, keyed by how scripts write the object.
    static var names: [String: [String]] {
        var result: [String: [String]] = [:]
        var object = 0
        var names = unsafe [tapline_lua_bytes](repeating: tapline_lua_bytes(), count: 64)
        while true {
            var path = unsafe tapline_lua_bytes()
            let count = unsafe names.withUnsafeMutableBufferPointer { room in
                unsafe tapline_lua_names(object, &path, room.baseAddress, room.count)
            }
            guard count > 0 else { return result }
            unsafe result[String(path)] = unsafe names[..<count].map { unsafe String($0) }
            object += 1
        }
    }
}
