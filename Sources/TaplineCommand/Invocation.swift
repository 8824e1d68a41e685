// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

/// A command line that has been understood, and what its command may use.
struct Invocation: Sendable {
    /// The words that are no options.
    var operands: [String] = []
    /// The values of options by name; an option without a value has an empty text.
    var options: [String: [String]] = [:]
    /// The plugins that there are.
    let registry: PluginRegistry
    /// The variables of the process.
    let environment: Environment
    /// Where it writes.
    let console: Console

    /// Whether an option is given.
    func has(_ name: String) -> Bool { options[name] != nil }

    /// The last value of an option.
    func value(_ name: String) -> String? { options[name]?.last }

    /// How the log is written.
    var logFormat: LogWriter.Format {
        value("log-format").flatMap(LogWriter.Format.init(rawValue:)) ?? .text
    }

    /// All values of an option, in order.
    func values(_ name: String) -> [String] { options[name] ?? [] }
}

/// What is wrong with a command line.
struct UsageError: Error {
    let message: String
    var help: String?
}
