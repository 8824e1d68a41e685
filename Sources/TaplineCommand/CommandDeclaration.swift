// SPDX-License-Identifier: MIT

/// One command of `tapline`: the one declaration that parses, helps, completes and fills the manual.
struct CommandDeclaration: Sendable {
    /// The word after `tapline`.
    let name: String
    /// One sentence on what it does.
    let summary: String
    /// What follows the word, in order.
    var operands: [Operand] = []
    /// Its options, in the order in which they are shown.
    var options: [OptionDeclaration] = []
    /// Whether its first operand is a command, whose words are all its own.
    var takesCommand = false
    /// What is worth saying besides, a paragraph each.
    var discussion: [String] = []
    /// Calls with a word on each, for help and manual.
    var examples: [(call: String, what: String)] = []
    /// Does it.
    let run: @Sendable (Invocation) async -> ExitCode
}

/// A word of the command line that is no option.
struct Operand: Sendable {
    /// What it completes to.
    enum Kind: Sendable {
        case file
        case plugin
        case command
        case trustStore
        case oneOf([String])
    }

    /// What help calls it: `FILE`.
    let name: String
    let summary: String
    var isRequired = true
    /// Whether all further words are of this kind too; the last operand only.
    var repeats = false
    let kind: Kind
}

/// An option of a command.
struct OptionDeclaration: Sendable {
    /// The name without its dashes.
    let name: String
    /// What the value is called; `nil` if there is none.
    var value: String?
    /// The values that there are; empty where any will do.
    var choices: [String] = []
    /// Whether it may be given more than once.
    var repeats = false
    let summary: String
}

/// What a process ends with (design: sysexits).
struct ExitCode: Sendable, Equatable {
    let rawValue: Int32

    /// Done.
    static let success = ExitCode(rawValue: 0)
    /// The run failed.
    static let failure = ExitCode(rawValue: 1)
    /// The command line is wrong.
    static let usage = ExitCode(rawValue: 64)
    /// The configuration is wrong.
    static let configuration = ExitCode(rawValue: 78)
    /// A program cannot be run, as a shell says it.
    static let notExecutable = ExitCode(rawValue: 126)
    /// There is no such program, as a shell says it.
    static let notFound = ExitCode(rawValue: 127)
}
