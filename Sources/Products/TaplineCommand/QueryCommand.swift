// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineModel
internal import TaplineStore
internal import TaplineSystem

/// `tapline query STORE... [FILTER]`.
enum QueryCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        var isShown = true
        let code = invocation.askStores {
            let arguments = try QueryArguments(invocation)
            let stores = try arguments.stores.open(invocation.console)
            if arguments.isCount {
                invocation.console.print("\(try stores.count(arguments.stores.filter))")
            } else {
                isShown = try show(arguments, of: stores, on: invocation)
            }
            return stores
        }
        return isShown ? code : .failure
    }

    /// Writes the results.
    ///
    /// - Returns: Whether the pager, if there is one, could be run.
    private static func show(
        _ arguments: QueryArguments,
        of stores: StoreSet,
        on invocation: Invocation
    ) throws -> Bool {
        let paged = PagedOutput(invocation, isPaged: arguments.format == .table)
        // Results that take long to find are shown when they are found, without a pager.
        let patience = DispatchWorkItem { paged.stopWaiting() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200), execute: patience)
        defer { patience.cancel() }
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
            return paged.finish()
        } catch {
            output.flush()
            _ = paged.finish()
            throw error
        }
        output.flush()
        return paged.finish()
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
