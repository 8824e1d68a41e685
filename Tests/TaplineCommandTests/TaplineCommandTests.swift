// SPDX-License-Identifier: MIT

import Synchronization
import TaplineBuiltIns
import TaplineConfig
import TaplineJSON
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

/// The exit code and the output of a command line.
struct Outcome {
    let code: ExitCode
    let output: String
    let errors: String
}

/// Runs a command line in this process.
func tapline(
    _ words: String...,
    plugins: PluginRegistry = PluginRegistry(),
    environment: [String: String] = [:]
) async -> Outcome {
    await tapline(words: words, plugins: plugins, environment: environment)
}

/// As `tapline`, with the words of a list.
func tapline(
    words: [String],
    of program: Program = TaplineCommand.program,
    plugins: PluginRegistry = PluginRegistry(),
    environment: [String: String] = [:]
) async -> Outcome {
    let output = Mutex<[UInt8]>([])
    let errors = Mutex<[UInt8]>([])
    let console = Console(
        isTerminal: false,
        output: { bytes in output.withLock { $0 += bytes } },
        errors: { bytes in errors.withLock { $0 += bytes } }
    )
    let code = await program.run(
        words,
        plugins: plugins,
        environment: Environment(environment),
        console: console
    )
    return Outcome(
        code: code,
        output: String(decoding: output.withLock { $0 }, as: UTF8.self),
        errors: String(decoding: errors.withLock { $0 }, as: UTF8.self)
    )
}

/// Runs a command line whose output is a terminal, and returns what it shows.
func taplineOnTerminal(
    _ words: String...,
    width: Int,
    environment: [String: String]
) async -> String {
    let output = Mutex<[UInt8]>([])
    let console = Console(
        isTerminal: true,
        outputIsTerminal: true,
        outputWidth: width,
        output: { bytes in output.withLock { $0 += bytes } },
        errors: { _ in }
    )
    _ = await TaplineCommand.program.run(
        words,
        plugins: PluginRegistry(),
        environment: Environment(environment),
        console: console
    )
    return String(decoding: output.withLock { $0 }, as: UTF8.self)
}

/// Returns plugins with a source `script` and a sink `keep` for test pipelines.
func scripted(
    _ exchanges: [Exchange],
    into sink: RecordingSink,
    staysOpen: Bool = false
) -> PluginRegistry {
    PluginRegistry(
        sources: [
            SourcePlugin(name: "script", summary: "Hands over.", options: OptionSchema()) { _, _ in
                ScriptedSource(exchanges, staysOpen: staysOpen)
            }
        ],
        sinks: [
            SinkPlugin(name: "keep", summary: "Keeps.", options: OptionSchema()) { _, _ in sink }
        ]
    )
}

/// Calls `body` with a temporary file that holds the text, and removes the file afterwards.
func withFile<Result>(
    _ text: String,
    _ body: (String) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        let path = "\(folder)/pipeline.yaml"
        try File(path, for: .create).write(text.utf8.span)
        return try await body(path)
    }
}

private let pipeline = "version: 1\nsources: [script]\nstages: [redact]\nsinks: [keep]\n"

