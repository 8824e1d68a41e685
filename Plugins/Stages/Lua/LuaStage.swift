// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineCodings
internal import TaplineConfig
package import TaplineModel
package import TaplinePlugin
internal import TaplineSystem

/// Runs the hooks of a script over the exchanges of one lane.
@safe package final class LuaStage: WireStage, RecordStage {
    private let setup: LuaSetup
    private let context: StageContext
    private let counters: LuaCounters
    /// The state of the current script.
    private var state: LuaState { didSet { unsafe view = state.view } }
    private var view: StateView
    /// The hooks that the script had when it was loaded.
    ///
    /// A state that could not be recreated has no hooks; its calls must fail, not be skipped.
    private var hooks: Hooks
    /// The version of the script, if its file is watched.
    private var version = 0
    /// Prepares the parts of the exchange that hooks read.
    private let exchangeView: LuaExchangeView

    init(_ script: LuaScript, _ setup: LuaSetup, context: StageContext) throws(ScriptError) {
        self.setup = setup
        self.context = context
        counters = setup.shared.makeCounters()
        version = setup.reloader?.watch.number ?? 0
        let script = setup.reloader?.watch.value ?? script
        state = try LuaState(script, setup, context)
        hooks = state.hooks
        unsafe view = state.view
        exchangeView = LuaExchangeView(
            limits: DecodingLimits(maxOutputBytes: setup.limits.memory),
            clock: context.clock,
            schema: setup.schema
        )
    }

    /// The memory that the script holds.
    var memoryUsed: Int { state.memoryUsed }

    /// Calls the script's `start` with the value of the option `config`.
    package func start() throws {
        try start(state)
    }

    /// Calls the script's `stop`.
    package func stop() {
        stop(state)
        let leftOut = setup.shared.logLimit.takeLeftOut()
        if leftOut > 0 { context.log.warning(LuaStage.leftOut(leftOut)) }
    }

    /// Calls the script's `request`.
    package func request(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> Verdict {
        try run(.request, .request, &exchange, &context)
    }

    /// Calls the script's `response`.
    package func response(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> Verdict {
        try run(.response, .response, &exchange, &context)
    }

    /// Calls the script's `message`.
    package func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> MessageVerdict {
        if setup.reloader != nil { renew() }
        guard hooks.contains(.message) else { return .pass }
        guard try call(message, &exchange, &context) else { return .pass }
        return state.finishMessage(&message, &exchange, &context)
    }

    /// Calls the script's `record`.
    package func record(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict {
        if setup.reloader != nil { renew() }
        guard hooks.contains(.record) else { return .keep }
        guard try call(.record, &exchange, &context) else { return .keep }
        return state.finishRecord(&exchange, &context)
    }
}

// MARK: - Calling

extension LuaStage {
    /// Calls a hook of an exchange in progress and applies its changes to the exchange.
    private func run(
        _ hook: Hooks,
        _ plane: Plane,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws(ScriptError) -> Verdict {
        if setup.reloader != nil { renew() }
        guard hooks.contains(hook), try call(plane, &exchange, &context) else { return .proceed }
        return state.finish(&exchange, &context)
    }

    /// Lends a part of the exchange of the running call.
    ///
    /// Called from C through `StateView.call`.
    static func lend(_ call: UnsafeMutableRawPointer?, part: UInt32) {
        guard let call = unsafe call?.assumingMemoryBound(to: LuaHookCall.self) else { return }
        unsafe call.pointee.stage._withUnsafeGuaranteedRef { stage in
            unsafe stage.exchangeView.lend(Int(part), of: call.pointee, to: stage.view)
        }
    }

    /// Calls a hook; returns whether it made changes or a verdict that must be applied.
    private func call(
        _ plane: Plane,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws(ScriptError) -> Bool {
        let hook = Int(plane.rawValue)
        let isPreview = context.isPreview
        if isPreview { unsafe view.setPreview(true) }
        defer { if isPreview { unsafe view.setPreview(false) } }
        let code = unsafe withUnsafeMutablePointer(to: &exchange) { exchange in
            unsafe withUnsafeMutablePointer(to: &context) { context in
                var lent = unsafe LuaHookCall(
                    stage: .passUnretained(self),
                    plane: plane,
                    exchange: UnsafePointer(exchange),
                    context: UnsafePointer(context)
                )
                return unsafe view.call(Int32(truncatingIfNeeded: hook), lending: &lent)
            }
        }
        if unsafe view.hasLentBodies { exchangeView.dropBodies() }
        if !isPreview { counters.count(hook: hook, nanoseconds: unsafe view.nanoseconds) }
        if unsafe view.isPlain { return false }
        if unsafe view.hasLogged { isPreview ? state.takeLog { _, _ in } : deliverLog(of: state) }
        do throws(ScriptError) {
            try state.check(code, hook: LuaCounters.hooks[hook])
        } catch {
            if !isPreview { counters.count(error, hook: hook) }
            throw error
        }
        return true
    }

    /// Calls the hook `message`, to which the message is lent in addition to the exchange.
    private func call(
        _ message: StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws(ScriptError) -> Bool {
        let view = unsafe view
        unsafe message.lendProperties(to: view.exchange)
        // Empty, and therefore without an allocation, unless the message is an event.
        let (event, id) = (Array(message.event.utf8), Array(message.eventID.utf8))
        unsafe view.exchange.pointee.message_text = message.bytes.span.lent
        unsafe view.exchange.pointee.message_event = event.span.lent
        unsafe view.exchange.pointee.message_id = id.span.lent
        defer { withExtendedLifetime((message, event, id)) {} }
        return try call(.message, &exchange, &context)
    }

    private func start(_ state: LuaState) throws(ScriptError) {
        let hook = TAPLINE_LUA_START
        guard state.has(hook) else { return try state.start(setup.config) }
        defer { deliverLog(of: state) }
        unsafe state.view.setTime(context.clock())
        do throws(ScriptError) {
            defer { counters.count(hook: hook, nanoseconds: unsafe state.view.nanoseconds) }
            try state.start(setup.config)
        } catch {
            counters.count(error, hook: hook)
            throw error
        }
    }

    private func stop(_ state: LuaState) {
        let hook = TAPLINE_LUA_STOP
        if state.has(hook) {
            unsafe state.view.setTime(context.clock())
            do throws(ScriptError) {
                defer { counters.count(hook: hook, nanoseconds: unsafe state.view.nanoseconds) }
                try state.stop()
            } catch {
                counters.count(error, hook: hook)
                context.log.error(error.description)
            }
            deliverLog(of: state)
        }
        if context.collectsCoverage { setup.shared.add(state.coverage) }
    }

    /// Reloads the script if its file has changed; if that fails, the current script stays in use.
    private func renew() {
        guard let reloader = setup.reloader else { return }
        let current = reloader.watch.number
        guard current != version else { return }
        version = current
        do throws(ScriptError) {
            let script = reloader.watch.value
            let new = try LuaState(script, setup, context)
            try start(new)
            reloader.lane(ran: current, failure: nil, log: context.log)
            stop(state)
            state = new
            hooks = new.hooks
        } catch {
            reloader.lane(ran: current, failure: error, log: context.log)
        }
    }
}

// MARK: - The log

extension LuaStage {
    /// Writes the lines that a script logged, up to the limit.
    private func deliverLog(of state: LuaState) {
        let limit = setup.shared.logLimit
        let log = context.log
        state.takeLog { level, line in
            guard case .write(let leftOut) = limit.admit(at: tapline_lua_now()) else { return }
            if leftOut > 0 { log.warning(LuaStage.leftOut(leftOut)) }
            log(level, line)
        }
    }

    private static func leftOut(_ count: Int) -> String {
        "\(Counted.text(count, "line")) of script output left out; raise 'max_log' to see more"
    }
}
