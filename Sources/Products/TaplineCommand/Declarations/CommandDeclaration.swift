// SPDX-License-Identifier: MIT

/// One command of `tapline`: parser, help, completions and manual page all use this declaration.
struct CommandDeclaration: Sendable {
    /// The word after `tapline`.
    let name: String
    /// What it does, in one sentence.
    let summary: String
    /// The operands, in order.
    var operands: [Operand] = []
    /// Its options, in the order in which help shows them.
    var options: [OptionDeclaration] = []
    /// Whether its first operand is a command that takes all words after it as its own arguments.
    var takesCommand = false
    /// The words before that command, after which options are still read.
    var leadingWords: [String] = []
    /// The option that runs the command after `--`; `nil` if there is none.
    var commandOption: String?
    /// Further paragraphs for help and the manual page.
    var discussion: [String] = []
    /// Example calls, each with a short explanation, for help and the manual page.
    var examples: [(call: String, what: String)] = []
    /// Runs the command.
    let run: @Sendable (Invocation) async -> ExitCode
}

/// A word of the command line that is not an option.
struct Operand: Sendable {
    /// What shells complete it to.
    enum Kind: Sendable {
        case file
        case plugin
        case command
        case trustStore
        case oneOf([String])
        /// A filter, or `@NAME`: shells complete names, and hosts, routes and ids within quotes.
        case filter
        /// The id of an exchange, which shells complete.
        case id
        /// A filter or an id.
        case filterOrID
        /// A text that no shell can complete.
        case text
    }

    /// Its name in help: `FILE`.
    let name: String
    let summary: String
    var isRequired = true
    /// Whether it may be given more than once; for one operand of a command only.
    var repeats = false
    let kind: Kind
}

/// An option of a command.
struct OptionDeclaration: Sendable {
    /// The name without the dashes.
    let name: String
    /// The name of the value in help; `nil` if the option takes none.
    var value: String?
    /// The allowed values; empty if any value is allowed.
    var choices: [String] = []
    /// Whether it may be given more than once.
    var repeats = false
    let summary: String
}

/// The exit code of the process, after sysexits(3).
struct ExitCode: Sendable, Equatable {
    let rawValue: Int32

    /// The command succeeded.
    static let success = ExitCode(rawValue: 0)
    /// The run failed.
    static let failure = ExitCode(rawValue: 1)
    /// The command line is wrong.
    static let usage = ExitCode(rawValue: 64)
    /// The configuration is wrong.
    static let configuration = ExitCode(rawValue: 78)
    /// The program was executed, but its exit code is unknown.
    static let unknown = ExitCode(rawValue: 125)
    /// The program cannot be executed; the code that shells use.
    static let notExecutable = ExitCode(rawValue: 126)
    /// The program was not found; the code that shells use.
    static let notFound = ExitCode(rawValue: 127)
    /// The user has interrupted the command; 128 plus SIGINT, as in shells.
    static let interrupted = ExitCode(rawValue: 130)
}
