// SPDX-License-Identifier: MIT

internal import CLuaShims

/// What scripts reach outside of their state.
struct LuaSurroundings: Sendable {
    /// The folder of the modules that `require` loads.
    var moduleFolder = ""
    /// The folder of the files that `respond` sends.
    var fileFolder = ""
    /// Key files, and folders of keys, which scripts never get.
    var protectedPaths: [String] = []
    /// The bytes that the shared store may hold.
    var sharedBytes = 16 << 20
}

/// The store that the lanes of a script share.
///
/// **Isolation.** Any thread; C guards it with a lock of its own, which is why Swift need not check.
@safe final class SharedStore: @unchecked Sendable {
    private let handle: OpaquePointer

    /// Nothing where there is no memory.
    init?(maxBytes: Int) {
        guard let handle = unsafe tapline_lua_shared_create(max(maxBytes, 0)) else { return nil }
        unsafe self.handle = handle
    }

    deinit {
        unsafe tapline_lua_shared_destroy(handle)
    }

    /// The bytes that it holds.
    var used: Int { unsafe tapline_lua_shared_used(handle) }

    /// The store for C; a state that has it keeps this object.
    @unsafe
    var pointer: OpaquePointer { unsafe handle }
}
