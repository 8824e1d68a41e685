// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

extension Commands {
    static let plugin = CommandDeclaration(
        name: "plugin",
        summary: "Check a program that a 'process' source, stage or sink runs.",
        operands: [
            Operand(
                name: "check|COMMAND",
                summary: "The word 'check', then the program and its arguments.",
                repeats: true,
                kind: .file
            )
        ],
        options: [
            OptionDeclaration(
                name: "kind",
                value: "KIND",
                summary: "stage, wire, sink or source; by default all that the program names."
            )
        ],
        takesCommand: true,
        leadingWords: ["check"],
        discussion: [
            "Starts the program, sends it usual and odd records, and checks that it answers each "
                + "once, writes nothing else to standard output, and ends at the end of its input.",
            "Exit codes: 0 all passed, 1 some failed, 64 wrong command line, 127 no such program.",
        ],
        examples: [
            ("tapline plugin check python3 tag_slow.py", "check a stage"),
            ("tapline plugin check --kind sink ./store", "check a sink"),
        ],
        run: PluginCommand.run
    )
}
