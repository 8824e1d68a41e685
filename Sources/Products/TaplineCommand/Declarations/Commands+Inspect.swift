// SPDX-License-Identifier: MIT

extension Commands {
    static let inspect = CommandDeclaration(
        name: "inspect",
        summary: "Show databases and recordings as a web page, also while they grow.",
        operands: [
            Operand(
                name: "STORE",
                summary: "A database of the sink 'sqlite', NDJSON or HAR, a folder, or a pattern.",
                repeats: true,
                kind: .file
            )
        ],
        options: [
            OptionDeclaration(
                name: "port",
                value: "N",
                summary: "The port; the default is \(InspectArguments.defaultPort), or a free one "
                    + "if another program uses it."
            ),
            OptionDeclaration(
                name: "listen",
                value: "ADDRESS",
                summary: "The address; the default is 127.0.0.1. Only addresses of this machine "
                    + "itself are allowed."
            ),
            OptionDeclaration(
                name: "rules",
                value: "FILE",
                summary: "A rule file to edit, and to try on the stores."
            ),
            OptionDeclaration(name: "open", summary: "Open the page in the browser."),
        ],
        discussion: [
            "Prints the address of the page. It has a token, without which nobody can read the "
                + "traffic; the browser exchanges it for a cookie. Control-C ends it.",
            "The stores are read as by 'query', while other processes write to them. Only notes, "
                + "marks, tags and saved filters are written, if they are changed on the page. A "
                + "store that does not exist yet is shown as soon as it does.",
            "Exit codes: 0 ended by the user, 1 cannot start, 64 wrong command line.",
        ],
        examples: [
            ("tapline inspect traffic.db --open", "look at a database"),
            ("tapline inspect traffic.db --rules rules.yaml", "try rules on a database"),
            ("tapline inspect a.ndjson b.har", "two recordings as one, by start time"),
        ],
        run: InspectCommand.run
    )
}
