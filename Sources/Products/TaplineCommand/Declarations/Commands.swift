// SPDX-License-Identifier: MIT

internal import TaplineCertificates
internal import TaplineCommandLine
internal import TaplinePlugin

extension Commands {
    /// All commands, in the order of the help overview.
    static let all = [
        run, exec, replay, mock, check, doctor, top, status, reload, drain, test, lua, query, show,
        explain, stats, diff, inspect, index, note, mark, tag, store, export, share, importing,
        leaks, erase, reprocess, convert, ca, plugin, plugins, schema, completions, help, version,
    ]

    static let exec = CommandDeclaration(
        name: "exec",
        summary: "Run a command and show what it does on the network.",
        operands: [
            Operand(
                name: "COMMAND",
                summary: "The command and its arguments.",
                repeats: true,
                kind: .file
            )
        ],
        options: [
            OptionDeclaration(
                name: "config",
                value: "FILE",
                summary: "The pipeline, with one source 'proxy', which listens on a free port."
            ),
            CommonOptions.set,
        ] + ExecNamespace.options + InspectionOptions.all,
        takesCommand: true,
        discussion: [
            "Sets the variables that make programs use a proxy and trust its certificates. Without "
                + "FILE, exchanges go to standard error, HTTPS included, with secrets masked.",
            InspectionOptions.discussion
                + " On a terminal page and proxy stay after the command has ended, until control-C; "
                + "otherwise 'exec' ends with the command.",
            "Exit codes: those of the command and of shells (126, 127, 128 plus the signal), 1 the "
                + "pipeline did not start, 64 wrong command line, 78 wrong configuration.",
        ],
        examples: [
            ("tapline exec -- curl https://example.com", "show what curl does"),
            ("tapline exec --all -- ./server", "capture any program (Linux)"),
        ],
        run: ExecCommand.run
    )

