// SPDX-License-Identifier: MIT

extension Commands {
    static let show = CommandDeclaration(
        name: "show",
        summary: "Show one exchange of databases and recordings.",
        operands: [
            StoreOperands.store,
            Operand(
                name: "ID",
                summary: "The id or its first digits, at least four; or 'last' or 'first'.",
                kind: .id
            ),
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
            CommonOptions.noPager,
        ],
        discussion: [
            "Bodies are decoded and laid out by their kind; other bytes are shown in hexadecimal. "
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
}
