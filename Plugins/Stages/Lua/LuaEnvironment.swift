// SPDX-License-Identifier: MIT

internal import CLuaShims

/// The resources outside of their state that scripts can reach.
struct LuaEnvironment: Sendable {
    /// The folder of the modules that `require` loads.
    var moduleFolder = ""
    /// The folder of the files that `respond` sends.
    var fileFolder = ""
    /// Key files and folders of keys, which scripts can never read.
    var protectedPaths: [String] = []
    /// The maximum size of the shared store, in bytes.
    var sharedBytes = 16 << 20
}

/// The store that the lanes of a script share.
///
/// **Isolation.** Any thread; a lock in the C code guards the store.
@safe final class SharedStore: @unchecked Sendable {
    private let handle: OpaquePointer

    /// Creates a store; returns `nil` if memory is exhausted.
    init?(maxBytes: Int) {
        guard let handle = unsafe tapline_lua_shared_create(max(maxBytes, 0)) else { return nil }
        unsafe self.handle = handle
    }

    deinit {
        unsafe tapline_lua_shared_destroy(handle)
    }

    /// The bytes that the store uses.
    var used: Int { unsafe tapline_lua_shared_used(handle) }

    /// The store for C; a state that uses it retains this object.
    @unsafe
    var pointer: OpaquePointer { unsafe handle }
}
