// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineStore

/// The commands that ask stores.
extension Commands {
    static let query = CommandDeclaration(
        name: "query",
        summary: "Find exchanges in databases and recordings.",
        operands: StoreOperands.all,
        options: [
            OptionDeclaration(
                name: "format",
                value: "FORMAT",
                choices: QueryOutput.Format.allCases.map(\.rawValue),
                summary: "The format of the results; the default is table."
            ),
            OptionDeclaration(
                name: "columns",
                value: "FIELDS",
                summary: "Show these fields, separated by commas, in a table, CSV or JSON."
            ),
            OptionDeclaration(name: "limit", value: "N", summary: "Show at most N exchanges."),
            OptionDeclaration(name: "oldest", summary: "Show the oldest exchanges first."),
            OptionDeclaration(
                name: "sort",
                value: "FIELD",
                summary: "Sort by a field; '-FIELD' shows the largest value first."
            ),
            OptionDeclaration(name: "reverse", summary: "Reverse the order of '--sort'."),
            OptionDeclaration(
                name: "after",
                value: "ID",
                summary: "Continue after the exchange with this id."
            ),
            CommonOptions.eachCopy,
            OptionDeclaration(name: "count", summary: "Print only the number of exchanges."),
            OptionDeclaration(
                name: "follow",
                summary: "Show the newest exchanges, 10 or N, and new ones until it is interrupted."
            ),
            OptionDeclaration(
                name: "explain",
                summary: "Print what an index does, what a scan and what memory, and no exchanges."
            ),
            OptionDeclaration(
                name: "save",
                value: "NAME",
                summary: "Save FILTER in the database under this name, and show nothing."
            ),
            OptionDeclaration(name: "filters", summary: "List the saved filters."),
            OptionDeclaration(name: "forget", value: "NAME", summary: "Remove a saved filter."),
            CommonOptions.noPager,
        ],
        discussion: [
            "The order of one store is the one in which it was written, newest first; several "
                + "stores are ordered by start time. Another process may write at the same time.",
            "A filter saved with '--save NAME' is '@NAME' in every command, also within a filter: "
                + "'not @a'. Interrupting a query shows what it has found, and on standard error "
                + "how far it got.",
            "Exit codes: 0 done, 1 not everything could be read, 64 wrong command line, 130 "
                + "interrupted.",
        ],
        examples: [
            ("tapline query traffic.db --sort -duration --limit 10", "the slowest exchanges"),
            ("tapline query traffic.db --columns started,path,status --format csv", "three fields"),
            ("tapline query traffic.db 'status >= 400' --follow", "failures as they happen"),
            ("tapline query a.db b.har.gz 'duration > 1s' --count", "in two stores"),
            ("tapline query a.db --save slow 'duration > 1s'", "for later, as '@slow'"),
        ],
        run: QueryCommand.run
    )

    static let stats = CommandDeclaration(
        name: "stats",
        summary: "Count and measure exchanges in databases and recordings.",
        operands: StoreOperands.all,
        options: [
            OptionDeclaration(
                name: "by",
                value: "FIELDS",
                summary: "Group by fields of the filter language, separated by commas."
            ),
            OptionDeclaration(
                name: "every",
                value: "TIME",
                summary: "Group by time, in buckets of this width, such as 1m."
            ),
            OptionDeclaration(
                name: "top",
                value: "N",
                summary: "Show only the first N rows, of each time bucket."
            ),
            OptionDeclaration(
                name: "sort",
                value: "ORDER",
                choices: StatsOrder.allCases.map(\.rawValue),
                summary: "Show the largest first, or with 'key' the smallest values; the default "
                    + "is count."
            ),
            OptionDeclaration(
                name: "apis",
                summary: "Describe each route: methods, statuses, sizes, latencies, callers."
            ),
            OptionDeclaration(
                name: "format",
                value: "FORMAT",
                choices: StatsArguments.Format.allCases.map(\.rawValue),
                summary: "The format of the results; the default is table."
            ),
            CommonOptions.eachCopy,
        ],
        discussion: [
            "Errors are exchanges that failed or have a status of at least 500. 'up' and 'down' are "
                + "the sizes of bodies on the wire. Times are those of exchanges with a response, "
                + "accurate to 1 %. Rates are per second, from the first to the last exchange.",
            "A route is a path with {id} for segments that vary. The last line of a table is the "
                + "total of all matching exchanges, also of those without a row.",
            "Interrupting it counts what was read until then.",
            "Exit codes: 0 done, 1 not everything could be read, 64 wrong command line, 130 "
                + "interrupted.",
        ],
        examples: [
            ("tapline stats traffic.db --by route,status", "counts and times of each route"),
            ("tapline stats traffic.db 'status >= 500' --by host --every 1h", "errors by hour"),
            ("tapline stats traffic.db --apis --top 10", "the ten most used routes"),
        ],
        run: StatsCommand.run
    )
}

/// The operands of commands that ask stores.
enum StoreOperands {
    static let store = Operand(
        name: "STORE",
        summary: "A database of the sink 'sqlite', NDJSON or HAR, a folder, a pattern, or "
            + "'-' for standard input.",
        repeats: true,
        kind: .file
    )
    static let id = Operand(
        name: "ID",
        summary: "The id or its first digits, at least four; or 'last' or 'first'.",
        kind: .id
    )
    static let all = [
        store,
        Operand(
            name: "FILTER",
            summary: "The condition, as after 'when:', or '@NAME'; without it, all match.",
            isRequired: false,
            kind: .filter
        ),
    ]
}
