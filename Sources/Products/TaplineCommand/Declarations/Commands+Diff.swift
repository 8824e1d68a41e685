// SPDX-License-Identifier: MIT

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
                summary: "What identifies a session, such as 'request.cookie[\"sid\"]'; the "
                    + "default is the client's address without its port."
            ),
            OptionDeclaration(
                name: "noise",
                value: "FILE",
                repeats: true,
                summary: "Rules about what varies by itself, one a line."
            ),
            OptionDeclaration(
                name: "same",
                value: "A2",
                repeats: true,
                summary: "Another run of the program that A recorded: what differs varies by "
                    + "itself."
            ),
            OptionDeclaration(
                name: "learn",
                value: "FILE",
                summary: "Write rules about what varies between A and A2, and between equal "
                    + "requests in A."
            ),
            OptionDeclaration(name: "force", summary: "Replace the files to write if they exist."),
            OptionDeclaration(
                name: "ignore",
                value: "RULE",
                repeats: true,
                summary: "Do not compare a part: '$.id', or 'GET /orders/{id} $.id'."
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
                summary: "Pair the elements of an array by a member, such as '$.items=id'."
            ),
            OptionDeclaration(
                name: "headers",
                value: "NAMES",
                summary: "The fields to compare, separated by commas, in place of the usual ones."
            ),
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
                summary: "Redact what is shown with this preset of the stage 'redact'; the default "
                    + "is standard."
            ),
            OptionDeclaration(
                name: "format",
                value: "FORMAT",
                choices: ComparisonFormat.allCases.map(\.rawValue),
                summary: "The format of the report; the default is text."
            ),
            OptionDeclaration(
                name: "out",
                value: "FILE",
                summary: "Where to write the report; the default is '-', standard output."
            ),
        ],
        discussion: [
            "Requests are paired by the link of a replay, or else by session, method, host, path, "
                + "query and body, in their order; missing and extra requests do not shift others. "
                + "The host counts only if A and B have one in common.",
            "Compares status, fields, and bodies by type: JSON by path, forms by field, XML by "
                + "element, HTML by its texts, other texts by line, everything else by bytes. "
                + "Latencies are compared by route, and do not change the exit code.",
            "A rule is 'METHOD ROUTE varies PATH': the value may change, but not its type; with "
                + "'ignore', it may also be missing; 'unordered' and 'key NAME' are about arrays. "
                + "'*' stands for all methods or routes.",
            "Exit codes: 0 no more differences than allowed, 1 more, or something could not be "
                + "read, or nothing was compared; 64 wrong command line, 78 wrong rules.",
        ],
        examples: [
            ("tapline diff yesterday.db today.db", "what differs"),
            (
                "tapline diff a.db --same a2.db --learn noise.txt",
                "learn what varies by itself"
            ),
            ("tapline diff a.db b.db --noise noise.txt --format html --out diff.html", "a page"),
        ],
        run: DiffCommand.run
    )
}
