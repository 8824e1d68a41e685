// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

extension Commands {
    static let replay = CommandDeclaration(
        name: "replay",
        summary: "Send recorded requests to a server at an exact rate.",
        operands: [
            Operand(
                name: "REC",
                summary: "A recording: a database, NDJSON, HAR, a folder, a pattern, or '-'.",
                repeats: true,
                kind: .file
            )
        ],
        options: [
            OptionDeclaration(
                name: "to",
                value: "[HOST=]URL",
                repeats: true,
                summary: "The server for all hosts, or for HOST only."
            ),
            OptionDeclaration(
                name: "and",
                value: "[HOST=]URL",
                repeats: true,
                summary: "Send all to another server, too."
            ),
            OptionDeclaration(
                name: "filter",
                value: "FILTER",
                summary: "Send only exchanges that match, such as 'method == \"GET\"'."
            ),
            OptionDeclaration(
                name: "rate",
                value: "RATE",
                summary: "Requests a second: '500/s', or '100/s -> 2000/s over 5m'."
            ),
            OptionDeclaration(
                name: "speed",
                value: "SPEED",
                summary: "The recorded spacing times '1x' (the default), '2x', or 'max'."
            ),
            OptionDeclaration(
                name: "concurrency",
                value: "N",
                summary: "At most N requests in flight; the default is 100."
            ),
            OptionDeclaration(
                name: "when-full",
                value: "ACTION",
                choices: ["wait", "skip"],
                summary: "What to do with a request that is due then."
            ),
            OptionDeclaration(name: "for", value: "TIME", summary: "Send for this time."),
            OptionDeclaration(
                name: "loop",
                value: "N",
                summary: "Send the recordings N times; 'true' repeats them forever."
            ),
            OptionDeclaration(name: "limit", value: "N", summary: "Send at most N requests."),
            OptionDeclaration(
                name: "sessions",
                value: "KEY",
                summary: "Keep the order by auto, off, client, 'cookie NAME', 'json $.PATH', ..."
            ),
            OptionDeclaration(
                name: "map",
                value: "MODE",
                choices: ["auto", "off"],
                summary: "Send the server's tokens, not recorded ones."
            ),
            OptionDeclaration(
                name: "map-file",
                value: "FILE",
                summary: "Read the tokens from a file, or write it if it does not exist."
            ),
            OptionDeclaration(
                name: "auth",
                value: "PLACE=VAR",
                repeats: true,
                summary: "Send a variable in place of a mask."
            ),
            OptionDeclaration(
                name: "unsafe",
                summary: "Send requests that can change things to other machines, too."
            ),
            OptionDeclaration(name: "dry-run", summary: "Send nothing; print what would be sent."),
            OptionDeclaration(
                name: "config",
                value: "FILE",
                summary: "A pipeline whose stages and sinks the exchanges pass."
            ),
            CommonOptions.set,
            OptionDeclaration(
                name: "out",
                value: "FILE",
                summary: "Record the exchanges, redacted, in a new file, .ndjson or .db."
            ),
            OptionDeclaration(name: "json", summary: "Print the figures as JSON."),
        ] + comparison,
        discussion: [
            "Service latencies count from sending, response latencies from when a request was due. "
                + "Exit codes: 0 done, 1 failed or fell behind, 64 wrong command line, 78 wrong "
                + "configuration."
        ],
        examples: [
            ("tapline replay day.db --to http://127.0.0.1:9000 --speed 2x", "at double speed")
        ],
        run: ReplayCommand.run
    )

    private static let comparison = [
        OptionDeclaration(
            name: "compare",
            summary: "Compare answers with recorded ones, or those of both servers."
        ),
        OptionDeclaration(
            name: "learn",
            value: "FILE",
            summary: "Write rules about what varies between them in a new file."
        ),
        OptionDeclaration(
            name: "noise",
            value: "FILE",
            repeats: true,
            summary: "Rules of '--learn'."
        ),
        OptionDeclaration(
            name: "max-differences",
            value: "N",
            summary: "Succeed if at most N answers differ; the default is 0."
        ),
        OptionDeclaration(
            name: "report",
            value: "FORMAT",
            choices: ComparisonFormat.allCases.map(\.rawValue),
            summary: "The format of the comparison."
        ),
        OptionDeclaration(
            name: "report-out",
            value: "FILE",
            summary: "The new file of the comparison; the default is standard output."
        ),
        OptionDeclaration(
            name: "allow-leaks",
            summary: "Write an HTML report even if secrets are found in it."
        ),
    ]
}
