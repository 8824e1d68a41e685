// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// `tapline query STORE... [FILTER]`.
enum QueryCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        let console = invocation.console
        do {
            let arguments = try QueryArguments(invocation)
            let stores = try StoreSet(arguments.stores) { console.note("warning: \($0)") }
            if arguments.isCount {
                console.print("\(try stores.count(arguments.filter))")
            } else {
                try show(arguments, of: stores, on: invocation)
            }
            return stores.problems > 0 ? .failure : .success
        } catch let error as UsageError {
            console.note("tapline: error: \(error.message)")
            if let help = error.help { console.note("help: \(help)") }
            return .usage
        } catch {
            console.note("tapline: error: \(error)")
            return .failure
        }
    }

    private static func show(
        _ arguments: QueryArguments,
        of stores: StoreSet,
        on invocation: Invocation
    ) throws {
        var output = QueryOutput(
            arguments.format,
            console: invocation.console,
            isColoured: invocation.usesColours
        )
        let query = StoreQuery(
            arguments.filter,
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
    /// The names of the stores.
    private(set) var stores: [String]
    private(set) var filter: Filter?
    private(set) var limit: Int?
    /// The id after which the results begin.
    private(set) var after: ExchangeID?
    let order: StoreOrder
    let format: QueryOutput.Format
    /// Whether only the number of matches is wanted.
    let isCount: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        stores = invocation.operands
        order = invocation.has("oldest") ? .oldestFirst : .newestFirst
        format = invocation.value("format").flatMap(QueryOutput.Format.init(rawValue:)) ?? .table
        isCount = invocation.has("count")
        if stores.count > 1, let last = stores.last, !Self.isStore(last) {
            stores.removeLast()
            filter = try Self.filter(last, invocation.environment)
        }
        if let text = invocation.value("limit") {
            guard let limit = Int(text), limit >= 0 else {
                throw UsageError(
                    message: "wrong value of '--limit'; found '\(text)', expected a number"
                )
            }
            self.limit = limit
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
        let others = ["limit", "after", "oldest", "format"].filter { invocation.has($0) }
        if isCount, let other = others.first {
            throw UsageError(message: "'--count' counts all matches and excludes '--\(other)'")
        }
    }

    /// Whether an operand names a store rather than a filter.
    private static func isStore(_ text: String) -> Bool {
        if text == "-" { return true }
        // A text that cannot be a path names no store.
        return ((try? StoreFiles.resolve(text)) ?? []).isEmpty == false
            || (try? FileSystem.status(of: text)) != nil
    }

    private static func filter(
        _ text: String,
        _ environment: Environment
    ) throws(UsageError) -> Filter {
        do throws(FilterError) {
            return try Filter(text, environment: environment.variables)
        } catch {
            let column = text.utf8.prefix(error.offset).filter { $0 & 0xC0 != 0x80 }.count + 1
            let isWord = !text.utf8.contains(UInt8(ascii: " "))
            let start = isWord ? "there is no file '\(text)', and it is not a filter" : "filter"
            throw UsageError(
                message: "\(start): \(error.message) (column \(column))",
                help: error.help
            )
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
