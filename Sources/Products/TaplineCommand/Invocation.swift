// SPDX-License-Identifier: MIT

internal import TaplineConfig
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
    let registry: PluginRegistry
    /// The environment variables of the process.
    let environment: Environment
    /// Where the command writes.
    let console: Console

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
