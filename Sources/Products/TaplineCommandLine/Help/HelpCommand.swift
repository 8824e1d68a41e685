// SPDX-License-Identifier: MIT

internal import TaplineConfig

/// `tapline help [COMMAND]`.
enum HelpCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        if invocation.has("man") {
            invocation.console.print(ManualPage(of: invocation.program).text)
            return .success
        }
        guard let name = invocation.operands.first else {
            invocation.console.print(overview(of: invocation.program))
            return .success
        }
        return invocation.reportErrors {
            guard let command = invocation.program.command(named: name) else {
                let names = invocation.program.commands.map(\.name)
                throw UsageError(
                    message: "unknown command '\(name)'",
                    help: Suggestion.help(for: name, among: names)
                )
            }
            if invocation.operands.count > 1 { try check(invocation.operands[1], of: command) }
            invocation.console.print(explain(command))
            return .success
        }
    }

    /// Rejects a word that is no action of a command.
    private static func check(
        _ action: String,
        of command: CommandDeclaration
    ) throws(UsageError) {
        guard case .oneOf(let actions)? = command.operands.first?.kind else {
            throw UsageError(message: "'\(command.name)' has no actions; found '\(action)'")
        }
        guard !actions.contains(action) else { return }
        throw UsageError(
            message: "unknown action '\(action)' of '\(command.name)'; expected "
                + actions.joined(separator: ", "),
            help: Suggestion.help(for: action, among: actions)
        )
    }

    /// What Tapline is, on one screen.
    static func overview(of program: Program) -> String {
        let width = program.commands.map(\.name.count).max() ?? 0
        let lines = program.commands.map { "  \(Columns.pad($0.name, to: width))  \($0.summary)" }
        return """
            Tapline captures, changes, redacts, stores and replays HTTP traffic, as a YAML file defines it.
            usage: tapline COMMAND; 'tapline help COMMAND' explains it, 'tapline plugins' lists plugins

            \(lines.joined(separator: "\n"))
            """
    }

    /// One command, on one screen.
    static func explain(_ command: CommandDeclaration) -> String {
        var lines = [command.summary, "", "usage: tapline \(command.usage)"]
        let options =
            command.options + [OptionDeclaration(name: "help", summary: "Show this text.")]
        let words =
            command.operands.map { ($0.name, $0.summary) }
            + options.map { ($0.written, $0.explained) }
        let width = words.map(\.0.count).max() ?? 0
        lines.append("")
        for (word, summary) in words {
            let wrapped = Columns.wrap(summary, to: 94 - width)
            for (index, line) in wrapped.enumerated() {
                lines.append("  \(Columns.pad(index == 0 ? word : "", to: width))  \(line)")
            }
        }
        for paragraph in command.discussion {
            lines += [""] + Columns.wrap(paragraph, to: 96)
        }
        if !command.examples.isEmpty { lines += ["", "examples:"] }
        let calls = command.examples.map(\.call.count).max() ?? 0
        for (call, what) in command.examples {
            lines.append("  \(Columns.pad(call, to: calls))  # \(what)")
        }
        return lines.joined(separator: "\n")
    }
}

extension OptionDeclaration {
    /// How the option is written: `--set ID.OPTION=VALUE`.
    var written: String { "--\(name)" + (value.map { " \($0)" } ?? "") }

    /// What it does, its allowed values, and whether it may be repeated.
    var explained: String {
        var text = summary
        if !choices.isEmpty { text += " One of \(choices.joined(separator: ", "))." }
        if repeats { text += " May be given more than once." }
        return text
    }
}
