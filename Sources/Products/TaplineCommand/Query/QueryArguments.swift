// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore

/// The arguments of `tapline query`, read from the command line.
struct QueryArguments {
    /// What is done with the matches.
    enum Task: Equatable {
        case show, count, follow
    }

    /// The stores and the filter.
    let stores: StoreArguments
    let task: Task
    /// Whether only the way to the answer is printed.
    let isExplained: Bool
    /// The maximum number of exchanges.
    let limit: Int?
    /// The id after which the results begin.
    private(set) var after: ExchangeID?
    let order: StoreOrder
    let sort: StoreSort?
    let format: QueryOutput.Format
    /// The fields that are shown; `nil` for what the format shows by itself.
    let columns: [FieldReference]?

    init(_ invocation: Invocation) throws {
        stores = try StoreArguments(invocation)
        task = invocation.has("count") ? .count : invocation.has("follow") ? .follow : .show
        isExplained = invocation.has("explain")
        limit = try invocation.number("limit")
        order = invocation.has("oldest") ? .oldestFirst : .newestFirst
        sort = try Self.sort(invocation)
        format = invocation.value("format").flatMap(QueryOutput.Format.init(rawValue:)) ?? .table
        columns = try invocation.value("columns").map { text throws(UsageError) in
            try Self.fields(text, of: "columns")
        }
        if let text = invocation.value("after") {
            guard let after = ExchangeID(text) else {
                throw UsageError(
                    message: "wrong value of '--after'; found '\(text)', expected an id of 36 "
                        + "characters, as '--format ids' prints them"
                )
            }
            self.after = after
        }
        try check(invocation)
    }

    private static func fields(
        _ text: String,
        of option: String
    ) throws(UsageError) -> [FieldReference] {
        do throws(FilterError) {
            return try FieldReference.list(text)
        } catch {
            throw UsageError("wrong value of '--\(option)'", text, error)
        }
    }

    /// `--sort FIELD`, or `--sort -FIELD` for the largest value first.
    private static func sort(_ invocation: Invocation) throws(UsageError) -> StoreSort? {
        guard let text = invocation.value("sort") else {
            guard invocation.has("reverse") else { return nil }
            throw UsageError(
                message: "'--reverse' needs '--sort'",
                help: "'--oldest' shows the oldest exchanges first"
            )
        }
        let isDescending = text.hasPrefix("-")
        let fields = try fields(isDescending ? String(text.dropFirst()) : text, of: "sort")
        guard fields.count == 1, let field = fields.first else {
            throw UsageError(
                message: "wrong value of '--sort'; found \(fields.count) fields, expected one"
            )
        }
        return StoreSort(field, isDescending: isDescending != invocation.has("reverse"))
    }

    /// Rejects options that contradict each other.
    private func check(_ invocation: Invocation) throws(UsageError) {
        func exclude(_ others: [String], _ reason: String) throws(UsageError) {
            guard let other = others.first(where: invocation.has) else { return }
            throw UsageError(message: "\(reason) and excludes '--\(other)'")
        }
        switch task {
        case .count:
            try exclude(
                ["limit", "after", "oldest", "format", "sort", "columns", "follow"],
                "'--count' counts all matches"
            )
        case .follow:
            try exclude(
                ["oldest", "sort", "explain"],
                "'--follow' shows exchanges as they are written"
            )
            if format.needsEnd {
                throw UsageError(
                    message: "'--follow' has no end, which '--format \(format.rawValue)' needs",
                    help: "'--format ndjson' writes one record a line"
                )
            }
        case .show: break
        }
        if sort != nil { try exclude(["oldest"], "'--sort' determines the order") }
        if columns != nil, !format.hasColumns {
            throw UsageError(
                message: "'--format \(format.rawValue)' has no columns to choose; expected "
                    + "'--columns' with table, ndjson, json, csv"
            )
        }
    }
}
