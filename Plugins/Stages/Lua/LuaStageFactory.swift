// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineConfig
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineProtobuf
internal import TaplineSystem

/// What the lanes of a component need in addition to the script.
struct LuaSetup: Sendable {
    let limits: LuaLimits
    /// The argument of `start`, as JSON text.
    var config = Array("{}".utf8)
    var shared = LuaShared(logLinesASecond: 0)
    /// The folders and files that scripts can reach.
    var environment = LuaEnvironment()
    /// The store that `shared` reads and writes; all lanes use the same one.
    var store: SharedStore?
    /// Detects changes of the script, if `reload` is set.
    var reloader: ScriptReloader?
    /// The types of protobuf messages; `nil` if they are unknown.
    var schema: ProtobufSchema?
    /// The time between two looks at the files; `nil` if tests look themselves.
    var interval: Duration? = .milliseconds(250)
}

/// A script that compiled, ready to run in any number of lanes.
struct LuaStageFactory: StageFactory, ConfiguredByFiles {
    private let script: LuaScript
    private var setup: LuaSetup
    /// The hooks that the script has.
    let hooks: Hooks
    /// The script's file, those of its modules and that of descriptors; empty for a script in the
    /// configuration.
    private(set) var configurationFiles: [String]

    /// Compiles the script and runs it once, in a separate state, to find its hooks.
    ///
    /// This has no side effects, because a script can reach only its state. With `reloads`, the
    /// script's file is watched from the first stage on.
    init(
        _ script: LuaScript,
        limits: LuaLimits,
        config: ConfigNode?,
        logLinesASecond: Int = 0,
        reloads: Bool = false,
        environment: LuaEnvironment = LuaEnvironment(),
        interval: Duration? = .milliseconds(250),
        stamps: FileStamps? = nil
    ) throws(ScriptError) {
        self.script = script
        var setup = LuaSetup(
            limits: limits,
            shared: LuaShared(logLinesASecond: logLinesASecond),
            environment: environment,
            store: SharedStore(maxBytes: environment.sharedBytes)
        )
        if let config {
            setup.config = []
            config.appendJSON(to: &setup.config)
        }
        let (hooks, modules) = try LuaStageFactory.check(script, limits, environment)
        self.hooks = hooks
        configurationFiles = script.isFile ? [script.name] + modules : modules
        if reloads {
            setup.interval = interval
            setup.reloader = ScriptReloader(
                script,
                stamps: stamps,
                modules: modules,
                in: environment.moduleFolder,
                hooks: hooks
            ) { script throws(ScriptError) in
                try LuaStageFactory.check(script, limits, environment)
            }
        }
        self.setup = setup
    }

    /// Gives the messages of gRPC calls the names of their types.
    mutating func setDescriptors(_ schema: ProtobufSchema?, _ path: String?) {
        setup.schema = schema
        if let path { configurationFiles.append(path) }
    }

    /// Compiles a script and runs it once; returns its hooks and the files of its modules.
    private static func check(
        _ script: LuaScript,
        _ limits: LuaLimits,
        _ environment: LuaEnvironment
    ) throws(ScriptError) -> (Hooks, [String]) {
        // What the script stores is discarded with the state.
        let state = try LuaState(
            script,
            limits: limits,
            environment: environment,
            store: SharedStore(maxBytes: environment.sharedBytes)
        )
        guard !state.hooks.isEmpty else {
            throw ScriptError(
                code: .fault,
                script: script.name,
                line: nil,
                hook: nil,
                message:
                    "script has no hook; expected a global function request, response, message or record",
                help: nil,
                detail: ""
            )
        }
        return (state.hooks, state.modules)
    }

    /// Makes the stage of one lane, with a Lua state of its own.
    func makeStage(_ context: StageContext) throws -> any Stage {
        try setup.reloader?.start(context.log, every: setup.interval)
        return try LuaStage(script, setup, context: context)
    }

    /// Looks at the files of the script now; for tests.
    func checkFiles() { setup.reloader?.watch.checkNow() }

    /// The counters of the script's hooks, of its log and of reloads.
    var metrics: [Metric] {
        let name = script.chunkName
        var metrics = LuaCounters.metrics(setup.shared.counters, script: name)
        let leftOut = setup.shared.logLimit.leftOutInAll
        metrics.append(Metric("log lines left out", of: name, count: leftOut))
        if let (reloads, refusals) = setup.reloader?.counts {
            metrics.append(Metric("reloads", of: name, count: reloads))
            metrics.append(Metric("refused reloads", of: name, count: refusals))
        }
        return metrics
    }

    /// The lines that ran in the lanes that have ended.
    var coverage: [ScriptCoverage] { setup.shared.coverage }
}
