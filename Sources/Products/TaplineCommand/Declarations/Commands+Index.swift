// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

extension Commands {
    static let index = CommandDeclaration(
        name: "index",
        summary: "Build, continue or remove the full-text index of a database.",
        operands: [
            Operand(
                name: "STORE",
                summary: "A database of the sink 'sqlite', a folder, or a pattern.",
                repeats: true,
                kind: .file
            )
        ],
        options: [
            OptionDeclaration(
                name: "bodies",
                summary: "Build the index of URLs, fields, bodies and messages, or add the "
                    + "exchanges written since."
            ),
            OptionDeclaration(
                name: "trigrams",
                summary: "Index each three bytes in sequence, for any text of at least three "
                    + "bytes; the default."
            ),
            OptionDeclaration(
                name: "words",
                summary: "Index whole words: slower to search unless a text has words inside."
            ),
            OptionDeclaration(name: "drop", summary: "Remove the index."),
        ],
        discussion: [
            "Without options, it shows the state of the index. 'query', 'stats' and 'export' use an "
                + "index by themselves where it is faster than reading all exchanges, for "
                + "conditions such as 'any contains \"text\"'; the results are the same. "
                + "'query --explain' shows whether they do.",
            "The index is the file STORE-index. Exchanges that are written later are read without "
                + "it, until the command is run again. If indexed exchanges are changed, the index "
                + "is not used until it is built again.",
            "An interrupted command keeps what it has indexed, and the same command continues.",
            "Exit codes: 0 done, 1 failed, 64 wrong command line, 130 interrupted.",
        ],
        examples: [
            ("tapline index traffic.db --bodies", "build it, or bring it up to date"),
            ("tapline query traffic.db 'any contains \"E1702\"' --explain", "is it used?"),
            ("tapline index traffic.db --drop", "remove it"),
        ],
        run: IndexCommand.run
    )
}
