// SPDX-License-Identifier: MIT

/// The declarations of the commands; `TaplineCommand` extends this with its own.
package enum Commands {
    package static let run = CommandDeclaration(
        name: "run",
        summary: "Run a pipeline until its sources end.",
        operands: [
            Operand(name: "FILE", summary: "The pipeline; '-' is standard input.", kind: .file)
        ],
        options: [
            CommonOptions.set,
            OptionDeclaration(
                name: "for",
                value: "TIME",
                summary: "Stop after this time, such as 10s."
            ),
            OptionDeclaration(
                name: "quiet",
                summary: "Print only warnings and errors, no progress and no summary."
            ),
            CommonOptions.logFormat,
        ] + InspectionOptions.all,
        discussion: [
            "Data goes to standard output; log, progress and summary go to standard error.",
            InspectionOptions.discussion
                + " On a terminal the page stays after the sources have ended, until control-C.",
            "SIGINT and SIGTERM stop the sources, write what is in flight and print the summary; a "
                + "second one exits at once. SIGHUP reloads the file; SIGUSR1 prints counters.",
            "Exit codes: 0 done, 1 the run failed, 64 wrong command line, 78 wrong configuration.",
        ],
        examples: [
            ("tapline run pipeline.yaml", "run a pipeline"),
            ("tapline run pipeline.yaml --set limit_body.max_bytes=1KiB", "with another option"),
            ("tapline run pipeline.yaml --inspect --open", "and watch it in the browser"),
        ],
        run: RunCommand.run
    )

    package static let check = CommandDeclaration(
        name: "check",
        summary: "Check a pipeline without running it.",
        operands: [
            Operand(name: "FILE", summary: "The pipeline; '-' is standard input.", kind: .file)
        ],
        options: [CommonOptions.set],
        discussion: [
            "Checks syntax, shape and graph, and builds patterns and scripts. Opens no sockets and "
                + "creates no files."
        ],
        examples: [("tapline check pipeline.yaml", "report all problems in a file")],
        run: CheckCommand.run
    )

    package static let plugins = CommandDeclaration(
        name: "plugins",
        summary: "List the plugins, or explain one and its options.",
        operands: [
            Operand(
                name: "NAME",
                summary: "The plugin to explain.",
                isRequired: false,
                kind: .plugin
            )
        ],
        examples: [
            ("tapline plugins", "list them"), ("tapline plugins redact", "explain one"),
        ],
        run: PluginsCommand.run
    )

    package static let help = CommandDeclaration(
        name: "help",
        summary: "Explain Tapline, or one command.",
        operands: [
            Operand(
                name: "COMMAND",
                summary: "The command to explain.",
                isRequired: false,
                kind: .command
            ),
            Operand(
                name: "ACTION",
                summary: "One of its actions, as in 'store info'; the command explains all.",
                isRequired: false,
                kind: .text
            ),
        ],
        options: [
            OptionDeclaration(name: "man", summary: "Print the manual page (roff).")
        ],
        run: HelpCommand.run
    )

    package static let version = CommandDeclaration(
        name: "version",
        summary: "Print the version.",
        run: VersionCommand.run
    )
}

/// Options that several commands have.
package enum CommonOptions {
    package static let descriptors = OptionDeclaration(
        name: "descriptors",
        value: "FILE",
        summary: "The types of protobuf messages: a file of 'protoc --descriptor_set_out'."
    )

    package static let eachCopy = OptionDeclaration(
        name: "each-copy",
        summary: "Count each copy of an exchange that several stores have."
    )

    package static let set = OptionDeclaration(
        name: "set",
        value: "ID.OPTION=VALUE",
        repeats: true,
        summary: "Set an option of a component."
    )

    static let logFormat = OptionDeclaration(
        name: "log-format",
        value: "FORMAT",
        choices: LogWriter.Format.allCases.map(\.rawValue),
        summary: "The format of log, problems and summary."
    )
}
