// SPDX-License-Identifier: MIT

extension Commands {
    static let store = CommandDeclaration(
        name: "store",
        summary: "Measure, verify or compact a database.",
        operands: [
            Operand(
                name: "ACTION",
                summary: "'info' shows sizes by kind and host, 'verify' checks the file, its rows, "
                    + "bodies and body files, 'compact' gives free space back.",
                kind: .oneOf(StoreCommand.actions.map(\.name))
            ),
            Operand(name: "STORE", summary: "A database of the sink 'sqlite'.", kind: .file),
        ],
        options: [
            OptionDeclaration(
                name: "hosts",
                value: "N",
                summary: "info: show at most N hosts; the default is 20, in JSON all."
            ),
            OptionDeclaration(
                name: "format",
                value: "FORMAT",
                choices: StoreInfoAction.Format.allCases.map(\.rawValue),
                summary: "info: the format, in JSON with sizes in bytes; the default is table."
            ),
        ],
        discussion: [
            "'info' and 'verify' read the whole database, and may run while another process writes. "
                + "'compact' needs as much space again, and writers wait for it.",
            "Exit codes: 0 done, 1 'verify' found problems, or something failed, 64 wrong command "
                + "line.",
        ],
        examples: [
            ("tapline store info traffic.db --hosts 5", "what takes the space"),
            ("tapline store verify traffic.db", "whether everything is readable"),
        ],
        run: StoreCommand.run
    )
}
