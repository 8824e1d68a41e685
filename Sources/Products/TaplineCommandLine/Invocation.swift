// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineControl
package import TaplinePlugin
package import TaplineSystem

/// A parsed command line, and what its command may use.
package struct Invocation: Sendable {
    /// The words that are not options.
    package var operands: [String] = []
    /// The command after `--`, of commands with an option that runs one.
    package var command: [String] = []
    /// The values of options by name; the value of an option that takes none is empty.
    package var options: [String: [String]] = [:]
    /// The program that has the command.
    package let program: Program
    /// The available plugins.
    package var registry: PluginRegistry
    /// The environment variables of the process without `TAPLINE_INSPECT_PASSWORD`,
    /// `TAPLINE_CONTROL_TOKEN` and those of the service manager, so that no program that a command
    /// starts gets them.
    package let environment: Environment
    /// The value of `TAPLINE_INSPECT_PASSWORD`.
    let inspectPassword: String?
    /// The value of `TAPLINE_CONTROL_TOKEN`.
    package let controlToken: String?
    /// What the service manager expects of this process.
    let service: ServiceVariables
    /// Where the command writes.
    package let console: Console

    /// Creates a command line.
    package init(
        operands: [String] = [],
        options: [String: [String]] = [:],
        program: Program,
        registry: PluginRegistry,
        environment: Environment,
        console: Console
    ) {
        self.operands = operands
        self.options = options
        self.program = program
        self.registry = registry
        self.console = console
        inspectPassword = environment[RemoteOptions.variable]
        service = ServiceVariables(environment)
        var variables = environment.withoutServiceVariables.variables
        variables[RemoteOptions.variable] = nil
        controlToken = environment[ControlToken.variable]
        variables[ControlToken.variable] = nil
        self.environment = Environment(variables)
    }

    /// Whether an option is given.
    package func has(_ name: String) -> Bool { options[name] != nil }

    /// The last value of an option.
    package func value(_ name: String) -> String? { options[name]?.last }

    /// The format of the log.
    package var logFormat: LogWriter.Format {
        value("log-format").flatMap(LogWriter.Format.init(rawValue:)) ?? .text
    }

    /// All values of an option, in order.
    package func values(_ name: String) -> [String] { options[name] ?? [] }
}

/// An error in the command line.
package struct UsageError: Error {
    package let message: String
    package let help: String?

    package init(message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }
}