@Suite("The command line")
struct TaplineCommandTests {
    @Test("explains itself and every command on one screen each")
    func help() async {
        let overview = await tapline()
        #expect(overview.code == .success)
        #expect(overview.output.contains("usage: tapline COMMAND"))
        #expect(overview.output.split(separator: "\n").count <= 40)
        for command in Commands.all {
            let one = await tapline(command.name, "--help")
            #expect(one.code == .success)
            #expect(one.output.hasPrefix(command.summary))
            #expect(one.output == (await tapline("help", command.name)).output)
            let lines = one.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 40, "\(command.name)")
            #expect(lines.allSatisfy { $0.count <= 100 }, "\(command.name)")
        }
    }

    @Test("a program with fewer commands lists and accepts only those")
    func fewerCommands() async {
        let program = Program(commands: [Commands.check, Commands.help])
        let overview = await tapline(words: ["help"], of: program)
        #expect(overview.output.contains("\n  check  Check a pipeline"))
        #expect(!overview.output.contains("\n  run "))
        let refused = await tapline(words: ["run", "pipeline.yaml"], of: program)
        #expect(refused.code == .usage)
        #expect(refused.errors.contains("unknown command 'run'; expected check, help"))
    }

    @Test("explains the command of an action", arguments: [["store", "info"], ["lua", "check"]])
    func helpForAction(words: [String]) async {
        let outcome = await TaplineCommandTests.run(["help"] + words)
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.output == (await tapline("help", words[0])).output)
    }

    @Test(
        "rejects wrong command lines with a suggestion and exit code 64",
        arguments: [
            (["rum"], "unknown command 'rum'", "did you mean 'run'?"),
            (["run"], "'run' needs FILE", "tapline run FILE [options]"),
            (["lua"], "'lua' needs ACTION; expected init, check", "tapline lua ACTION"),
            (["run", "a", "b"], "too many arguments for 'run'; found 'b'", "tapline run"),
            (["run", "a", "--quite"], "unknown option '--quite'", "did you mean '--quiet'?"),
            (["run", "a", "--for"], "'--for' needs a value; expected TIME", ""),
            (["run", "a", "--for", "10"], "wrong value of '--for'; found '10'", ""),
            (["run", "a", "--quiet=1"], "'--quiet' takes no value", ""),
            (["run", "a", "--quiet", "--quiet"], "'--quiet' is given twice", ""),
            (["run", "a", "--log-format", "jsn"], "unknown value 'jsn'", "did you mean 'json'?"),
            (["completions", "tcsh"], "unknown shell 'tcsh'; expected bash, zsh, fish", ""),
            (["plugins", "redac"], "unknown plugin 'redac'", "did you mean 'redact'?"),
            (["help", "store", "inf"], "unknown action 'inf' of 'store'", "did you mean 'info'?"),
            (["help", "query", "x"], "'query' has no actions; found 'x'", ""),
            (["help", "schem"], "unknown command 'schem'", "did you mean 'schema'?"),
        ]
    )
    func usage(words: [String], message: String, help: String) async {
        let outcome = await TaplineCommandTests.run(words)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains("tapline: error: \(message)"), "\(outcome.errors)")
        #expect(help.isEmpty || outcome.errors.contains("help: \(help)"), "\(outcome.errors)")
    }

    @Test("lists the keys that are written beside a plugin")
    func keysBesideAPlugin() async {
        for (plugin, own, others) in [
            ("lua", ["on_error", "buffer", "max_buffer"], ["queue", "capture_max_bytes"]),
            ("redact", ["when"], ["buffer", "queue"]),
            ("url_protocol", ["capture_max_bytes"], ["buffer", "queue"]),
            ("replay", ["when"], ["capture_max_bytes"]),
            ("ndjson", ["queue", "queue.overflow", "retry.initial"], ["buffer"]),
        ] {
            let output = await tapline("plugins", plugin).output
            let title = "\nKeys beside '\(plugin)' in the same list item, not within it:\n"
            let rest = output.split(separator: title)
            #expect(rest.count == 2, "\(output)")
            for name in ["id"] + own { #expect(rest.last?.contains("\n  \(name): ") == true) }
            for name in others { #expect(!output.contains("\n  \(name): "), "\(plugin)") }
        }
    }

    private static func run(_ words: [String]) async -> Outcome {
        switch words.count {
        case 1: await tapline(words[0])
        case 2: await tapline(words[0], words[1])
        case 3: await tapline(words[0], words[1], words[2])
        default: await tapline(words[0], words[1], words[2], words[3])
        }
    }

    @Test("runs a pipeline and prints a summary")
    func runs() async throws {
        let sink = RecordingSink()
        let plugins = scripted(Exchange.examples(30), into: sink)
        let outcome = try await withFile(pipeline) { await tapline("run", $0, plugins: plugins) }
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.output == "")
        #expect(sink.log.records.count == 30)
        #expect(outcome.errors.contains("30 exchanges in"))
        let rows = outcome.errors.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(rows.contains(["keep", "30", "30", "0", "0", "0", "0"]))
        #expect(!outcome.errors.contains("do not add up"))
    }

    @Test("prints nothing with --quiet")
    func quiet() async throws {
        let plugins = scripted(Exchange.examples(3), into: RecordingSink())
        let outcome = try await withFile(pipeline) {
            await tapline("run", $0, "--quiet", plugins: plugins)
        }
        #expect(outcome.errors == "")
    }

    @Test("stops after the time given with --for")
    func stopsAfter() async throws {
        let plugins = scripted(Exchange.examples(3), into: RecordingSink(), staysOpen: true)
        let outcome = try await withFile(pipeline) {
            await tapline("run", $0, "--for", "50ms", plugins: plugins)
        }
        #expect(outcome.code == .success)
        #expect(outcome.errors.contains(" exchanges in "))
    }

    @Test("warns that secrets reach the sinks without redaction")
    func unredacted() async throws {
        let plugins = scripted(Exchange.examples(1), into: RecordingSink())
        let text = pipeline.replacing("stages: [redact]\n", with: "")
        let outcome = try await withFile(text) { await tapline("run", $0, plugins: plugins) }
        #expect(outcome.code == .success)
        #expect(outcome.errors.contains("warning: no stage redacts"))
        #expect(outcome.errors.contains("note: no stage redacts"))
    }

    @Test("exits with 1 if records are lost")
    func failure() async throws {
        let sink = RecordingSink()
        sink.log.fail(with: [SinkError(.refused, "it is full")])
        let plugins = scripted(Exchange.examples(1), into: sink)
        let outcome = try await withFile(pipeline) {
            await tapline("run", $0, "--log-format", "json", plugins: plugins)
        }
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("\"component\":\"keep\",\"message\":\"1 record refused"))
    }

    @Test("writes log and summary as JSON if requested")
    func jsonSummary() async throws {
        let plugins = scripted(Exchange.examples(3), into: RecordingSink())
        let outcome = try await withFile(pipeline) {
            await tapline("run", $0, "--log-format", "json", plugins: plugins)
        }
        #expect(outcome.code == .success)
        let lines = outcome.errors.split(separator: "\n")
        for line in lines {
            var parser = JSONParser()
            let bytes = Array(line.utf8)
            let document = try parser.parse(bytes.span)
            #expect(document.root.member("message")?.asString != nil, "\(line)")
        }
        let last = try #require(lines.last)
        #expect(last.contains(#""message":"3 exchanges in "#))
        #expect(
            last.contains(
                #""redacted":true,"balanced":true,"sources":[{"id":"script","in":3,"out":3,"#
                    + #""dropped":0,"filtered":0,"rejected":0}],"stages":[{"id":"redact","in":3,"#
            )
        )
        #expect(
            last.contains(
                #""sinks":[{"id":"keep","in":3,"out":3,"dropped":0,"errors":0,"filtered":0,"#
                    + #""duplicates":0,"degraded":false,"spilled":0,"in_spill":0,"spill_bytes":0}],"#
                    + #""failures":[]}}"#
            )
        )
    }

    @Test("writes problems of a configuration as JSON, with place and help")
    func jsonProblems() async throws {
        let plugins = scripted([], into: RecordingSink())
        let text = "version: 1\nsources: [scrip]\nsinks: [keep]\n"
        let outcome = try await withFile(text) {
            await tapline("run", $0, "--log-format", "json", plugins: plugins)
        }
        #expect(outcome.code == .configuration)
        #expect(outcome.errors.hasSuffix("\"help\":\"did you mean 'script'?\"}\n"))
        #expect(
            outcome.errors.contains(#""level":"error","component":"","message":"unknown source"#)
        )
        #expect(outcome.errors.contains(#".yaml:2:11","help""#))
    }

    @Test("exits with 78 if the file is wrong, and reports all problems")
    func configuration() async throws {
        let plugins = scripted([], into: RecordingSink())
        let text = "version: 1\nsources: [scrip]\nsinks: [kep]\n"
        for command in ["run", "check"] {
            let outcome = try await withFile(text) { await tapline(command, $0, plugins: plugins) }
            #expect(outcome.code == .configuration)
            #expect(outcome.errors.contains("help: did you mean 'script'?"))
            #expect(outcome.errors.contains("help: did you mean 'keep'?"))
        }
        let missing = await tapline("check", "/nowhere/at/all.yaml")
        #expect(missing.code == .configuration)
        #expect(missing.errors.contains("error: cannot open '/nowhere/at/all.yaml'"))
        let set = try await withFile(pipeline) {
            await tapline("check", $0, "--set", "keep.nothing=1", plugins: plugins)
        }
        #expect(set.errors.contains("unknown option 'nothing' in 'keep'"))
    }

    @Test("checks a pipeline without running it")
    func check() async throws {
        let sink = RecordingSink()
        let plugins = scripted(Exchange.examples(3), into: sink)
        let outcome = try await withFile(pipeline) { await tapline("check", $0, plugins: plugins) }
        #expect(outcome.code == .success)
        #expect(outcome.errors == "ok: 1 source, 1 stage, 1 sink\n")
        #expect(sink.log.calls.isEmpty)
    }

    @Test("lists the plugins, and explains each with all its options")
    func plugins() async {
        let list = await tapline("plugins")
        for plugin in PluginRegistry.builtIn.all {
            #expect(list.output.contains("  \(plugin.name) "))
            let one = await tapline("plugins", plugin.name)
            #expect(one.code == .success)
            for key in plugin.options.keys {
                #expect(one.output.contains("  \(key.name): \(key.typeName)"))
                #expect(!key.summary.isEmpty)
            }
        }
    }

    @Test("prints a schema, a manual and completions that name every command")
    func documents() async {
        #expect((await tapline("schema")).output.contains("\"const\": \"redact\""))
        #expect((await tapline("version")).output == "tapline \(VersionCommand.version)\n")
        let manual = (await tapline("help", "--man")).output
        #expect(manual.hasPrefix(".TH TAPLINE 1"))
        for shell in ["bash", "zsh", "fish"] {
            let completions = (await tapline("completions", shell)).output
            for command in Commands.all {
                #expect(completions.contains(command.name), "\(shell) \(command.name)")
                #expect(manual.contains("tapline \(command.name)"))
            }
        }
    }
}
