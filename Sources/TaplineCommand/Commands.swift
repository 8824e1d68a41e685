// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// All commands, in the order in which help lists them.
enum Commands {
    static let all = [
        run, exec, check, test, lua, leaks, convert, ca, plugins, schema, completions, help,
        version,
    ]

    static let run = CommandDeclaration(
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
                summary: "Stop after a time, such as 10s."
            ),
            OptionDeclaration(
                name: "quiet",
                summary: "No progress, no summary; only warnings and errors."
            ),
            CommonOptions.logFormat,
        ],
        discussion: [
            "Data goes to standard output; log, progress and summary go to standard error.",
            "SIGINT and SIGTERM stop the sources, write what is on its way and print the summary; a "
                + "second one ends at once. SIGHUP opens output files anew; SIGUSR1 prints the counters.",
            "Exit codes: 0 done, 1 the run failed, 64 wrong command line, 78 wrong configuration.",
        ],
        examples: [
            ("tapline run pipeline.yaml", "run a pipeline"),
            ("tapline run pipeline.yaml --set limit_body.max_bytes=1KiB", "with another option"),
            ("tapline run pipeline.yaml --for 10s", "for ten seconds"),
        ],
        run: RunCommand.run
    )

    static let exec = CommandDeclaration(
        name: "exec",
        summary: "Run a command, and see what it does on the network.",
        operands: [
            Operand(
                name: "COMMAND",
                summary: "The command with its arguments.",
                repeats: true,
                kind: .file
            )
        ],
        options: [
            OptionDeclaration(
                name: "config",
                value: "FILE",
                summary: "The pipeline, with one source 'proxy'; it listens on a free port."
            ),
            CommonOptions.set,
        ],
        takesCommand: true,
        discussion: [
            "Starts a proxy, and sets the variables by which programs go through it and trust its "
                + "certificates; those that look at none are listed on the page of the proxy.",
            "Without FILE exchanges go to standard error, HTTPS included, with secrets masked.",
            "Exit codes: the command's, 128 and the number of its signal, 126 it cannot be run, 127 there "
                + "is none, 1 the pipeline did not start, 64 wrong command line, 78 wrong "
                + "configuration.",
        ],
        examples: [
            ("tapline exec -- curl https://example.com", "see what curl does"),
            ("tapline exec --config pipeline.yaml -- npm test", "store what the tests do"),
        ],
        run: ExecCommand.run
    )

    static let check = CommandDeclaration(
        name: "check",
        summary: "Check a pipeline without running it.",
        operands: [
            Operand(name: "FILE", summary: "The pipeline; '-' is standard input.", kind: .file)
        ],
        options: [CommonOptions.set],
        discussion: [
            "Runs every phase: syntax, shape, graph, and the building of patterns and scripts. Opens "
                + "no socket and creates no file."
        ],
        examples: [("tapline check pipeline.yaml", "report all problems of a file")],
        run: CheckCommand.run
    )

    static let test = CommandDeclaration(
        name: "test",
        summary: "Run the tests of pipelines and their scripts.",
        operands: [
            Operand(
                name: "FILE",
                summary: "A test file, or a folder that is searched for *.test.yaml.",
                repeats: true,
                kind: .file
            )
        ],
        options: [
            OptionDeclaration(
                name: "filter",
                value: "TEXT",
                summary: "Run only tests whose name holds a text."
            ),
            OptionDeclaration(name: "list", summary: "Print the tests, and run none."),
            OptionDeclaration(
                name: "junit",
                value: "PATH",
                summary: "Write the results as JUnit XML."
            ),
            OptionDeclaration(
                name: "coverage",
                value: "PATH",
                summary: "Write which lines of scripts ran, in the format of lcov."
            ),
            OptionDeclaration(
                name: "min-coverage",
                value: "PERCENT",
                summary: "Fail where fewer lines of scripts ran."
            ),
        ],
        discussion: [
            "Sources and sinks are not opened. Time stands still, and randomness is the same in each "
                + "run.",
            "Exit codes: 0 all passed, 1 a test failed, 64 wrong command line or no test found, "
                + "78 a file is wrong.",
        ],
        examples: [
            ("tapline test rewrite.test.yaml", "run the tests of a file"),
            ("tapline test . --junit results.xml", "all of a folder, for a build server"),
        ],
        run: TestCommand.run
    )

    static let lua = CommandDeclaration(
        name: "lua",
        summary: "Check Lua scripts without running them, or set up an editor for them.",
        operands: [
            Operand(
                name: "ACTION",
                summary: "'init' writes type stubs for editors, 'check' checks scripts.",
                kind: .oneOf(LuaCommand.actions)
            ),
            Operand(
                name: "PATH",
                summary: "The folder of 'init', or the scripts of 'check'.",
                isRequired: false,
                repeats: true,
                kind: .file
            ),
        ],
        options: [
            OptionDeclaration(name: "force", summary: "Let 'init' write files that are there anew.")
        ],
        discussion: [
            "'check' reports syntax errors, unknown fields of 'ex', fields that a hook does not have "
                + "or cannot assign, unknown globals, verdicts that are not returned, and functions "
                + "that were probably meant to be hooks.",
            "'init' writes .luarc.json and .tapline/types.lua for the Lua language server.",
        ],
        examples: [
            ("tapline lua check rewrite.lua", "report what is wrong with a script"),
            ("tapline lua init scripts", "set up the folder 'scripts' for an editor"),
        ],
        run: LuaCommand.run
    )

    static let convert = CommandDeclaration(
        name: "convert",
        summary: "Convert a recording to another format.",
        operands: [
            Operand(
                name: "IN",
                summary: "The recording; its content tells the format. '-' is standard input.",
                kind: .file
            ),
            Operand(
                name: "OUT",
                summary:
                    "The new file; its suffix tells the format: .ndjson or .har, with .gz or .zst "
                    + "behind it for compression.",
                kind: .file
            ),
        ],
        options: [
            OptionDeclaration(
                name: "bad-records",
                value: "WHAT",
                choices: ["stop", "skip"],
                summary:
                    "What happens at a broken record, or at the break of a file; stop if it is left "
                    + "out."
            ),
            OptionDeclaration(
                name: "redact",
                value: "PRESET",
                choices: ["standard", "strict"],
                summary: "Redact with a preset of the stage 'redact'."
            ),
            OptionDeclaration(
                name: "max-extra",
                value: "SIZE",
                summary:
                    "How much is kept of a HAR entry, and of its file, that only HAR has a place "
                    + "for; 1MiB if it is left out."
            ),
            OptionDeclaration(name: "force", summary: "Replace OUT where it exists."),
        ],
        discussion: [
            "Counts at the end, by kind, what could not be carried over, and what was read though "
                + "HAR 1.2 does not allow it. Pages, comments and fields of tools go along from "
                + "HAR to HAR, and to NDJSON under the key 'har'. A file that is cut off is converted "
                + "as far as it goes.",
            "Without --redact nothing is redacted. For other rules, run a pipeline.",
        ],
        examples: [
            ("tapline convert shop.har shop.ndjson", "HAR to NDJSON"),
            ("tapline convert traffic.ndjson.gz traffic.har", "NDJSON to HAR"),
            ("tapline convert --redact=standard shop.har safe.har", "HAR without its secrets"),
        ],
        run: ConvertCommand.run
    )

    static let ca = CommandDeclaration(
        name: "ca",
        summary: "See, hand out and renew the certificate authority, and have programs trust it.",
        operands: [
            Operand(
                name: "ACTION",
                summary: "'show', 'export' or 'rotate' the root certificate; 'trust' says how "
                    + "programs come to trust it, 'check' sees whether they do.",
                kind: .oneOf(CaCommand.actions)
            ),
            Operand(
                name: "TARGET",
                summary: "Whose trust it is about; 'tapline ca trust' lists them.",
                isRequired: false,
                repeats: true,
                kind: .trustStore
            ),
        ],
        options: [
            OptionDeclaration(
                name: "ca",
                value: "FOLDER",
                summary: "The folder of the authority; the user's own if not given."
            ),
            OptionDeclaration(
                name: "format",
                value: "FORMAT",
                choices: CertificateFormat.allCases.map(\.rawValue),
                summary: "What 'export' writes; pem if not given."
            ),
            OptionDeclaration(
                name: "out",
                value: "FILE",
                summary: "Where 'export' writes it; '-', standard output, if not given."
            ),
            OptionDeclaration(
                name: "apply",
                summary: "Let 'trust' do the steps, as far as a program can."
            ),
            OptionDeclaration(
                name: "undo",
                summary: "Let 'trust' be about taking the root away again."
            ),
        ],
        discussion: [
            "'check' has programs open a TLS connection on loopback, set up as they are in this "
                + "shell. 'trust --apply' prints lines for the shell where variables have to be set.",
            "Exit codes: 0 done, or trusted by all that are installed; 1 failed, or not trusted; "
                + "64 wrong command line.",
        ],
        examples: [
            ("tapline ca trust", "say what to do for each kind of program"),
            ("tapline ca trust --apply debian", "do it for Debian or Ubuntu"),
            ("eval \"$(tapline ca trust --apply curl)\"", "do it for curl in this shell"),
            ("tapline ca check curl", "see whether it worked"),
        ],
        run: CaCommand.run
    )

    static let plugins = CommandDeclaration(
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

    static let schema = CommandDeclaration(
        name: "schema",
        summary: "Print a JSON Schema of pipeline files, for editors.",
        options: [OptionDeclaration(name: "test", summary: "That of test files instead.")],
        examples: [("tapline schema > tapline.schema.json", "keep it for an editor")],
        run: SchemaCommand.run
    )

    static let completions = CommandDeclaration(
        name: "completions",
        summary: "Print completions for a shell.",
        operands: [
            Operand(
                name: "SHELL",
                summary: "bash, zsh or fish.",
                kind: .oneOf(["bash", "zsh", "fish"])
            )
        ],
        examples: [
            ("source <(tapline completions bash)", "use them in this bash")
        ],
        run: CompletionsCommand.run
    )

    static let help = CommandDeclaration(
        name: "help",
        summary: "Explain Tapline, or one command.",
        operands: [
            Operand(
                name: "COMMAND",
                summary: "The command to explain.",
                isRequired: false,
                kind: .command
            )
        ],
        options: [
            OptionDeclaration(name: "man", summary: "Print the manual page (roff).")
        ],
        run: HelpCommand.run
    )

    static let version = CommandDeclaration(
        name: "version",
        summary: "Print the version.",
        run: VersionCommand.run
    )
}

/// Options that several commands have.
enum CommonOptions {
    static let set = OptionDeclaration(
        name: "set",
        value: "ID.OPTION=VALUE",
        repeats: true,
        summary: "Set an option of a component."
    )

    static let logFormat = OptionDeclaration(
        name: "log-format",
        value: "FORMAT",
        choices: LogWriter.Format.allCases.map(\.rawValue),
        summary: "How log, problems and summary are written."
    )
}
