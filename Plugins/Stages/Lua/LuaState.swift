// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel
internal import TaplinePlugin

/// A Lua state with one script, for one lane.
///
/// **Isolation.** One thread at a time.
@safe final class LuaState {
    private let handle: OpaquePointer
    private let script: LuaScript
    private let limits: LuaLimits
    /// The JSON text that `start` gets; nothing before `start` was called.
    private var startConfig: [UInt8]?

    /// Compiles and runs the script; a seed other than 0 fixes `math.random`.
    init(_ script: LuaScript, limits: LuaLimits, seed: UInt64 = 0) throws(ScriptError) {
        let forC = tapline_lua_limits(
            memory: UInt64(clamping: limits.memory),
            instructions: UInt64(clamping: limits.instructions),
            nanoseconds: limits.nanoseconds
        )
        guard let handle = unsafe tapline_lua_create(forC) else {
            throw ScriptError(
                code: .state,
                script: script.name,
                line: nil,
                hook: nil,
                message: "no memory for a Lua state",
                help: nil,
                detail: ""
            )
        }
        unsafe self.handle = handle
        self.script = script
        self.limits = limits
        if seed != 0 { unsafe tapline_lua_seed(handle, seed) }
        let name = script.chunkName
        let code = unsafe LuaState.lend(script.text) { text in
            unsafe LuaState.lend(Array(name.utf8)) { name in
                unsafe tapline_lua_load(handle, text, name, UInt32(clamping: script.firstLine))
            }
        }
        try check(code, hook: nil)
    }

    deinit {
        unsafe tapline_lua_destroy(handle)
    }

    /// The hooks that the script has.
    var hooks: Hooks {
        let bits = unsafe tapline_lua_hooks(handle)
        var hooks: Hooks = []
        if bits >> UInt32(TAPLINE_LUA_REQUEST) & 1 == 1 { hooks.insert(.request) }
        if bits >> UInt32(TAPLINE_LUA_RESPONSE) & 1 == 1 { hooks.insert(.response) }
        if bits >> UInt32(TAPLINE_LUA_RECORD) & 1 == 1 { hooks.insert(.record) }
        return hooks
    }

    /// The memory that the script holds.
    var memoryUsed: Int { unsafe tapline_lua_memory_used(handle) }

    /// Calls the hook `start` with the value of a JSON text.
    func start(_ config: [UInt8]) throws(ScriptError) {
        startConfig = config
        let code = unsafe LuaState.lend(config) { unsafe tapline_lua_start(handle, $0) }
        try check(code, hook: "start")
    }

    /// Calls the hook `stop`.
    func stop() throws(ScriptError) {
        try check(unsafe tapline_lua_stop(handle), hook: "stop")
    }

    /// Calls a hook over what is lent; the outcome is good until the next call.
    @unsafe
    func call(
        _ hook: Int32,
        _ exchange: UnsafePointer<tapline_lua_exchange>,
        _ outcome: UnsafeMutablePointer<tapline_lua_outcome>
    ) -> Int32 {
        unsafe tapline_lua_call(handle, hook, exchange, outcome)
    }

    /// Throws what a code other than OK means.
    ///
    /// Behind a limit the state is made anew.
    func check(_ code: Int32, hook: String?) throws(ScriptError) {
        guard code != TAPLINE_LUA_OK else { return }
        let error = failure(hook: hook)
        if error.code.isLimit || error.code == .state, hook != nil { renew() }
        throw error
    }

    /// Hands out what the script logged since the last time.
    func takeLog(_ line: (String) -> Void) {
        let log = unsafe tapline_lua_logged(handle)
        guard unsafe log.count > 0 || log.lost > 0 else { return }
        var start = 0
        for index in unsafe 0..<log.count {
            let end = unsafe Int(log.ends[index])
            let bytes = unsafe UnsafeBufferPointer(
                start: log.bytes.bytes + start,
                count: end - start
            )
            unsafe line(String(decoding: bytes, as: UTF8.self))
            start = end
        }
        if unsafe log.lost > 0 { line("\(unsafe log.lost) more lines were not kept") }
        unsafe tapline_lua_clear_log(handle)
    }

    /// Makes the state anew after a limit.
    ///
    /// When the script fails now, it fails at the next call too.
    private func renew() {
        guard unsafe tapline_lua_reload(handle) == TAPLINE_LUA_OK, let startConfig else { return }
        _ = unsafe LuaState.lend(startConfig) { unsafe tapline_lua_start(handle, $0) }
    }

    @unsafe
    private static func lend(_ bytes: [UInt8], _ body: (tapline_lua_bytes) -> Int32) -> Int32 {
        unsafe bytes.withUnsafeBufferPointer {
            unsafe body(tapline_lua_bytes(bytes: $0.baseAddress, count: $0.count))
        }
    }
}

// MARK: - Failures

extension LuaState {
    private func failure(hook: String?) -> ScriptError {
        let failure = unsafe tapline_lua_last_failure(handle)
        let code: ScriptError.Code =
            switch Int(unsafe failure.code) {
            case TAPLINE_LUA_SYNTAX: .syntax
            case TAPLINE_LUA_FAULT: .fault
            case TAPLINE_LUA_RAISED: .raised
            case TAPLINE_LUA_INSTRUCTIONS: .instructions
            case TAPLINE_LUA_TIME: .time
            case TAPLINE_LUA_MEMORY: .memory
            default: .state
            }
        let line = Int(unsafe failure.line)
        let (message, help) = explanation(code, unsafe String(failure.message))
        return ScriptError(
            code: code,
            script: script.name,
            line: line > 0 ? line : nil,
            hook: hook,
            message: message,
            help: help,
            detail: unsafe String(failure.detail)
        )
    }

    private func explanation(
        _ code: ScriptError.Code,
        _ message: String
    ) -> (message: String, help: String?) {
        switch code {
        case .instructions:
            return (
                "script stopped after \(limits.instructions) instructions",
                "raise 'max_instructions' or simplify the script"
            )
        case .time:
            return (
                "script stopped after \(limits.time)", "raise 'max_time' or simplify the script"
            )
        case .memory:
            return (
                "script stopped at \(limits.memory) bytes of memory",
                "raise 'max_memory' or keep less"
            )
        default: return (message, nil)
        }
    }
}

extension String {
    /// The text of bytes that C lends.
    init(_ bytes: tapline_lua_bytes) {
        self = unsafe String(
            decoding: UnsafeBufferPointer(start: bytes.bytes, count: bytes.count),
            as: UTF8.self
        )
    }
}
