// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

extension Commands {
    static let mock = CommandDeclaration(
        name: "mock",
        summary: "Answer requests as a recording did.",
        operands: [
            Operand(
                name: "REC",
                summary: "A database of the sink 'sqlite', NDJSON or HAR, a folder, or a pattern.",
                repeats: true,
                kind: .file
            )
        ],
        options: [
            OptionDeclaration(
                name: "listen",
                value: "ADDRESS:PORT",
                summary: "Where to listen; the default is a free port of 127.0.0.1."
            ),
            OptionDeclaration(
                name: "filter",
                value: "FILTER",
                summary: "Use only recorded exchanges that match."
            ),
            OptionDeclaration(
                name: "match",
                value: "PART",
                repeats: true,
                summary: "Compare only these: method, scheme, host, port, path, query, body, "
                    + "'header NAME'; 'FILTER => PART, ...' for recordings that match."
            ),
            OptionDeclaration(
                name: "ignore",
                value: "WHAT",
                repeats: true,
                summary: "Ignore JSON such as $.time, 'query NAME' or 'form NAME'."
            ),
            OptionDeclaration(
                name: "repeat",
                value: "HOW",
                choices: ["last", "cycle", "miss"],
                summary: "What follows the last recorded answer; the default is last."
            ),
            OptionDeclaration(
                name: "session",
                value: "KIND",
                summary: "Who gets answers in turn: client, none, 'cookie NAME', 'json $.PATH', ..."
            ),
            OptionDeclaration(
                name: "templates",
                summary: "Repeat ids of requests where recorded answers did."
            ),
            OptionDeclaration(
                name: "latency",
                value: "HOW",
                summary: "How long answers wait: none (the default), recorded, 2x."
            ),
            OptionDeclaration(
                name: "on-miss",
                value: "WHAT",
                choices: ["404", "pass", "record"],
                summary: "Without a recording: explain it, ask the server, or also keep its answer."
            ),
            OptionDeclaration(
                name: "record-to",
                value: "FILE",
                summary: "Ask the server; append its responses, redacted, to this .ndjson or .db."
            ),
            OptionDeclaration(
                name: "upstream",
                value: "URL",
                summary: "The server for requests without a recording."
            ),
            OptionDeclaration(
                name: "config",
                value: "FILE",
                summary: "The pipeline, with one source 'server_replay'."
            ),
            CommonOptions.set,
            OptionDeclaration(
                name: "for",
                value: "TIME",
                summary: "Stop after this time, such as 10s."
            ),
            OptionDeclaration(name: "quiet", summary: "Log only warnings and errors."),
            OptionDeclaration(
                name: "exec",
                summary: "Run the command after '--', and answer what it asks any server."
            ),
        ],
        commandOption: "exec",
        discussion: [
            "Prints the address, and answers until control-C. Requests go to the address itself or "
                + "use it as their proxy. Without a recording they get a page with status 404, the "
                + "nearest recorded requests, and what differs.",
            "Exit codes: 0 done, 1 the run failed, 64 wrong command line, 78 wrong configuration; "
                + "with --exec that of the command, which gets the variables of 'exec'.",
        ],
        examples: [
            ("tapline mock traffic.db --listen 127.0.0.1:9000", "serve a recording"),
            ("tapline mock shop.har --exec -- npm test", "test without a network"),
            ("tapline mock shop.har --on-miss pass --upstream http://127.0.0.1:80", "fill gaps"),
        ],
        run: MockCommand.run
    )
}
