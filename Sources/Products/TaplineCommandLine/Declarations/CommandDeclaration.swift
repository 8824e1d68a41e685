// SPDX-License-Identifier: MIT

/// One command of `tapline`: parser, help, completions and manual page all use this declaration.
package struct CommandDeclaration: Sendable {
    /// The word after `tapline`.
    package let name: String
    /// What it does, in one sentence.
    package let summary: String
    /// The operands, in order.
    package let operands: [Operand]
    /// Its options, in the order in which help shows them.
    package let options: [OptionDeclaration]
    /// Whether its first operand is a command that takes all words after it as its own arguments.
    package let takesCommand: Bool
    /// The words before that command, after which options are still read.
    package let leadingWords: [String]
    /// The option that runs the command after `--`; `nil` if there is none.
    package let commandOption: String?
    /// Further paragraphs for help and the manual page.
    package let discussion: [String]
    /// Example calls, each with a short explanation, for help and the manual page.
    package let examples: [(call: String, what: String)]
    /// Runs the command.
    package let run: @Sendable (Invocation) async -> ExitCode

    package init(
        name: String,
        summary: String,
        operands: [Operand] = [],
        options: [OptionDeclaration] = [],
        takesCommand: Bool = false,
        leadingWords: [String] = [],
        commandOption: String? = nil,
        discussion: [String] = [],
        examples: [(call: String, what: String)] = [],
        run: @escaping @Sendable (Invocation) async -> ExitCode
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options
        self.takesCommand = takesCommand
        self.leadingWords = leadingWords
        self.commandOption = commandOption
        self.discussion = discussion
        self.examples = examples
        self.run = run
    }
}

/// A word of the command line that is not an option.
package struct Operand: Sendable {
    /// What shells complete it to.
    package enum Kind: Sendable {
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
    package let name: String
    package let summary: String
    package let isRequired: Bool
    /// Whether it may be given more than once; for one operand of a command only.
    package let repeats: Bool
    package let kind: Kind

    package init(
        name: String,
        summary: String,
        isRequired: Bool = true,
        repeats: Bool = false,
        kind: Kind
    ) {
        self.name = name
        self.summary = summary
        self.isRequired = isRequired
        self.repeats = repeats
        self.kind = kind
    }
}

/// An option of a command.
package struct OptionDeclaration: Sendable {
    /// The name without the dashes.
    package let name: String
    /// The name of the value in help; `nil` if the option takes none.
    package let value: String?
    /// The allowed values; empty if any value is allowed.
    package let choices: [String]
    /// Whether it may be given more than once.
    package let repeats: Bool
    package let summary: String

    package init(
        name: String,
        value: String? = nil,
        choices: [String] = [],
        repeats: Bool = false,
        summary: String
    ) {
        self.name = name
        self.value = value
        self.choices = choices
        self.repeats = repeats
        self.summary = summary
    }
}

/// The exit code of the process, after sysexits(3).
package struct ExitCode: Sendable, Equatable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The command succeeded.
    package static let success = ExitCode(rawValue: 0)
    /// The run failed.
    package static let failure = ExitCode(rawValue: 1)
    /// The command line is wrong.
    package static let usage = ExitCode(rawValue: 64)
    /// The configuration is wrong.
    package static let configuration = ExitCode(rawValue: 78)
    /// The program was executed, but its exit code is unknown.
    package static let unknown = ExitCode(rawValue: 125)
    /// The program cannot be executed; the code that shells use.
    package static let notExecutable = ExitCode(rawValue: 126)
    /// The program was not found; the code that shells use.
    package static let notFound = ExitCode(rawValue: 127)
    /// The user has interrupted the command; 128 plus SIGINT, as in shells.
    package static let interrupted = ExitCode(rawValue: 130)
}
