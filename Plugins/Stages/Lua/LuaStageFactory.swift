// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin

/// A script that compiled, ready to run in any number of lanes.
struct LuaStageFactory: StageFactory {
    private let script: LuaScript
    private let limits: LuaLimits
    private let config: [UInt8]
    /// The hooks that the script has.
    let hooks: Hooks

    /// Compiles the script and runs it once, in a state of its own, to know its hooks.
    ///
    /// That has no
    /// effect outside: a script reaches nothing but its state.
    init(_ script: LuaScript, limits: LuaLimits, config: ConfigNode?) throws(ScriptError) {
        self.script = script
        self.limits = limits
        var text: [UInt8] = []
        if let config {
            config.appendJSON(to: &text)
        } else {
            text = Array("{}".utf8)
        }
        self.config = text
        let state = try LuaState(script, limits: limits)
        let hooks = state.hooks
        guard !hooks.isEmpty else {
            throw ScriptError(
                code: .fault,
                script: script.name,
                line: nil,
                hook: nil,
                message:
                    "script has no hook; expected a global function request, response or record",
                help: nil,
                detail: ""
            )
        }
        self.hooks = hooks
    }

    /// Makes the stage of one lane, with a Lua state of its own.
    func makeStage(_ context: StageContext) throws -> any Stage {
        try LuaStage(script, limits: limits, config: config, context: context)
    }
}
