// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

extension Commands {
    static let diff = CommandDeclaration(
        name: "diff",
        summary: "Compare the responses of two recordings, request by request.",
        operands: [
            Operand(
                name: "A",
                summary: "The recording to compare with: a database, NDJSON or HAR.",
                kind: .file
            ),
            Operand(
                name: "B",
                summary: "The new recording; may be absent with '--learn'.",
                isRequired: false,
                kind: .file
            ),
        ],
        options: [
            OptionDeclaration(
                name: "filter",
                value: "FILTER",
                summary: "Compare only exchanges that match."
            ),
            OptionDeclaration(
                name: "session",
                value: "FIELD",
                summary: "What identifies a session; the default is the client's IP address."
            ),
            OptionDeclaration(
                name: "noise",
                value: "FILE",
                repeats: true,
                summary: "Rules for expected differences, one per line."
            ),
            OptionDeclaration(
                name: "same",
                value: "A2",
                repeats: true,
                summary: "Another run of the same program."
            ),
            OptionDeclaration(
                name: "learn",
                value: "FILE",
                summary: "Write rules about what varies in A, and between A and A2."
            ),
            OptionDeclaration(name: "force", summary: "Replace the files to write if they exist."),
            OptionDeclaration(
                name: "ignore",
                value: "RULE",
                repeats: true,
                summary: "Do not compare a part, such as '$.id'."
            ),
            OptionDeclaration(
                name: "unordered",
                value: "PATH",
                repeats: true,
                summary: "Compare the elements of an array in any order."
            ),
            OptionDeclaration(
                name: "key",
                value: "PATH=NAME",
                repeats: true,
                summary: "Pair elements by a member: '$.items=id'."
            ),
            OptionDeclaration(
                name: "headers",
                value: "NAMES",
                summary: "The fields to compare, separated by commas, in place of the usual ones."
            ),
            CommonOptions.descriptors,
            OptionDeclaration(
                name: "max-differences",
                value: "N",
                summary: "Succeed if at most N exchanges differ or have no partner; the default is "
                    + "0."
            ),
            OptionDeclaration(
                name: "preset",
                value: "PRESET",
                choices: DiffArguments.presets,
                summary: "The redaction; that of html is strict."
            ),
            OptionDeclaration(
                name: "allow-leaks",
                summary: "Write an HTML report even if secrets are found in it."
            ),
            OptionDeclaration(
                name: "format",
                value: "FORMAT",
                choices: ComparisonFormat.allCases.map(\.rawValue),
                summary: "The format; the default is text."
            ),
            OptionDeclaration(
                name: "out",
                value: "FILE",
                summary: "Where to write the report; the default is '-', standard output."
            ),
        ],
        discussion: [
            "Pairs requests by the link of a replay, or by session, method, host, path, query, body "
                + "and order; missing and extra ones do not shift others. "
                + "Compares status, fields, bodies by type (JSON by path, forms, XML, HTML by its texts, "
                + "lines, bytes), and latencies by route, which do not change the exit code.",
            "A rule is 'METHOD ROUTE varies PATH': the value may change, not its type. 'ignore' "
                + "allows all; 'unordered' and 'key NAME' are for arrays; '*' is any method or route.",
            "Exit codes: 0 no more differences than allowed, 1 more, or something could not be "
                + "read, or nothing was compared; 64 wrong command line, 78 wrong rules.",
        ],
        examples: [
            ("tapline diff yesterday.db today.db", "what differs"),
            ("tapline diff a.db --same a2.db --learn noise.txt", "learn rules"),
            ("tapline diff a.db b.db --noise noise.txt --format html --out diff.html", "a page"),
        ],
        run: DiffCommand.run
    )
}