    static let test = CommandDeclaration(
        name: "test",
        summary: "Run tests of pipelines and their scripts.",
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
                summary: "Run only tests whose name contains this text."
            ),
            OptionDeclaration(name: "list", summary: "List the tests without running them."),
            OptionDeclaration(
                name: "junit",
                value: "PATH",
                summary: "Write the results as JUnit XML."
            ),
            OptionDeclaration(
                name: "coverage",
                value: "PATH",
                summary: "Write the line coverage of scripts in lcov format."
            ),
            OptionDeclaration(
                name: "min-coverage",
                value: "PERCENT",
                summary: "Fail if a lower percentage of script lines ran."
            ),
        ],
        discussion: [
            "Sources and sinks are not opened. The clock is stopped, and random numbers are the "
                + "same in each run.",
            "Exit codes: 0 all passed, 1 a test failed, 64 wrong command line or no test found, "
                + "78 a file has errors.",
        ],
        examples: [
            ("tapline test rewrite.test.yaml", "run the tests in a file"),
            ("tapline test . --junit results.xml", "all tests in a folder, for a build server"),
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
                summary: "The folder for 'init', or the scripts for 'check'.",
                isRequired: false,
                repeats: true,
                kind: .file
            ),
        ],
        options: [
            OptionDeclaration(name: "force", summary: "Let 'init' overwrite existing files.")
        ],
        discussion: [
            "'check' reports syntax errors, unknown fields of 'ex', fields that a hook cannot read "
                + "or assign, unknown globals, verdicts that are not returned, and functions that "
                + "were probably meant to be hooks.",
            "'init' writes .luarc.json and .tapline/types.lua for the Lua language server.",
        ],
        examples: [
            ("tapline lua check rewrite.lua", "report mistakes in a script"),
            ("tapline lua init scripts", "set up the folder 'scripts' for an editor"),
        ],
        run: LuaCommand.run
    )

    static let leaks = CommandDeclaration(
        name: "leaks",
        summary: "Search recordings, databases, logs and any other files for secrets.",
        operands: [
            Operand(
                name: "FILE",
                summary: "A file, a folder with everything in it, or '-' for standard input.",
                repeats: true,
                kind: .file
            )
        ],
        options: [
            OptionDeclaration(
                name: "detectors",
                value: "NAMES",
                summary:
                    "The detectors to use: standard (the default), off, or names separated by "
                    + "commas."
            ),
            OptionDeclaration(
                name: "value-file",
                value: "FILE",
                repeats: true,
                summary: "Values that must not appear, one per line."
            ),
            OptionDeclaration(
                name: "value-env",
                value: "NAME",
                repeats: true,
                summary: "A variable whose value must not appear."
            ),
            OptionDeclaration(
                name: "allow-file",
                value: "FILE",
                repeats: true,
                summary: "Known values that are not secrets, one per line."
            ),
            OptionDeclaration(
                name: "max",
                value: "N",
                summary: "Show at most N findings; the default is 1000."
            ),
            OptionDeclaration(
                name: "format",
                value: "FORMAT",
                choices: ["text", "json"],
                summary: "The format of the findings."
            ),
        ],
        discussion: [
            "Shows place and kind, never a value. Values are not given on the command line, where "
                + "ps(1) would show them. Searches inside compression, base64, escapes and free "
                + "pages of SQLite.",
            "Exit codes: 0 nothing found, 1 secrets found, 2 nothing found but something could not "
                + "be read, 64 wrong command line.",
        ],
        examples: [
            ("tapline leaks traffic.ndjson out/", "search with the detectors"),
            ("tapline leaks --value-env API_TOKEN out/", "also search for a value"),
        ],
        run: LeaksCommand.run
    )

    static let convert = CommandDeclaration(
        name: "convert",
        summary: "Convert a recording to another format.",
        operands: [
            Operand(
                name: "IN",
                summary: "The recording or database; its content determines the format. '-' is "
                    + "standard input.",
                kind: .file
            ),
            Operand(
                name: "OUT",
                summary:
                    "The new file; its suffix determines the format: .ndjson or .har, followed by "
                    + ".gz or .zst for compression.",
                kind: .file
            ),
        ],
        options: [
            OptionDeclaration(
                name: "bad-records",
                value: "WHAT",
                choices: ["stop", "skip"],
                summary:
                    "What to do at a broken record, or where a file becomes unreadable; the "
                    + "default is stop."
            ),
            OptionDeclaration(
                name: "redact",
                value: "PRESET",
                choices: ["standard", "strict"],
                summary: "Redact with this preset of the stage 'redact'."
            ),
            OptionDeclaration(
                name: "max-extra",
                value: "SIZE",
                summary:
                    "The maximum size of HAR-only data to keep, for each entry and for the file; "
                    + "the default is 1MiB."
            ),
            OptionDeclaration(name: "force", summary: "Replace OUT if it exists."),
        ],
        discussion: [
            "At the end, counts by kind what could not be carried over, and what was read "
                + "although HAR 1.2 does not allow it. HAR keeps pages, comments and fields of "
                + "tools; NDJSON has them under the key 'har'. A truncated file is converted up to "
                + "where it ends.",
            "Without --redact, nothing is redacted. For other rules, run a pipeline.",
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
        summary: "Show, export and renew the certificate authority, and make programs trust it.",
        operands: [
            Operand(
                name: "ACTION",
                summary: "'show', 'export' or 'rotate' the root certificate; 'trust' shows how to "
                    + "make programs trust it, 'check' checks whether they do.",
                kind: .oneOf(CaCommand.actions)
            ),
            Operand(
                name: "TARGET",
                summary: "The programs to act on; 'tapline ca trust' lists the targets.",
                isRequired: false,
                repeats: true,
                kind: .trustStore
            ),
        ],
        options: [
            OptionDeclaration(
                name: "ca",
                value: "FOLDER",
                summary: "The folder of the authority; the default is the user's own."
            ),
            OptionDeclaration(
                name: "format",
                value: "FORMAT",
                choices: CertificateFormat.allCases.map(\.rawValue),
                summary: "What 'export' writes; the default is pem."
            ),
            OptionDeclaration(
                name: "out",
                value: "FILE",
                summary: "Where 'export' writes it; the default is '-', standard output."
            ),
            OptionDeclaration(
                name: "apply",
                summary: "Let 'trust' perform the steps that a program can perform."
            ),
            OptionDeclaration(
                name: "undo",
                summary: "Let 'trust' remove the root again."
            ),
        ],
        discussion: [
            "'check' makes programs open a TLS connection on loopback, with the settings of this "
                + "shell. 'trust --apply' prints shell lines if variables have to be set.",
            "Exit codes: 0 done, or trusted by all installed programs; 1 failed, or not trusted; "
                + "64 wrong command line.",
        ],
        examples: [
            ("tapline ca trust", "show what to do for each kind of program"),
            ("tapline ca trust --apply debian", "do it for Debian or Ubuntu"),
            ("eval \"$(tapline ca trust --apply curl)\"", "do it for curl in this shell"),
            ("tapline ca check curl", "check whether it worked"),
        ],
        run: CaCommand.run
    )

    static let schema = CommandDeclaration(
        name: "schema",
        summary: "Print a JSON Schema of pipeline files, for editors.",
        options: [OptionDeclaration(name: "test", summary: "Print the schema of test files.")],
        examples: [("tapline schema > tapline.schema.json", "save it for an editor")],
        run: SchemaCommand.run
    )

    static let completions = CommandDeclaration(
        name: "completions",
        summary: "Print completions for a shell, or the values that they offer.",
        operands: [
            Operand(
                name: "SHELL|VALUES",
                summary: "bash, zsh or fish; or hosts, ids or routes, which stores have.",
                kind: .oneOf(CompletionsCommand.words)
            ),
            Operand(
                name: "STORE",
                summary: "A database of the sink 'sqlite', NDJSON or HAR, which is never changed.",
                isRequired: false,
                repeats: true,
                kind: .file
            ),
        ],
        options: [
            OptionDeclaration(
                name: "prefix",
                value: "TEXT",
                summary: "Print only values that begin with this text."
            )
        ],
        discussion: [
            "The completions ask the stores on the command line for saved filters, ids, hosts and "
                + "routes, the latter in filters such as 'host == \"'. Values that are unusual in "
                + "shells are not offered, at most 100 at a time, and of a recording those of its "
                + "beginning."
        ],
        examples: [
            ("source <(tapline completions bash)", "use them in this shell"),
            ("tapline completions hosts traffic.db", "the hosts of a store"),
        ],
        run: CompletionsCommand.run
    )
}
