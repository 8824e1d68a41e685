// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

extension Commands {
    static let show = CommandDeclaration(
        name: "show",
        summary: "Show one exchange of databases and recordings.",
        operands: [
            StoreOperands.store,
            StoreOperands.id,
        ],
        options: [
            OptionDeclaration(
                name: "body",
                value: "MESSAGE",
                choices: ShowArguments.Side.allCases.map(\.rawValue),
                summary: "Write only the decoded body of this message."
            ),
            OptionDeclaration(
                name: "raw",
                summary: "Write the messages as bytes of HTTP/1.1; with '--body', keep the coding."
            ),
            OptionDeclaration(
                name: "lines",
                value: "N",
                summary: "Show at most N lines of each body."
            ),
            CommonOptions.descriptors,
            CommonOptions.noPager,
        ],
        discussion: [
            "Bodies are decoded and laid out by their kind; other bytes are shown in hexadecimal. "
                + "Protobuf and gRPC messages are shown as JSON: by names with '--descriptors', otherwise "
                + "by field numbers with all that a value may mean. "
                + "Signatures of JSON Web Tokens are masked. On a terminal, long output goes "
                + "through $TAPLINE_PAGER, $PAGER or less.",
            "Exit codes: 0 done, 1 not everything could be read, 64 wrong command line.",
        ],
        examples: [
            ("tapline show traffic.db last", "the newest exchange"),
            ("tapline show traffic.db 01931234 --body response > a.png", "save a body"),
        ],
        run: ShowCommand.run
    )

    static let explain = CommandDeclaration(
        name: "explain",
        summary: "Show what each stage did to an exchange.",
        operands: [
            StoreOperands.store,
            StoreOperands.id,
        ],
        options: [
            OptionDeclaration(
                name: "format",
                value: "FORMAT",
                choices: ExplainCommand.Format.allCases.map(\.rawValue),
                summary: "The format of the steps; the default is text."
            ),
            CommonOptions.noPager,
        ],
        discussion: [
            "Shows for each stage and hook whether it ran and why not, its verdict, the time spent, "
                + "and what it changed. Values are those of the stored record, after all stages.",
            "Pipelines record this with 'runtime: { provenance: true }'.",
            "Exit codes: 0 done, 1 the exchange has no provenance or not everything could be read, "
                + "64 wrong command line.",
        ],
        examples: [
            ("tapline explain traffic.db last", "the newest exchange"),
            ("tapline explain traffic.db 01931234 --format json", "for programs"),
        ],
        run: ExplainCommand.run
    )
}
