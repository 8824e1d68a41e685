// SPDX-License-Identifier: MIT

internal import TaplineConfig

/// Parses the words after a command's name.
///
/// Options may be anywhere, as `--name value` or `--name=value`; all words after `--` are operands.
struct CommandParser {
    let command: CommandDeclaration

    /// Fills an invocation; throws if the words are wrong.
    func parse(_ words: [String], into invocation: inout Invocation) throws(UsageError) {
        var rest = words[...]
        var readsOptions = true
        while let word = rest.popFirst() {
            if readsOptions, word == "--" {
                readsOptions = false
                if let option = command.commandOption, invocation.has(option) {
                    invocation.command = Array(rest)
                    rest = []
                }
            } else if readsOptions, word.hasPrefix("-"), word != "-" {
                try option(word, &rest, &invocation)
            } else {
                invocation.operands.append(word)
                if command.takesCommand, invocation.operands != command.leadingWords {
                    readsOptions = false
                }
            }
        }
        try checkCount(invocation.operands)
        if let option = command.commandOption, invocation.has(option), invocation.command.isEmpty {
            throw UsageError(
                message: "'--\(option)' needs a command; expected '--\(option) -- COMMAND...'"
            )
        }
    }

    private func option(
        _ word: String,
        _ rest: inout ArraySlice<String>,
        _ invocation: inout Invocation
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let written = String(parts[0])
        let name = String(written.drop { $0 == "-" })
        guard written.hasPrefix("--"),
            let option = command.options.first(where: { $0.name == name })
        else {
            let names = command.options.map { "--\($0.name)" } + ["--help"]
            throw UsageError(
                message: "unknown option '\(written)' of '\(command.name)'; expected "
                    + names.joined(separator: ", "),
                help: Suggestion.help(for: written, among: names)
            )
        }
        let value = try value(of: option, parts.count == 2 ? String(parts[1]) : nil, &rest)
        if invocation.options[name] != nil, !option.repeats {
            throw UsageError(message: "'--\(name)' is given twice; expected once")
        }
        invocation.options[name, default: []].append(value)
    }

    private func value(
        of option: OptionDeclaration,
        _ attached: String?,
        _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard let valueName = option.value else {
            if attached == nil { return "" }
            throw UsageError(message: "'--\(option.name)' takes no value")
        }
        guard let value = attached ?? rest.popFirst() else {
            throw UsageError(message: "'--\(option.name)' needs a value; expected \(valueName)")
        }
        if !option.choices.isEmpty, !option.choices.contains(value) {
            throw UsageError(
                message: "unknown value '\(value)' of '--\(option.name)'; expected "
                    + option.choices.joined(separator: ", "),
                help: Suggestion.help(for: value, among: option.choices)
            )
        }
        return value
    }

    private func checkCount(_ operands: [String]) throws(UsageError) {
        let required = command.operands.filter(\.isRequired)
        if operands.count < required.count {
            let missing = required[operands.count]
            var message = "'\(command.name)' needs \(missing.name)"
            if case .oneOf(let words) = missing.kind {
                message += "; expected \(words.joined(separator: ", "))"
            }
            throw UsageError(
                message: message,
                help: "tapline \(command.usage)"
            )
        }
        guard operands.count > command.operands.count,
            !command.operands.contains(where: \.repeats)
        else { return }
        throw UsageError(
            message: "too many arguments for '\(command.name)'; found "
                + "'\(operands[command.operands.count])'",
            help: "tapline \(command.usage)"
        )
    }
}

extension CommandDeclaration {
    /// How the command is called: `run FILE [options]`.
    package var usage: String {
        let words = operands.map { operand in
            let name = operand.repeats ? "\(operand.name)..." : operand.name
            return operand.isRequired ? name : "[\(name)]"
        }
        let choice = options.isEmpty ? [] : ["[options]"]
        let command = commandOption.map { ["[--\($0) -- COMMAND...]"] } ?? []
        return ([name] + (takesCommand ? choice + ["--"] + words : words + choice) + command)
            .joined(separator: " ")
    }
}
