// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineCodings
public import TaplineModel
public import TaplinePlugin

/// Runs the hooks of a script over the exchanges of one lane.
public final class LuaStage: WireStage, RecordStage {
    private let state: LuaState
    private let script: LuaScript
    private let config: [UInt8]
    private let log: Log
    private let decodingLimits: DecodingLimits
    /// The hooks that the script had when it was loaded.
    ///
    /// A state that could not be made anew has
    /// none, and then calls must fail, not be left out.
    private let hooks: Hooks
    private var tags = NoteBuffer()
    private var vars = NoteBuffer()

    init(
        _ script: LuaScript,
        limits: LuaLimits,
        config: [UInt8],
        context: StageContext
    ) throws(ScriptError) {
        self.script = script
        self.config = config
        log = context.log
        decodingLimits = DecodingLimits(maxOutputBytes: limits.memory)
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
        let request = readableRequest(&exchange, isThere: context.hasRequestBody)
        let outcome = try unsafe call(.request, &exchange, &context, request, ReadableBody())
        unsafe outcome.apply(to: &exchange, &context, isWire: true)
        return unsafe outcome.wireVerdict
    }

    /// Calls the script's `response`.
    public func response(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> Verdict {
        guard hooks.contains(.response) else { return .proceed }
        let request = readableRequest(&exchange, isThere: context.hasRequestBody)
        let response = readableResponse(&exchange, isThere: context.hasResponseBody)
        let outcome = try unsafe call(.response, &exchange, &context, request, response)
        unsafe outcome.apply(to: &exchange, &context, isWire: true)
        return unsafe outcome.wireVerdict
    }

    /// Calls the script's `record`.
    public func record(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict {
        guard hooks.contains(.record) else { return .keep }
        let request = readableRequest(&exchange, isThere: true)
        let response = readableResponse(&exchange, isThere: true)
        let outcome = try unsafe call(.record, &exchange, &context, request, response)
        unsafe outcome.apply(to: &exchange, &context, isWire: false)
        return unsafe outcome.recordVerdict
    }

    private func deliverLog() {
        state.takeLog { line in log.info(line) }
    }
}

// MARK: - Bodies

extension LuaStage {
    /// How a script may read the request's body.
    private func readableRequest(_ exchange: inout Exchange, isThere: Bool) -> ReadableBody {
        let reading = reading(
            isTruncated: exchange.request.body.isTruncated,
            isCoded: !exchange.request.body.coding.isEmpty,
            isThere: isThere || exchange.request.body.size == 0
        )
        guard let reading else { return decoded(exchange.request.body) }
        return ReadableBody(reading: Int32(reading))
    }

    /// How a script may read the response's body.
    private func readableResponse(_ exchange: inout Exchange, isThere: Bool) -> ReadableBody {
        let reading = reading(
            isTruncated: exchange.response?.body.isTruncated ?? false,
            isCoded: !(exchange.response?.body.coding.isEmpty ?? true),
            isThere: isThere || exchange.response?.body.size == 0
        )
        guard let reading else { return decoded(exchange.response?.body ?? Body()) }
        return ReadableBody(reading: Int32(reading))
    }

    /// One of C's numbers; nothing where the body has to be decoded.
    private func reading(isTruncated: Bool, isCoded: Bool, isThere: Bool) -> Int? {
        if isTruncated { return TAPLINE_LUA_BODY_CUT }
        if !isThere { return TAPLINE_LUA_BODY_STREAMED }
        if !isCoded { return TAPLINE_LUA_BODY_READABLE }
        return script.readsBodies ? nil : TAPLINE_LUA_BODY_NOT_DECODED
    }

    private func decoded(_ body: Body) -> ReadableBody {
        let codings = ContentCoding.list(body.coding.span)
        guard
            let decoded = try? ContentCoding.decode(
                body.bytes.span,
                codings: codings,
                limits: decodingLimits
            )
        else { return ReadableBody(reading: Int32(TAPLINE_LUA_BODY_CODED)) }
        return ReadableBody(decoded: decoded)
    }
}

// MARK: - Calling

extension LuaStage {
    /// Lends an exchange to a hook; the outcome is good until the next call.
    @unsafe
    private func call(
        _ plane: Plane,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext,
        _ request: ReadableBody,
        _ response: ReadableBody
    ) throws(ScriptError) -> tapline_lua_outcome {
        var outcome = unsafe tapline_lua_outcome()
        var view = unsafe tapline_lua_exchange()
        unsafe view.id_high = exchange.id.high
        unsafe view.id_low = exchange.id.low
        unsafe view.started = exchange.started.microseconds
        unsafe exchange.timing.fill(&view)
        if !exchange.tags.isEmpty || !tags.isEmpty { tags.fill(exchange.tags) }
        if !context.vars.isEmpty || !vars.isEmpty { vars.fill(context.vars) }
        let stateName = plane == .record ? exchange.state.name : ""
        let code = unsafe tags.lend { tags in
            unsafe view.tags = tags
            return unsafe vars.lend { vars in
                unsafe view.vars = vars
                return unsafe stateName.utf8.span.lend { name in
                    unsafe view.state = name
                    return unsafe lendAddresses(&exchange, &view) { exchange, view in
                        unsafe lendMessages(plane, &exchange, request, response, &view) { view in
                            unsafe state.call(Int32(plane.rawValue), &view, &outcome)
                        }
                    }
                }
            }
        }
        deliverLog()
        try state.check(code, hook: plane.hookName)
        return unsafe outcome
    }

    @unsafe
    private func lendAddresses(
        _ exchange: inout Exchange,
        _ view: inout tapline_lua_exchange,
        _ action: (inout Exchange, inout tapline_lua_exchange) -> Int32
    ) -> Int32 {
        unsafe exchange.source.utf8.span.lend { source in
            unsafe view.source = source
            return unsafe exchange.connection.client.utf8.span.lend { client in
                unsafe view.client = client
                return unsafe exchange.connection.server.utf8.span.lend { server in
                    unsafe view.server = server
                    return unsafe action(&exchange, &view)
                }
            }
        }
    }

    @unsafe
    private func lendMessages(
        _ plane: Plane,
        _ exchange: inout Exchange,
        _ request: ReadableBody,
        _ response: ReadableBody,
        _ view: inout tapline_lua_exchange,
        _ action: (inout tapline_lua_exchange) -> Int32
    ) -> Int32 {
        // Taken out and put back, since unwrapping would copy it.
        var answer = exchange.response.take()
        defer { exchange.response = answer.take() }
        return unsafe exchange.request.lend(request, writable: plane != .response) { message in
            unsafe view.request = message
            return unsafe answer?.lend(response, writable: plane != .request) { message in
                unsafe view.response = message
                return unsafe action(&view)
            } ?? action(&view)
        }
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
