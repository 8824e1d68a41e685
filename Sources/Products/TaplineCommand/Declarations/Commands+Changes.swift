// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

/// The commands that change stores.
extension Commands {
    static let reprocess = CommandDeclaration(
        name: "reprocess",
        summary: "Run stored exchanges through the record stages of a pipeline again.",
        operands: [
            Operand(
                name: "STORE",
                summary: "A database of the sink 'sqlite', NDJSON or HAR.",
                kind: .file
            )
        ],
        options: [
            OptionDeclaration(
                name: "config",
                value: "FILE",
                summary: "The pipeline; its sources and sinks are not opened."
            ),
            CommonOptions.set,
            OptionDeclaration(
                name: "out",
                value: "NEW",
                summary: "The new store; its suffix determines the format: .db, .ndjson, "
                    + ".ndjson.gz or .ndjson.zst."
            ),
            OptionDeclaration(
                name: "in-place",
                summary: "Change the database itself, which no other process may have open."
            ),
            OptionDeclaration(
                name: "keep-backup",
                summary: "Keep the copy STORE.backup of the former content."
            ),
        ],
        discussion: [
            "Ids stay the same. At the end, counts what changed by part, by tag and by the rules of "
                + "each stage. Wire hooks do not run.",
            "Exit codes: 0 done, 1 not everything could be processed, 64 wrong command line, 78 "
                + "wrong configuration.",
        ],
        examples: [
            ("tapline reprocess traffic.db --config new.yaml --out safe.db", "with new rules"),
            ("tapline reprocess traffic.db --config new.yaml --in-place", "in the database"),
        ],
        run: ReprocessCommand.run
    )

    static let erase = CommandDeclaration(
        name: "erase",
        summary: "Remove exchanges or values from databases and NDJSON, and verify it.",
        operands: [
            Operand(
                name: "STORE",
                summary: "A database of the sink 'sqlite' or NDJSON, a folder or a pattern.",
                repeats: true,
                kind: .file
            ),
            Operand(
                name: "FILTER",
                summary: "The exchanges to remove, as after 'when:', or '@NAME' of a saved filter.",
                isRequired: false,
                kind: .filter
            ),
        ],
        options: [
            OptionDeclaration(
                name: "value-file",
                value: "FILE",
                repeats: true,
                summary: "Values to remove wherever they are, one per line."
            ),
            OptionDeclaration(
                name: "value-env",
                value: "NAME",
                repeats: true,
                summary: "A variable whose value to remove."
            ),
            OptionDeclaration(name: "yes", summary: "Erase; otherwise only count."),
        ],
        discussion: [
            "Finds values in the forms that 'tapline leaks' knows, also in compressed bodies, body "
                + "files, free pages and the log. Nobody else may have a database open. Then "
                + "searches the files again.",
            "Exit codes: 0 done, and nothing is left; 1 failed, or something is left; 2 nothing is "
                + "left, but something could not be read; 64 wrong command line.",
        ],
        examples: [
            ("tapline erase traffic.db --value-file token.txt", "count what would be removed"),
            ("tapline erase traffic.db 'host == \"a.test\"' --yes", "remove exchanges"),
        ],
        run: EraseCommand.run
    )
}
