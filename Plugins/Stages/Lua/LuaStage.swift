// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineCodings
public import TaplineModel
public import TaplinePlugin

/// Runs the hooks of a script over the exchanges of one lane.
public final class LuaStage: WireStage, RecordStage {
    private let state: LuaState
    private let config: [UInt8]
    private let log: Log
    /// The hooks that the script had when it was loaded.
    ///
    /// A state that could not be made anew has
    /// none, and then calls must fail, not be left out.
    private let hooks: Hooks
    /// Lays out what hooks read.
    ///
    /// It calls nobody who could come back here; a check of that at each call would cost half an
    /// empty hook.
    @exclusivity(unchecked) private var lender: Lender

    init(
        _ script: LuaScript,
        limits: LuaLimits,
        config: [UInt8],
        context: StageContext
    ) throws(ScriptError) {
        self.config = config
        log = context.log
        unsafe lender = Lender(
            decodes: script.readsBodies,
            limits: DecodingLimits(maxOutputBytes: limits.memory)
        )
        state = try LuaState(script, limits: limits, seed: context.seed)
        hooks = state.hooks
    }

    /// The memory that the script holds.
    var memoryUsed: Int { state.memoryUsed }

    /// Calls the script's `start` with what the option `config` says.
    public func start() throws {
        defer { deliverLog() }
        try state.start(config)
    }

    /// Calls the script's `stop`.
    public func stop() {
        do {
            try state.stop()
        } catch {
            log.error(error.description)
        }
        deliverLog()
    }

    /// Calls the script's `request`.
    public func request(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> Verdict {
        guard hooks.contains(.request) else { return .proceed }
        guard try call(.request, &exchange, &context) else { return .proceed }
        return state.finish(&exchange, &context)
    }

    /// Calls the script's `response`.
    public func response(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> Verdict {
        guard hooks.contains(.response) else { return .proceed }
        guard try call(.response, &exchange, &context) else { return .proceed }
        return state.finish(&exchange, &context)
    }

    /// Calls the script's `record`.
    public func record(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict {
        guard hooks.contains(.record) else { return .keep }
        guard try call(.record, &exchange, &context) else { return .keep }
        return state.finishRecord(&exchange, &context)
    }

    private func deliverLog() {
        state.takeLog { line in log.info(line) }
    }
}

// MARK: - Calling

extension LuaStage {
    /// Calls a hook; whether it did anything that has to be carried out.
    private func call(
        _ plane: Plane,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws(ScriptError) -> Bool {
        let code = unsafe withUnsafeMutablePointer(to: &exchange) { exchange in
            unsafe lender.lend(plane, UnsafePointer(exchange), context, to: state)
            return state.call(Int32(plane.rawValue))
        }
        unsafe lender.takeBack()
        if state.isPlain { return false }
        deliverLog()
        try state.check(code, hook: plane.hookName)
        return true
    }
}

extension Plane {
    fileprivate var hookName: String {
        switch self {
        case .request: "request"
        case .response: "response"
        case .record: "record"
        }
    }
}
