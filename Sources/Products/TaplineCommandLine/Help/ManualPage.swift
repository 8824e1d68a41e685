// SPDX-License-Identifier: MIT

/// The manual page `tapline(1)`, generated from the declarations of the commands.
struct ManualPage {
    private let commands: [CommandDeclaration]

    /// The page of a program.
    init(of program: Program) { commands = program.commands }

    var text: String {
        var lines = [
            ".TH TAPLINE 1 \"\" \"tapline \(VersionCommand.version)\" \"User Commands\"",
            ".SH NAME",
            "tapline \\- a pipeline for HTTP traffic",
            ".SH SYNOPSIS",
        ]
        for command in commands {
            lines += [".B tapline", Self.escape(command.usage), ".br"]
        }
        lines += [
            ".SH DESCRIPTION",
            Self.escape(
                "Tapline captures, changes, redacts, stores and replays HTTP traffic. A YAML file"
                    + " defines where exchanges come from (sources), what happens to them (stages)"
                    + " and where they go (sinks)."
            ),
            ".SH COMMANDS",
        ]
        for command in commands { Self.append(command, to: &lines) }
        lines += [
            ".SH EXIT STATUS",
            ".TP", "0", "Success.",
            ".TP", "1", "The run failed: a source failed, a sink is degraded or records were lost.",
            ".TP", "64", "The command line is wrong.",
            ".TP", "78", "The configuration is wrong.",
            ".SH ENVIRONMENT",
            ".TP", "NO_COLOR", "If set and not empty, output is not coloured.",
            ".TP", "TAPLINE_PAGER, PAGER",
            "The program that shows long output on a terminal; less by default, none if empty.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func append(_ command: CommandDeclaration, to lines: inout [String]) {
        lines += [".SS \"tapline \(escape(command.usage))\"", escape(command.summary)]
        for operand in command.operands {
            lines += [".TP", ".I \(escape(operand.name))", escape(operand.summary)]
        }
        for option in command.options {
            lines += [".TP", ".B \(escape(option.written))", escape(option.explained)]
        }
        for paragraph in command.discussion { lines += [".PP", escape(paragraph)] }
        for (call, what) in command.examples {
            lines += [".TP", ".B \(escape(call))", escape(what)]
        }
    }

    /// The text, escaped so that roff finds no commands in it (groff_char(7)).
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            default: escaped.append(character)
            }
        }
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }
}
