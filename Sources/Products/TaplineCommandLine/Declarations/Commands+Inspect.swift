// SPDX-License-Identifier: MIT

extension Commands {
    package static let inspect = CommandDeclaration(
        name: "inspect",
        summary: "Show databases, recordings or a running pipeline as a web page.",
        operands: [
            Operand(
                name: "STORE",
                summary: "A database, NDJSON, HAR, a folder or a pattern; or one pipeline to run.",
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
                summary: "The address, with or without a port; the default is 127.0.0.1. Any but "
                    + "loopback needs TLS and a password."
            ),
            OptionDeclaration(
                name: "rules",
                value: "FILE",
                summary: "A rule file to edit, and to try on the stores."
            ),
            CommonOptions.descriptors,
            OptionDeclaration(
                name: "actions",
                summary: "Let the page send recorded requests again, and start mocks."
            ),
            OptionDeclaration(name: "open", summary: "Open the page in the browser."),
            CommonOptions.eachCopy,
            OptionDeclaration(
                name: "ball-origin",
                value: "ORIGIN",
                repeats: true,
                summary: "Let pages of this origin, such as http://localhost:5173, show a ball "
                    + "with their exchanges."
            ),
            OptionDeclaration(
                name: "ball-all",
                summary: "Let these pages read the exchanges of all others, too."
            ),
        ] + RemoteOptions.declarations(prefix: ""),
        discussion: [
            "Prints the address of the page. Without the token in it, nobody can read the traffic; "
                + "with TLS the page asks for the password instead. Control-C ends it.",
            "The stores are read as by 'query', while other processes write to them. The page "
                + "changes only notes, marks, tags and saved filters. A store may be created later.",
            "With --ball-origin it also prints a script for that page, whose token can only read rows.",
            "A pipeline is run and shown, as by 'run FILE --inspect', with the exit codes of 'run'; "
                + "else they are 0 ended by the user, 1 cannot start, 64 wrong command line.",
        ],
        examples: [
            ("tapline inspect traffic.db --open", "look at a database"),
            ("tapline inspect traffic.db --rules rules.yaml", "try rules on a database"),
            ("tapline inspect a.ndjson b.har", "two recordings as one, by start time"),
            ("tapline inspect pipeline.yaml --open", "run a pipeline and watch it"),
        ],
        run: InspectCommand.run
    )
}

/// The options that show a pipeline while it runs.
package enum InspectionOptions {
    /// The prefix of the names of the options that `inspect` has, too.
    static let prefix = "inspect-"

    package static let all =
        [
            OptionDeclaration(
                name: "inspect",
                summary: "Show the exchanges as a web page while the pipeline runs."
            ),
            OptionDeclaration(
                name: "inspect-listen",
                value: "ADDRESS:PORT",
                summary: "Where the page is served; the default is 127.0.0.1:"
                    + "\(InspectArguments.defaultPort), or a free port. Any address but loopback needs "
                    + "TLS and a password."
            ),
            OptionDeclaration(
                name: "inspect-store",
                value: "FILE",
                summary: "Write the exchanges to this database too, and show it."
            ),
            OptionDeclaration(
                name: "inspect-actions",
                summary: "Allow replays and mocks on a page with a password."
            ),
            OptionDeclaration(name: "open", summary: "Open the page in the browser."),
        ] + RemoteOptions.declarations(prefix: prefix)

    package static let discussion =
        "With --inspect, the address of a page with the exchanges goes to standard error. It shows "
        + "the database of the first sink 'sqlite' or, without one, a temporary one of this user "
        + "that is removed at the end. If it cannot be served, a warning says why."
}
