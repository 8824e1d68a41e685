// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineImport

extension Commands {
    static let importing = CommandDeclaration(
        name: "import",
        summary: "Read files of other tools into a database or a recording.",
        operands: [
            Operand(
                name: "FILE",
                summary: "HAR, NDJSON, flows of mitmproxy, files of GoReplay, commands of curl, a "
                    + "collection of Postman or an access log, also compressed; '-' is standard "
                    + "input.",
                repeats: true,
                kind: .file
            )
        ],
        options: [
            OptionDeclaration(
                name: "out",
                value: "FILE",
                summary: "A database of the sink 'sqlite', which may have exchanges, or a new "
                    + "recording."
            ),
            OptionDeclaration(
                name: "format",
                value: "FORMAT",
                choices: ["sqlite", "ndjson", "har"],
                summary: "The format to write; by default, the suffix of FILE determines it."
            ),
            OptionDeclaration(
                name: "from",
                value: "FORMAT",
                choices: ImportFormat.allCases.map(\.rawValue),
                summary: "The format to read; by default, the content determines it."
            ),
            OptionDeclaration(
                name: "redact",
                value: "PRESET",
                choices: ["standard", "strict"],
                summary: "Redact with this preset of the stage 'redact'."
            ),
            OptionDeclaration(name: "force", summary: "Replace the recording if it exists."),
            OptionDeclaration(
                name: "strict",
                summary: "Fail if something was not read or not carried over."
            ),
        ],
        discussion: [
            "At the end, counts by kind what could not be read. Reading a file again adds nothing "
                + "to a database. Without --redact, nothing is redacted.",
            "Interrupting it keeps what a database has got until then, some thousands of exchanges "
                + "at once; a new recording is removed.",
            "Exit codes: 0 done, 1 a file could not be read, or --strict; 64 wrong command line.",
        ],
        examples: [
            ("tapline import access.log.gz --out traffic.db", "an access log into a database"),
            ("tapline import flows --out flows.ndjson", "flows of mitmproxy as a recording"),
        ],
        run: ImportCommand.run
    )
}
