// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

extension Commands {
    static let store = CommandDeclaration(
        name: "store",
        summary: "Measure, verify, compact, prune, merge or split stores.",
        operands: [
            Operand(
                name: "ACTION",
                summary: "'info' shows sizes by kind and host, 'verify' checks the file, its rows, "
                    + "bodies and body files, 'compact' gives free space back, 'prune' removes the "
                    + "oldest exchanges, 'merge' makes one store of several, 'split' makes several "
                    + "of one.",
                kind: .oneOf(StoreCommand.actions.map(\.name))
            ),
            Operand(
                name: "STORE",
                summary: "A database of the sink 'sqlite'; for 'merge' and 'split' also NDJSON or "
                    + "HAR. 'prune' and 'merge' take several.",
                repeats: true,
                kind: .file
            ),
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
            OptionDeclaration(name: "count", value: "N", summary: "prune: keep N exchanges."),
            OptionDeclaration(
                name: "age",
                value: "TIME",
                summary: "prune: keep what began this long ago or later, such as 30d."
            ),
            OptionDeclaration(
                name: "bytes",
                value: "SIZE",
                summary: "prune: keep at most this much, such as 10GiB."
            ),
            OptionDeclaration(name: "yes", summary: "prune: remove; otherwise only count."),
            OptionDeclaration(
                name: "every",
                value: "TIME",
                summary: "split: the period of each store, such as 1d."
            ),
            OptionDeclaration(
                name: "out",
                value: "PATH",
                summary: "merge: the new store; split: the folder of the new stores."
            ),
        ],
        discussion: [
            "'info' and 'verify' read the whole database, and may run while another process writes. "
                + "'compact' needs as much space again, and writers wait for it.",
            "Exit codes: 0 done, 1 'verify' found problems, something failed or could not be read, "
                + "64 wrong command line.",
        ],
        examples: [
            ("tapline store info traffic.db --hosts 5", "what takes the space"),
            ("tapline store verify traffic.db", "whether everything is readable"),
            ("tapline store prune traffic.db --age 30d --yes", "retention afterwards"),
            ("tapline store merge a.db b.db --out all.db", "duplicates by id are kept once"),
            ("tapline store split traffic.db --every 1d --out days", "one database for each day"),
        ],
        run: StoreCommand.run
    )
}
