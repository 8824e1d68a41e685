// SPDX-License-Identifier: MIT

internal import Glibc
internal import TaplineBuiltIns
internal import TaplineConfig
package import TaplinePlugin
internal import TaplineStore
internal import TaplineSystem

/// A program with commands, such as `tapline`.
package struct Program: Sendable {
    /// The commands, in the order of the help overview.
    package let commands: [CommandDeclaration]
    /// Starts the replays and mocks that the inspector's page asks for; `nil` if the program has none.
    let startRun: InspectorRunStart?

    package init(commands: [CommandDeclaration], startRun: InspectorRunStart? = nil) {
        self.commands = commands
        self.startRun = startRun
    }

    /// Returns the command with the given name, or `nil` if there is none.
    func command(named name: String) -> CommandDeclaration? { commands.first { $0.name == name } }

    /// Runs the command line of the process and exits with the command's exit code.
    ///
    /// The plugins are added to the built-in ones; a plugin replaces a built-in plugin of the same
    /// kind and name.
    package func main(plugins: PluginRegistry = PluginRegistry()) async -> Never {
        Allocator.link()
        // Writing to a closed pipe is an error of the write and must not end the process.
        signal(SIGPIPE, SIG_IGN)
        // The same holds for a file that reaches the size limit (setrlimit(2)).
        signal(SIGXFSZ, SIG_IGN)
        let code = await run(
            Array(ProcessEnvironment.arguments.dropFirst()),
            plugins: plugins,
            environment: Environment(ProcessEnvironment.variables),
            console: .process()
        )
        Self.end(code)
    }

    /// Ends the process without running its exit handlers.
    ///
    /// All output is already written: the sinks are closed, and the console does not buffer.
    /// Threads of Dispatch, of Swift's pool and of libuv's pool cannot be joined. If one of them
    /// ends or frees memory while the exit handlers of OpenSSL, libuv and C++ free the same memory,
    /// the process ends with a signal instead of the code.
    private static func end(_ code: ExitCode) -> Never {
        fflush(nil)
        _exit(code.rawValue)
    }

    /// Runs one command line.
    func run(
        _ words: [String],
        plugins: PluginRegistry,
        environment: Environment,
        console: Console
    ) async -> ExitCode {
        var registry = PluginRegistry.builtIn.adding(plugins)
        registry.stores = RecordedDatabases()
        var invocation = Invocation(
            program: self,
            registry: registry,
            environment: environment,
            console: console
        )
        do throws(UsageError) {
            let command = try chosen(words, &invocation)
            let code = await command.run(invocation)
            guard let error = console.outputError else { return code }
            console.note("tapline: error: \(error)")
            return code == .success ? .failure : code
        } catch {
            return invocation.report(error)
        }
    }

    /// Returns the command that the words name, after parsing its arguments into the invocation;
    /// returns `help` if the words ask for help.
    private func chosen(
        _ words: [String],
        _ invocation: inout Invocation
    ) throws(UsageError) -> CommandDeclaration {
        guard let name = words.first, name != "--help", name != "-h" else { return Commands.help }
        if name == "--version" { return Commands.version }
        guard let command = command(named: name) else {
            let names = commands.map(\.name)
            throw UsageError(
                message: "unknown command '\(name)'; expected \(names.joined(separator: ", "))",
                help: Suggestion.help(for: name, among: names) ?? "tapline help"
            )
        }
        let rest = Array(words.dropFirst())
        let own = rest.prefix { word in
            word != "--"
                && (!command.takesCommand || word.hasPrefix("-")
                    || command.leadingWords.contains(word))
        }
        if own.contains(where: { $0 == "--help" || $0 == "-h" }) {
            invocation.operands = [name]
            return Commands.help
        }
        try CommandParser(command: command).parse(rest, into: &invocation)
        return command
    }
}
