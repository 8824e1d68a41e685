// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineControl
internal import TaplinePlugin
internal import TaplineSystem

/// A parsed command line, and what its command may use.
struct Invocation: Sendable {
    /// The words that are not options.
    var operands: [String] = []
    /// The command after `--`, of commands with an option that runs one.
    var command: [String] = []
    /// The values of options by name; the value of an option that takes none is empty.
    var options: [String: [String]] = [:]
    /// The available plugins.
    var registry: PluginRegistry
    /// The environment variables of the process without `TAPLINE_INSPECT_PASSWORD`,
    /// `TAPLINE_CONTROL_TOKEN` and those of the service manager, so that no program that a command
    /// starts gets them.
    let environment: Environment
    /// The value of `TAPLINE_INSPECT_PASSWORD`.
    let inspectPassword: String?
    /// The value of `TAPLINE_CONTROL_TOKEN`.
    let controlToken: String?
    /// What the service manager expects of this process.
    let service: ServiceVariables
    /// Where the command writes.
    let console: Console

    /// Creates a command line.
    init(
        operands: [String] = [],
        options: [String: [String]] = [:],
        registry: PluginRegistry,
        environment: Environment,
        console: Console
    ) {
        self.operands = operands
        self.options = options
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
    func has(_ name: String) -> Bool { options[name] != nil }

    /// The last value of an option.
    func value(_ name: String) -> String? { options[name]?.last }

    /// The format of the log.
    var logFormat: LogWriter.Format {
        value("log-format").flatMap(LogWriter.Format.init(rawValue:)) ?? .text
    }

    /// All values of an option, in order.
    func values(_ name: String) -> [String] { options[name] ?? [] }
}

/// An error in the command line.
struct UsageError: Error {
    let message: String
    var help: String?
}
