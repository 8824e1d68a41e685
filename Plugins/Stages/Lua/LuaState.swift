// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel
internal import TaplinePlugin

/// A Lua state with one script, for one lane.
///
/// **Isolation.** One thread at a time.
@safe final class LuaState {
    private let handle: OpaquePointer
    /// The state's memory shared with C: the caller's input and the outcome of a call.
    let view: StateView
    private let script: LuaScript
    private let limits: LuaLimits
    /// Retained because C holds its address.
    private let store: SharedStore?
    /// Retained because C holds its address.
    private let words: ScriptIdentifiers
    /// The JSON text passed to `start`; `nil` before `start` is called.
    private var startConfig: [UInt8]?
    /// Why the state could not be recreated.
    private var broken: ScriptError?

    /// Compiles and runs the script of a lane.
    convenience init(
        _ script: LuaScript,
        _ setup: LuaSetup,
        _ context: StageContext
    ) throws(ScriptError) {
        try self.init(
            script,
            limits: setup.limits,
            seed: context.seed,
            collectsCoverage: context.collectsCoverage,
            environment: setup.environment,
            store: setup.store,
            time: context.clock()
        )
    }

    /// Compiles a script without running it, and throws its error if it has one.
    static func compile(_ script: LuaScript) throws(ScriptError) {
        _ = try LuaState(script, limits: LuaLimits(), runs: false)
    }

    /// Compiles and runs the script; a seed other than 0 fixes `math.random`.
    init(
        _ script: LuaScript,
        limits: LuaLimits,
        seed: UInt64 = 0,
        collectsCoverage: Bool = false,
        environment: LuaEnvironment = LuaEnvironment(),
        store: SharedStore? = nil,
        time: Timestamp = Timestamp(microseconds: 0),
        runs: Bool = true
    ) throws(ScriptError) {
        let forC = tapline_lua_limits(
            memory: UInt64(clamping: limits.memory),
            instructions: UInt64(clamping: limits.instructions),
            nanoseconds: limits.nanoseconds,
            table: UInt64(clamping: limits.table)
        )
        guard EntryLayout.isShared else {
            throw LuaState.failure("the field layout of this build is not supported", script)
        }
        let words = ScriptIdentifiers()
        var functions = unsafe tapline_lua_functions(words)
        guard let handle = unsafe tapline_lua_create(forC, &functions),
            let view = unsafe StateView(handle)
        else {
            throw LuaState.failure("no memory for a Lua state", script)
        }
        unsafe self.handle = handle
        unsafe self.view = view
        self.script = script
        self.limits = limits
        self.store = store
        self.words = words
        unsafe LuaState.setEnvironment(handle, environment, store)
        unsafe tapline_lua_set_time(handle, time.microseconds)
        if seed != 0 { unsafe tapline_lua_seed(handle, seed) }
        if collectsCoverage { unsafe tapline_lua_collect_coverage(handle) }
        let name = script.chunkName
        let code = unsafe LuaState.lend(script.text) { text in
            unsafe LuaState.lend(Array(name.utf8)) { name in
                let line = UInt32(clamping: script.firstLine)
                return runs
                    ? unsafe tapline_lua_load(handle, text, name, line)
                    : unsafe tapline_lua_compile(handle, text, name, line)
            }
        }
        try check(code, hook: nil)
    }

    private static func failure(_ message: String, _ script: LuaScript) -> ScriptError {
        ScriptError(
            code: .state,
            script: script.name,
            line: nil,
            hook: nil,
            message: message,
            help: nil,
            detail: ""
        )
    }

    deinit {
        unsafe tapline_lua_destroy(handle)
    }

    /// The hooks that the script defines.
    var hooks: Hooks {
        let bits = unsafe tapline_lua_hooks(handle)
        var hooks: Hooks = []
        if bits >> UInt32(TAPLINE_LUA_REQUEST) & 1 == 1 { hooks.insert(.request) }
        if bits >> UInt32(TAPLINE_LUA_RESPONSE) & 1 == 1 { hooks.insert(.response) }
        if bits >> UInt32(TAPLINE_LUA_RECORD) & 1 == 1 { hooks.insert(.record) }
        if bits >> UInt32(TAPLINE_LUA_MESSAGE) & 1 == 1 { hooks.insert(.message) }
        return hooks
    }

    /// Whether the script has the hook with a number of C.
    func has(_ hook: Int) -> Bool { unsafe tapline_lua_hooks(handle) >> UInt32(hook) & 1 == 1 }

    /// The files that `require` loaded.
    var modules: [String] {
        (0..<(unsafe tapline_lua_module_count(handle))).map { index in
            unsafe String(tapline_lua_module_at(handle, index).path)
        }
    }

    /// The memory that the script uses.
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

