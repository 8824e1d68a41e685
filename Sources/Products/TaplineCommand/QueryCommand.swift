// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineStore
internal import TaplineSystem

/// `tapline query STORE... [FILTER]`.
enum QueryCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        invocation.askStores {
            let arguments = try QueryArguments(invocation)
            let stores = try arguments.stores.open(invocation.console)
            if arguments.isCount {
                invocation.console.print("\(try stores.count(arguments.stores.filter))")
            } else {
                try show(arguments, of: stores, on: invocation)
            }
            return stores
        }
    }

    private static func show(
        _ arguments: QueryArguments,
        of stores: StoreSet,
        on invocation: Invocation
    ) throws {
        let paged = PagedOutput(invocation, isPaged: arguments.format == .table)
        // Results that take long to find are shown when they are found, without a pager.
        let patience = Task {
            try await Task.sleep(for: .milliseconds(200))
            paged.stopWaiting()
        }
        defer {
            patience.cancel()
            _ = paged.finish()
        }
        var output = QueryOutput(
            arguments.format,
            to: paged,
            console: invocation.console,
            isColoured: invocation.usesColours
        )
        let query = StoreQuery(
            arguments.stores.filter,
            order: arguments.order,
            after: try arguments.after.map { try stores.key(of: $0) },
            limit: arguments.limit,
            parts: output.parts
        )
        do {
            try stores.forEach(query) { try output.write($0.exchange) }
        } catch is OutputClosed {
            return
        } catch {
            output.flush()
            throw error
        }
        output.flush()
    }
}

/// What `tapline query` is asked, read from the command line.
struct QueryArguments {
    /// The stores and the filter.
    let stores: StoreArguments
    /// The maximum number of exchanges.
    let limit: Int?
    /// The id after which the results begin.
    private(set) var after: ExchangeID?
    let order: StoreOrder
    let format: QueryOutput.Format
    /// Whether only the number of matches is wanted.
    let isCount: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        stores = try StoreArguments(invocation)
        limit = try invocation.number("limit")
        order = invocation.has("oldest") ? .oldestFirst : .newestFirst
        format = invocation.value("format").flatMap(QueryOutput.Format.init(rawValue:)) ?? .table
        isCount = invocation.has("count")
        if let text = invocation.value("after") {
            guard let after = ExchangeID(text) else {
                throw UsageError(
                    message: "wrong value of '--after'; found '\(text)', expected an id of 36 "
                        + "characters, as '--format ids' prints them"
                )
            }
            self.after = after
        }
        let others = ["limit", "after", "oldest", "format"].filter { invocation.has($0) }
        if isCount, let other = others.first {
            throw UsageError(message: "'--count' counts all matches and excludes '--\(other)'")
        }
    }
}

extension Invocation {
    /// Whether standard output gets colours: only a terminal does, unless `NO_COLOR` is set
    /// (https://no-color.org).
    var usesColours: Bool {
        console.outputIsTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    }
}
