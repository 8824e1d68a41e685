// SPDX-License-Identifier: MIT

internal import Glibc
internal import TaplineBuiltIns
internal import TaplineConfig
internal import TaplineFiles
public import TaplinePlugin

/// The command line of Tapline.
public enum TaplineCommand {
    /// Runs the command that the process was called with, and ends the process with its exit code.
    ///
    /// The plugins come beside the built-in ones; one of the same kind and name takes its place.
    public static func main(plugins: PluginRegistry = PluginRegistry()) async -> Never {
        Allocator.link()
        // A reader that has gone is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that has reached the limit for files (setrlimit(2)).
        signal(SIGXFSZ, SIG_IGN)
        let code = await run(
            Array(CommandLine.arguments.dropFirst()),
            plugins: plugins,
            environment: Environment(ProcessEnvironment.variables),
            console: .process()
        )
        end(code)
    }

    /// Ends the process without its exit handlers.
    ///
    /// Everything that is written for a user has been by now: the sinks are closed, and the console
    /// writes at once. Threads of Dispatch, of Swift's pool and of libuv's cannot be joined; one that
    /// ends, or frees something, while `exit` has OpenSSL, libuv and C++ free the same, ends the process
    /// with a signal in place of the code.
    private static func end(_ code: ExitCode) -> Never {
        fflush(nil)
        _exit(code.rawValue)
    }

    /// Runs one command line.
    static func run(
        _ words: [String],
        plugins: PluginRegistry,
        environment: Environment,
        console: Console
    ) async -> ExitCode {
        var invocation = Invocation(
            registry: PluginRegistry.builtIn.adding(plugins),
            environment: environment,
            console: console
        )
        do throws(UsageError) {
            let command = try chosen(words, &invocation)
            return await command.run(invocation)
        } catch {
            console.note("tapline: error: \(error.message)")
            if let help = error.help { console.note("help: \(help)") }
            return .usage
        }
    }

    /// The command that the words call, its own words read; help where they ask for it.
    private static func chosen(
        _ words: [String],
        _ invocation: inout Invocation
    ) throws(UsageError) -> CommandDeclaration {
        guard let name = words.first, name != "--help", name != "-h" else { return Commands.help }
        if name == "--version" { return Commands.version }
        guard let command = Commands.all.first(where: { $0.name == name }) else {
            let names = Commands.all.map(\.name)
            throw UsageError(
                message: "unknown command '\(name)'; expected \(names.joined(separator: ", "))",
                help: Suggestion.help(for: name, among: names) ?? "tapline help"
            )
        }
        let rest = Array(words.dropFirst())
        let own = rest.prefix { $0 != "--" && (!command.takesCommand || $0.hasPrefix("-")) }
        if own.contains(where: { $0 == "--help" || $0 == "-h" }) {
            invocation.operands = [name]
            return Commands.help
        }
        try CommandParser(command: command).parse(rest, into: &invocation)
        return command
    }
}
