// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel
internal import TaplinePlugin

/// The exchange of a running hook call, lent part by part when the script reads it.
@unsafe struct LuaHookCall {
    let stage: Unmanaged<LuaStage>
    let plane: Plane
    let exchange: UnsafePointer<Exchange>
    let context: UnsafePointer<ExchangeContext>
}

/// Pointers into a state that stay valid for its lifetime: the lent parts and a call's outcome.
///
/// Calls use it instead of `LuaState` to avoid reference counting for each call.
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

    /// Calls a hook; the outcome is valid until the next call.
    ///
    /// C calls back to lend each part of the exchange when the script first reads it. No Swift
    /// frame remains on the stack when Lua continues, so that no Lua error can jump over one.
    @inline(__always)
    func call(_ hook: Int32, lending call: inout LuaHookCall) -> Int32 {
        unsafe tapline_lua_call(handle, hook, { unsafe LuaStage.lend($0, part: $1) }, &call)
    }

    /// Sets the time that scripts see until it is set again.
    func setTime(_ time: Timestamp) { unsafe tapline_lua_set_time(handle, time.microseconds) }

    /// Sets whether calls are about a copy that is only shown; then `shared` is not changed.
    func setPreview(_ isPreview: Bool) { unsafe tapline_lua_set_preview(handle, isPreview) }

    /// Copies a text into the memory of the running call.
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

    /// The duration of the last call; negative if it was not measured.
    @inline(__always)
    var nanoseconds: Int64 { unsafe outcome.pointee.nanoseconds }

    /// Whether the last call logged lines.
    var hasLogged: Bool { unsafe outcome.pointee.has_logged }

    /// Whether a body was decoded for the last call.
    @inline(__always)
    var hasLentBodies: Bool {
        let bodies = TAPLINE_LUA_LENDS_REQUEST_BODY | TAPLINE_LUA_LENDS_RESPONSE_BODY
        return unsafe outcome.pointee.lent & UInt32(bodies) != 0
    }

    /// Whether the last call made no change, verdict or log line.
    @inline(__always)
    var isPlain: Bool { unsafe outcome.pointee.is_plain }
}
