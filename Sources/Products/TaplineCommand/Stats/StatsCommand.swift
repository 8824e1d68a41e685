// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore

/// `tapline stats STORE... [FILTER]`.
enum StatsCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        var isInterrupted = false
        let code = invocation.askStores {
            let arguments = try StatsArguments(invocation)
            let console = invocation.console
            let stores = try arguments.stores.open(console)
            let query = arguments.query
            let watch = QueryWatch(console)
            let result: StatsResult
            do {
                defer { watch.end() }
                result = try stores.stats(query, progress: watch.progress)
            }
            isInterrupted = watch.progress.isCancelled
            if isInterrupted {
                watch.noteInterrupt("\(Counted.text(result.total.count, "exchange")) counted")
            }
            if result.isLimited {
                console.note(
                    "warning: there are more than \(StatsQuery.maxGroups) groups; further "
                        + "exchanges are in the row of others"
                )
            }
            switch (arguments.format, arguments.isOfAPIs) {
            case (.table, false):
                let report = StatsReport(query, result)
                var text = StatsText(
                    width: console.outputWidth,
                    hasBars: console.outputIsTerminal,
                    isColoured: invocation.usesColours
                )
                console.write(text.write(report))
            case (.table, true):
                var report = APIReport(isColoured: invocation.usesColours)
                console.write(report.write(result))
            case (.csv, _): console.writeLines(StatsCSV.text(query, result))
            case (.json, false): console.write(StatsJSON.text(query, result))
            case (.json, true): console.write(APIReport.json(result))
            }
            return stores
        }
        return isInterrupted ? .interrupted : code
    }
}

/// The arguments of `tapline stats`, read from the command line.
struct StatsArguments {
    /// The formats of statistics.
    enum Format: String, CaseIterable {
        case table
        case csv
        case json
    }

    /// The stores and the filter.
    let stores: StoreArguments
    let query: StatsQuery
    let format: Format
    /// Whether each route is described instead of counted.
    let isOfAPIs: Bool

    init(_ invocation: Invocation) throws {
        stores = try StoreArguments(invocation)
        format = invocation.value("format").flatMap(Format.init(rawValue:)) ?? .table
        isOfAPIs = invocation.has("apis")
        let top = try invocation.number("top")
        let order = invocation.value("sort").flatMap(StatsOrder.init(rawValue:)) ?? .count
        if isOfAPIs {
            if let other = ["by", "every"].first(where: invocation.has) {
                throw UsageError(
                    message: "'--apis' groups by host and route, and excludes '--\(other)'"
                )
            }
            if format == .csv {
                throw UsageError(message: "'--apis' has the formats table and json only")
            }
            query = StatsQuery(
                stores.filter,
                by: [.authority] + (try Self.fields("route")),
                breakdowns: try Self.fields("method,status") + [.caller],
                top: top,
                order: order
            )
        } else {
            query = StatsQuery(
                stores.filter,
                by: try invocation.value("by").map(Self.fields) ?? [],
                every: try Self.width(invocation.value("every")),
                top: top,
                order: order
            )
        }
    }

    private static func fields(_ text: String) throws(UsageError) -> [StatsField] {
        do throws(FilterError) {
            return try StatsField.list(text)
        } catch {
            throw UsageError("wrong value of '--by'", text, error)
        }
    }

    private static func width(_ text: String?) throws(UsageError) -> Microseconds? {
        guard let text else { return nil }
        guard let time = DurationArgument.parse(text), Microseconds(time).count > 0 else {
            throw UsageError(
                message: "wrong value of '--every'; found '\(text)', expected a time such as 1m"
            )
        }
        return Microseconds(time)
    }
}
