// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineExport

extension Commands {
    static let export = CommandDeclaration(
        name: "export",
        summary: "Write exchanges as commands, programs, collections and files of other tools.",
        operands: StoreOperands.all,
        options: [
            OptionDeclaration(
                name: "to",
                value: "FORMAT",
                choices: ExportFormat.allCases.map(\.rawValue),
                summary: "The format."
            ),
            OptionDeclaration(
                name: "out",
                value: "FILE",
                summary: "Where to write; the default is '-', standard output."
            ),
            OptionDeclaration(name: "force", summary: "Replace FILE if it exists."),
            OptionDeclaration(name: "limit", value: "N", summary: "Export at most N exchanges."),
            OptionDeclaration(name: "newest", summary: "Begin with the newest exchange."),
            OptionDeclaration(
                name: "shell",
                value: "SHELL",
                choices: ShellDialect.allCases.map(\.rawValue),
                summary: "The shell for curl, httpie and wget; the default is bash."
            ),
            OptionDeclaration(name: "strict", summary: "Fail if something was not carried over."),
        ],
        discussion: [
            "At the end, counts by kind what the format could not represent. Warns if no exchange "
                + "shows a redaction.",
            "Interrupting it ends standard output after what was read until then; a file of '--out' "
                + "is not written.",
            "Exit codes: 0 done, 1 not everything could be read, or --strict; 64 wrong command "
                + "line; 130 interrupted.",
        ],
        examples: [
            ("tapline export traffic.db 'status >= 500' --to curl", "failures as commands"),
            ("tapline export traffic.db --to openapi --out api.json", "describe an API"),
        ],
        run: ExportCommand.run
    )
}