    /// Applies the changes of the last call to an exchange; returns the verdict for the wire.
    func finish(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> Verdict {
        unsafe view.apply(to: &exchange, &context, isWire: true)
        return unsafe view.outcome.pointee.wireVerdict
    }

    /// Applies the changes of the last call to a message; returns the verdict for it.
    func finishMessage(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageVerdict {
        unsafe view.apply(to: &exchange, &context, isWire: true)
        if let text = unsafe view.messageText { message.bytes = text }
        return unsafe view.outcome.pointee.messageVerdict
    }

    /// Applies the changes of the last call to a record; returns the verdict for it.
    func finishRecord(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> RecordVerdict {
        unsafe view.apply(to: &exchange, &context, isWire: false)
        return unsafe view.outcome.pointee.recordVerdict
    }

    /// Throws the error of a code other than OK.
    ///
    /// After a limit the state is recreated.
    func check(_ code: Int32, hook: String?) throws(ScriptError) {
        guard code != TAPLINE_LUA_OK else { return }
        let error = failure(hook: hook)
        guard hook != nil, error.code.isLimit || error.code == .state else { throw error }
        let cause = broken
        renew()
        // If no state could be created, the cause is more useful than the fact that there is none.
        throw error.code == .state ? cause ?? error : error
    }

    /// Passes on the lines that the script logged since the last call.
    func takeLog(_ line: (LogEntry.Level, String) -> Void) {
        let log = unsafe tapline_lua_logged(handle)
        guard unsafe log.count > 0 || log.lost > 0 else { return }
        var start = 0
        for index in unsafe 0..<log.count {
            let end = unsafe Int(log.ends[index])
            let bytes = unsafe UnsafeBufferPointer(
                start: log.bytes.bytes + start,
                count: end - start
            )
            let level = unsafe LogEntry.Level(rawValue: log.levels[index]) ?? .info
            unsafe line(level, String(decoding: bytes, as: UTF8.self))
            start = end
        }
        if unsafe log.lost > 0 { line(.info, "\(unsafe log.lost) more lines were dropped") }
        unsafe tapline_lua_clear_log(handle)
    }

    /// Recreates the state after a limit.
    ///
    /// If the script fails now, the next call reports why and tries again.
    private func renew() {
        broken = nil
        guard unsafe tapline_lua_reload(handle) == TAPLINE_LUA_OK else {
            broken = failure(hook: nil)
            return
        }
        guard let startConfig else { return }
        let code = unsafe LuaState.lend(startConfig) { unsafe tapline_lua_start(handle, $0) }
        if code != TAPLINE_LUA_OK { broken = failure(hook: "start") }
    }

    @unsafe
    private static func setEnvironment(
        _ handle: OpaquePointer,
        _ environment: LuaEnvironment,
        _ store: SharedStore?
    ) {
        let modules = Array(environment.moduleFolder.utf8)
        let files = Array(environment.fileFolder.utf8)
        let protected = Array(environment.protectedPaths.joined(separator: "\0").utf8)
        // Without memory for the folders no file is found; using one reports an error.
        _ = unsafe tapline_lua_set_environment(
            handle,
            tapline_lua_environment(
                module_folder: modules.span.lent,
                file_folder: files.span.lent,
                protected_paths: protected.span.lent,
                shared: store?.pointer
            )
        )
        withExtendedLifetime((modules, files, protected)) {}
    }

    @unsafe
    private static func lend(_ bytes: [UInt8], _ body: (tapline_lua_bytes) -> Int32) -> Int32 {
        unsafe bytes.withUnsafeBufferPointer {
            unsafe body(tapline_lua_bytes(bytes: $0.baseAddress, count: $0.count))
        }
    }
}

// MARK: - Coverage

extension LuaState {
    /// How often each line of the script and its modules ran.
    var coverage: [ScriptCoverage] {
        let count = unsafe tapline_lua_covered_files(handle)
        return (0..<count).map { index in
            let found = unsafe tapline_lua_covered_file(handle, index)
            var lines: [Int: Int] = [:]
            for line in unsafe 0..<found.count where unsafe found.counts[line] >= 0 {
                lines[line] = Int(unsafe found.counts[line])
            }
            return ScriptCoverage(file: script.file(named: unsafe String(found.name)), lines: lines)
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
            case TAPLINE_LUA_TABLE: .table
            default: .state
            }
        let line = Int(unsafe failure.line)
        let (message, help) = explanation(code, unsafe String(failure.message))
        return ScriptError(
            code: code,
            script: unsafe failure.file.count > 0 ? unsafe String(failure.file) : script.name,
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
                "raise 'max_memory' or use less memory"
            )
        case .table:
            return (
                "script stopped at \(unsafe tapline_lua_max_entries(handle)) entries in a table",
                "raise 'max_table' or keep fewer entries in one table"
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
