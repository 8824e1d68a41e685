// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineInspector
public import TaplinePlugin

/// The program `tapline`: all commands, for executables that link their own plugins.
public enum TaplineCommand {
    /// All commands, and the replays and mocks that the inspector's page can start.
    static let program = Program(commands: Commands.all) { request, context in
        switch request.kind {
        case .replay: try ReplayAction(request, in: context)
        case .mock: try MockAction(request, in: context)
        }
    }

    /// Runs the command line of the process and exits with the command's exit code.
    ///
    /// The plugins are added to the built-in ones; a plugin replaces a built-in plugin of the same
    /// kind and name.
    public static func main(plugins: PluginRegistry = PluginRegistry()) async -> Never {
        await program.main(plugins: plugins)
    }
}
