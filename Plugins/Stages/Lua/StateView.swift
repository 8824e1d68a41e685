// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel
internal import TaplinePlugin

/// Where a hook's call finds its exchange, should the script touch it.
@unsafe struct LentCall {
    let stage: Unmanaged<LuaStage>
    let plane: Plane
    let exchange: UnsafePointer<Exchange>
    let context: UnsafePointer<ExchangeContext>
}

/// What lies in a state for as long as it lives: what is lent, and what a call made of it.
///
/// Calls go through it and not through `LuaState`, whose references would be counted for each.
@unsafe struct StateView {
    private let handle: OpaquePointer
    let exchange: UnsafeMutablePointer<tapline_lua_exchange>
    let request: UnsafeMutablePointer<tapline_lua_message>
    let response: UnsafeMutablePointer<tapline_lua_message>
    let outcome: UnsafePointer<tapline_lua_outcome>

    init?(_ handle: OpaquePointer) {
        let view = unsafe tapline_lua_view_of(handle)
        guard let exchange = unsafe view.exchange, let request = unsafe view.request,
            let response = unsafe view.response, let outcome = unsafe view.outcome
        else { return nil }
        unsafe self.handle = handle
        unsafe self.exchange = exchange
        unsafe self.request = request
        unsafe self.response = response
        unsafe self.outcome = outcome
    }

    /// Calls a hook; the outcome is good until the next call.
    ///
    /// Each part of the exchange is lent when the script first reads it: C calls back then, and
    /// nothing of Swift is left when Lua goes on, so that no error of Lua can jump over it.
    @inline(__always)
    func call(_ hook: Int32, lending call: inout LentCall) -> Int32 {
        unsafe tapline_lua_call(handle, hook, { unsafe LuaStage.lend($0, part: $1) }, &call)
    }

    /// Sets the time that scripts see until it is set again.
    func setTime(_ time: Timestamp) { unsafe tapline_lua_set_time(handle, time.microseconds) }

    /// Copies a text into the memory of the call that is under way.
    @unsafe
    func keep(_ text: String) -> tapline_lua_bytes {
        if text.isEmpty { return unsafe tapline_lua_bytes() }
        var text = text
        return text.withUTF8 {
            unsafe tapline_lua_keep(
                handle,
                tapline_lua_bytes(bytes: $0.baseAddress, count: $0.count)
            )
        }
    }

    /// How long the last call took; negative when it was not timed.
    @inline(__always)
    var nanoseconds: Int64 { unsafe outcome.pointee.nanoseconds }

    /// Whether lines wait in the log since the last call.
    var hasLogged: Bool { unsafe outcome.pointee.has_logged }

    /// Whether the last call had a body decoded.
    @inline(__always)
    var hasLentBodies: Bool {
        let bodies = TAPLINE_LUA_LENDS_REQUEST_BODY | TAPLINE_LUA_LENDS_RESPONSE_BODY
        return unsafe outcome.pointee.lent & UInt32(bodies) != 0
    }

    /// Whether the last call changed, asked and logged nothing.
    @inline(__always)
    var isPlain: Bool { unsafe outcome.pointee.is_plain }
}
