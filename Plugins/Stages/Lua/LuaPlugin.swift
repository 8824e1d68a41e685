// SPDX-License-Identifier: MIT

internal import TaplineConfig
package import TaplinePlugin
internal import TaplineSystem

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension StagePlugin {
    /// The stage `lua`: hooks written in Lua.
    package static var lua: StagePlugin {
        var plugin = StagePlugin(
            name: "lua",
            summary: "Changes, answers, delays or drops exchanges with hooks written in Lua.",
            options: LuaOptions.schema,
            hasWireHooks: true,
            build: { options, context in LuaOptions.factory(options, &context) }
        )
        plugin.scripts = ScriptTools(
            language: "lua",
            editorFiles: { LuaStubs.files },
            check: ScriptCheck.check
        )
        return plugin
    }
}

/// The options of `lua`, and the stage that they configure.
enum LuaOptions {
    static let script = ConfigKey(
        "script",
        OptionType<String>.path.optional,
        default: nil,
        summary: "The script's file.",
        example: "rewrite.lua"
    )
    static let code = ConfigKey(
        "code",
        OptionType<String>.text.located.optional,
        default: nil,
        summary: "The script itself, instead of a file; no variables are replaced in it.",
        example: "\"function record(ex) ex.tags.seen = true end\"",
        interpolates: false
    )
    static let config = ConfigKey(
        "config",
        .node,
        default: nil,
        summary: "Any value; passed to the script's 'start' as a table.",
        example: "{ team: checkout }"
    )
    static let maxMemory = ConfigKey(
        "max_memory",
        .byteSize,
        default: 32 << 20,
        summary: "The memory that the script may use in each lane; at least 256KiB.",
        example: "64MiB"
    )
    static let maxInstructions = ConfigKey(
        "max_instructions",
        .integer(in: 1000...1_000_000_000_000),
        default: 10_000_000,
        summary: "The Lua instructions that one call may execute, counted in steps of 1,000.",
        example: "1000000"
    )
    static let maxTime = ConfigKey(
        "max_time",
        .duration,
        default: .seconds(1),
        summary: "The time that one call may take.",
        example: "50ms"
    )

    static let maxTable = ConfigKey(
        "max_table",
        .integer(in: 256...67_108_864),
        default: 16_384,
        summary: "The entries that one table may have in addition to the keys 1 to n; "
            + "rounded up to a power of two.",
        example: "65536"
    )
    static let maxLog = ConfigKey(
        "max_log",
        .integer(in: 0...1_000_000),
        default: 200,
        summary: "The lines that the script may log per second, over all lanes; 0 for no limit.",
        example: "1000"
    )
    static let reload = ConfigKey(
        "reload",
        .bool,
        default: false,
        summary: "Reloads the script when its file or the file of a module changes.",
        example: "true"
    )
    static let sharedMaxBytes = ConfigKey(
        "shared_max_bytes",
        .byteSize,
        default: 16 << 20,
        summary: "The memory of the store 'shared', which all lanes of the script use.",
        example: "1MiB"
    )

    static let descriptors = ConfigKey(
        "descriptors",
        OptionType<String>.path.optional,
        default: nil,
        summary: "The types of protobuf and gRPC messages, so that 'ex.grpc' has the names of "
            + "fields: a file from 'protoc --include_imports --descriptor_set_out'.",
        example: "shop.binpb"
    )

    static let schema = OptionSchema(
        script,
        code,
        config,
        maxMemory,
        maxInstructions,
        maxTime,
        maxTable,
        maxLog,
        reload,
        sharedMaxBytes,
        descriptors
    )

    /// Reads and compiles the script; returns `nil` and reports the problems if that fails.
    static func factory(
        _ options: Options,
        _ context: inout BuildContext
    ) -> LuaStageFactory? {
        let stamps = options[script].map { FileStamps([$0]) }
        guard let script = readScript(options, &context) else { return nil }
        if options[reload], options.isSet(code) {
            context.diagnostics.error(
                at: options.location(of: reload),
                "'reload' needs a file to watch; found 'code', expected 'script'",
                help: "move the code to a file and name it with 'script'"
            )
            return nil
        }
        let limits = LuaLimits(
            memory: options[maxMemory],
            instructions: options[maxInstructions],
            time: options[maxTime],
            table: options[maxTable]
        )
        guard limits.memory >= 256 << 10 else {
            context.diagnostics.error(
                at: options.location(of: maxMemory),
                "'max_memory' is too small for a Lua state; expected at least 256KiB"
            )
            return nil
        }
        let types = context.descriptors(options, descriptors)
        guard !context.diagnostics.hasErrors else { return nil }
        do throws(ScriptError) {
            var factory = try LuaStageFactory(
                script,
                limits: limits,
                config: options[config],
                logLinesASecond: options[maxLog],
                reloads: options[reload],
                environment: environment(options, context),
                stamps: stamps
            )
            factory.setDescriptors(types, options[descriptors])
            advise(on: script, options, &context)
            return factory
        } catch {
            // The line may belong to a module instead of the script.
            let isOwn = error.script == script.name
            let place = isOwn ? error.line.flatMap { script.location(ofLine: $0) } : nil
            context.diagnostics.error(
                at: place ?? Self.place(options),
                place == nil ? error.description : error.message,
                help: error.help
            )
            return nil
        }
    }

    /// Suggests `tapline lua check` if it has findings for a script in a file.
    private static func advise(
        on script: LuaScript,
        _ options: Options,
        _ context: inout BuildContext
    ) {
        guard let path = options[Self.script] else { return }
        let found = ScriptCheck.check(ConfigSource(name: path, bytes: script.text)).all.count
        guard found > 0 else { return }
        context.diagnostics.note(
            at: options.location(of: Self.script),
            "\(Counted.text(found, "remark")) on the script",
            help: "see with: tapline lua check '\(path)'"
        )
    }

    /// Modules are in the script's folder, files below the folder of the configuration.
    private static func environment(
        _ options: Options,
        _ context: BuildContext
    ) -> LuaEnvironment {
        let parent = options[script].map { path in
            let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            return parts.isEmpty ? "." : parts == [""] ? "/" : parts.joined(separator: "/")
        }
        return LuaEnvironment(
            moduleFolder: parent ?? context.folder,
            fileFolder: context.folder,
            protectedPaths: context.protectedPaths,
            sharedBytes: options[sharedMaxBytes]
        )
    }

    /// The script from `script` or `code`, of which exactly one must be set.
    private static func readScript(
        _ options: Options,
        _ context: inout BuildContext
    ) -> LuaScript? {
        switch (options[script], options[code]) {
        case (let path?, nil):
            guard let text = ScriptFile.read(path) else {
                let reason = unsafe String(cString: strerror(errno))
                context.diagnostics.error(
                    at: options.location(of: script),
                    "script cannot be read: \(reason.lowercased())"
                )
                return nil
            }
            return LuaScript(path: path, text: text)
        case (nil, let code?):
            return LuaScript(inline: code.value, at: code.location ?? context.location)
        case (nil, nil):
            context.diagnostics.error(
                at: context.location,
                "'lua' has no script; expected 'script' or 'code'",
                help: "add 'script: FILE' or 'code: |' and the script below it"
            )
            return nil
        case (.some, .some):
            context.diagnostics.error(
                at: options.location(of: code),
                "'lua' has both 'script' and 'code'; expected one of them"
            )
            return nil
        }
    }

    /// The location of the option that gave the script.
    private static func place(_ options: Options) -> SourceLocation? {
        options.isSet(code) ? options.location(of: code) : options.location(of: script)
    }
}
