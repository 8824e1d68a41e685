// SPDX-License-Identifier: MIT

internal import TaplineCertificates
internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineStore

/// `tapline completions SHELL` and `tapline completions VALUES STORE...`.
enum CompletionsCommand {
    private static let shells = ["bash", "zsh", "fish"]
    private static let values = StoreValueKind.allCases.map(\.rawValue)
    /// What the first operand can be.
    static let words = shells + values

    static func run(_ invocation: Invocation) async -> ExitCode {
        invocation.reportErrors { try answer(invocation) }
    }

    private static func answer(_ invocation: Invocation) throws -> ExitCode {
        let stores = invocation.operands.dropFirst()
        if let kind = invocation.operands.first.flatMap(StoreValueKind.init(rawValue:)) {
            guard !stores.isEmpty else { throw UsageError(message: "missing STORE") }
            return try StoreValueOutput.print(kind, of: Array(stores), invocation)
        }
        if let store = stores.first {
            throw UsageError(
                message: "unexpected '\(store)'; only \(values.joined(separator: ", ")) have stores"
            )
        }
        let completions = Completions(
            commands: invocation.program.commands,
            plugins: invocation.registry.all.map(\.name),
            trustStores: invocation.registry.sources.compactMap(\.certificates).first?.storeNames
                ?? []
        )
        switch invocation.operands.first {
        case "bash": invocation.console.print(completions.bash)
        case "zsh": invocation.console.print(completions.zsh)
        case "fish": invocation.console.print(completions.fish)
        case let shell:
            throw UsageError(
                message: "unknown shell '\(shell ?? "")'; expected "
                    + words.joined(separator: ", ")
            )
        }
        return .success
    }
}

/// Completions for shells, generated from the declarations of the commands.
struct Completions {
    let commands: [CommandDeclaration]
    let plugins: [String]
    let trustStores: [String]

    /// For bash; uses only its built-in commands.
    var bash: String {
        let cases = commands.map { command in
            """
                    \(command.name))
                        case "$previous" in
            \(values(of: command))
                        esac
                        words="\(words(of: command).joined(separator: " "))"
                        \(takesFiles(command) ? "files=1" : "files=")
                        \(takesFilter(command) ? "filters=1" : "filters=")
                        \(takesID(command) ? "ids=1" : "ids=") ;;
            """
        }
        return """
            \(SavedFilterCompletion.bash)
            \(StoreValueCompletion.bash)
            _tapline() {
                local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
                local words="" files="" filters="" ids=""
                if [ "$COMP_CWORD" -eq 1 ]; then
                    words="\(commands.map(\.name).joined(separator: " "))"
                else
                    case "${COMP_WORDS[1]}" in
            \(cases.joined(separator: "\n"))
                    esac
                fi
                COMPREPLY=($(compgen -W "$words" -- "$current"))
                if [ -n "$files" ]; then COMPREPLY+=($(compgen -f -- "$current")); fi
                if [ -n "$filters" ]; then _tapline_filters; _tapline_filter_values "${2-$current}"; fi
                if [ -n "$ids" ]; then _tapline_ids; fi
            }
            complete -o filenames -F _tapline tapline
            """
    }

    /// For zsh.
    var zsh: String {
        let descriptions = commands.map { "        '\($0.name):\(zshEscape($0.summary))'" }
        let cases = commands.map { command in
            let specifications =
                command.options.map(zshOption)
                + zshOperands(command)
            let arguments =
                specifications.isEmpty ? "" : " " + specifications.joined(separator: " ")
            return "            \(command.name)) _arguments\(arguments) ;;"
        }
        return """
            #compdef tapline
            \(SavedFilterCompletion.zsh)
            \(StoreValueCompletion.zsh)
            _tapline() {
                local -a commands
                commands=(
            \(descriptions.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )); then
                    _describe 'command' commands
                else
                    local command=$words[2]
                    shift words
                    (( CURRENT-- ))
                    case $command in
            \(cases.joined(separator: "\n"))
                    esac
                fi
            }
            if [ "$funcstack[1]" = "_tapline" ]; then _tapline "$@"; else compdef _tapline tapline; fi
            """
    }

    /// For fish.
    var fish: String {
        var lines = [
            "complete -c tapline -f", SavedFilterCompletion.fish, StoreValueCompletion.fish,
        ]
        for command in commands {
            lines.append(
                "complete -c tapline -n __fish_use_subcommand -a \(command.name) "
                    + "-d '\(fishEscape(command.summary))'"
            )
            let when = "-n '__fish_seen_subcommand_from \(command.name)'"
            for option in command.options {
                let value = option.value == nil ? "" : " -x"
                let choices =
                    option.choices.isEmpty ? "" : " -a '\(option.choices.joined(separator: " "))'"
                lines.append(
                    "complete -c tapline \(when) -l \(option.name)\(value)\(choices) "
                        + "-d '\(fishEscape(option.summary))'"
                )
            }
            if takesFilter(command) {
                lines.append("complete -c tapline \(when) -a '(__tapline_filters)'")
                lines.append("complete -c tapline \(when) -a '(__tapline_filter_values)'")
            }
            if takesID(command) {
                lines.append("complete -c tapline \(when) -k -a '(__tapline_ids)'")
            }
            if takesFiles(command) {
                lines.append("complete -c tapline \(when) -F")
            } else {
                let all = command.operands.flatMap { words($0.kind) }
                if !all.isEmpty {
                    lines.append("complete -c tapline \(when) -a '\(all.joined(separator: " "))'")
                }
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension Completions {
    private func words(of command: CommandDeclaration) -> [String] {
        command.options.map { "--\($0.name)" } + ["--help"]
            + command.operands.flatMap { words($0.kind) }
    }

    private func words(_ kind: Operand.Kind) -> [String] {
        switch kind {
        case .file, .filter, .id, .filterOrID, .text: []
        case .plugin: plugins
        case .trustStore: trustStores
        case .command: commands.map(\.name)
        case .oneOf(let words): words
        }
    }

    private func takesFiles(_ command: CommandDeclaration) -> Bool {
        command.operands.contains {
            if case .file = $0.kind { true } else { false }
        }
    }

    private func takesFilter(_ command: CommandDeclaration) -> Bool {
        command.operands.contains { $0.kind.isFilter }
    }

    private func takesID(_ command: CommandDeclaration) -> Bool {
        command.operands.contains { $0.kind.isID }
    }

    private func values(of command: CommandDeclaration) -> String {
        let cases = command.options.filter { !$0.choices.isEmpty }.map {
            let values = $0.choices.joined(separator: " ")
            return
                "                --\($0.name)) COMPREPLY=($(compgen -W \"\(values)\" -- \"$current\")); return ;;"
        }
        return (cases + ["                *) ;;"]).joined(separator: "\n")
    }

    private func zshOption(_ option: OptionDeclaration) -> String {
        let star = option.repeats ? "*" : ""
        let value: String
        if let name = option.value {
            let action = option.choices.isEmpty ? "" : "(\(option.choices.joined(separator: " ")))"
            value = ":\(name.replacing("=", with: "-")):\(action)"
        } else {
            value = ""
        }
        return "'\(star)--\(option.name)[\(zshEscape(option.summary))]\(value)'"
    }

    private func zshOperands(_ command: CommandDeclaration) -> [String] {
        // Operands after one that repeats can be anywhere.
        let end = command.operands.firstIndex(where: \.repeats) ?? command.operands.count
        return command.operands.prefix(end + 1).enumerated().compactMap { position, operand in
            guard operand.isCompletable else { return nil }
            let place = operand.repeats ? "*" : "\(position + 1)"
            let action =
                if !operand.repeats {
                    zsh(operand.kind)
                } else if takesFilter(command) {
                    "_tapline_stores"
                } else {
                    takesID(command) ? "_tapline_ids_or_files" : zsh(operand.kind)
                }
            return "'\(place):\(operand.name):\(action)'"
        }
    }

    private func zsh(_ kind: Operand.Kind) -> String {
        if kind.isFilter { return kind.isID ? "_tapline_filter_or_ids" : "_tapline_filter" }
        let all = words(kind)
        return all.isEmpty ? "_files" : "(\(all.joined(separator: " ")))"
    }

    private func zshEscape(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing(":", with: "\\:")
    }

    private func fishEscape(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }
}

extension Operand.Kind {
    fileprivate var isFilter: Bool {
        switch self {
        case .filter, .filterOrID: true
        default: false
        }
    }

    fileprivate var isID: Bool {
        switch self {
        case .id, .filterOrID: true
        default: false
        }
    }
}

extension Operand {
    /// Whether shells can complete it.
    fileprivate var isCompletable: Bool {
        if case .text = kind { false } else { true }
    }
}
