// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSystem

extension DatabaseStore {
    /// Explains how a query is answered: what an index does, what a scan, what memory.
    func explain(_ query: StoreQuery, _ kind: ExplainedQuery) throws -> [StorePlan.Step] {
        let rows = try compiled(query)
        if rows.condition.isNever { return [.init("strategy", "no row can match; none is read")] }
        let text = try textSteps(rows)
        var steps =
            switch (kind, query.sort) {
            case _ where text?.isUsed == true: textUse(query, kind, rows)
            case (.count, _): try countSteps(rows, hasFilter: query.filter != nil)
            case (.results, let sort?): try sortSteps(query, sort)
            case (.results, nil): try scanSteps(query, rows)
            }
        if let text { steps = text.steps + steps }
        guard let filter = query.filter else { return steps }
        steps.append(.init("sql", SQLText.shown(rows.condition)))
        steps.append(.init("memory", memory(rows, filter)))
        if kind == .results, rows.reading != .wanted {
            steps.append(
                .init(
                    "results",
                    rows.isWhole ? "as read" : "each match is read again by its number"
                )
            )
        }
        return steps
    }

    // MARK: Strategies

    /// How the rows are read that the full-text index finds.
    private func textUse(
        _ query: StoreQuery,
        _ kind: ExplainedQuery,
        _ rows: RowQuery
    ) -> [StorePlan.Step] {
        switch (kind, query.sort) {
        case (.count, _): [.init("scan", threads("these rows, any order"))]
        case (.results, let sort?):
            [
                .init("scan", threads("these rows, any order")),
                .init("memory", keptText(query, sort)),
            ]
        case (.results, nil):
            [.init("scan", threads("these rows, \(rows.isForward ? "oldest" : "newest") first"))]
        }
    }

    private func scanSteps(_ query: StoreQuery, _ rows: RowQuery) throws -> [StorePlan.Step] {
        guard query.filter != nil, try IndexScan.isUseful(reader, for: rows) else {
            return [.init("scan", parallel(rows.isForward ? "oldest first" : "newest first"))]
        }
        var steps: [StorePlan.Step] = []
        if query.limit ?? .max <= Self.smallLimit {
            steps.append(.init("scan", "the first rows in order, until there are enough matches"))
        }
        steps += try indexSteps(rows)
        return steps
    }

    private func countSteps(_ rows: RowQuery, hasFilter: Bool) throws -> [StorePlan.Step] {
        if !hasFilter { return [.init("scan", "SQLite counts all rows")] }
        if try IndexScan.isUseful(reader, for: rows) { return try indexSteps(rows) }
        return [.init("scan", parallel("any order"))]
    }

    private func sortSteps(_ query: StoreQuery, _ sort: StoreSort) throws -> [StorePlan.Step] {
        let wanted = RowColumns(usedBy: [sort.field.field])
        let rows = try compiled(query, wanted: wanted)
        let kept = keptText(query, sort)
        switch try strategy(of: SortedQuery(query, sort, rows)) {
        case .filterIndex(let found, _):
            var steps = try indexSteps(rows)
            steps.append(.init("memory", "\(found.count) rows are read; \(kept)"))
            return steps
        case .sortedIndex(let index):
            return [
                .init("index", "\(index.name) has the order: \(index.select.inOneLine)"),
                .init("scan", parallel("afterwards, for exchanges without a value")),
            ]
        case .pass:
            return [.init("scan", parallel("any order")), .init("memory", kept)]
        }
    }

    private func indexSteps(_ rows: RowQuery) throws -> [StorePlan.Step] {
        try reader.naming {
            // A scan reads a whole table, or a whole index instead of it.
            try IndexScan.plan(reader, rows).map {
                StorePlan.Step($0.hasPrefix("SCAN") ? "scan" : "index", $0)
            }
        }
    }

    private func keptText(_ query: StoreQuery, _ sort: StoreSort) -> String {
        query.limit.map { "the first \($0) by \(sort.field.name) are kept" }
            ?? "all are sorted by \(sort.field.name)"
    }

    private func parallel(_ order: String) -> String { threads("all rows by number, \(order)") }

    private func threads(_ what: String) -> String {
        let threads = Processors.available
        return "\(what), on \(threads) \(threads == 1 ? "thread" : "threads")"
    }

    // MARK: Memory

    private func memory(_ rows: RowQuery, _ filter: Filter) -> String {
        guard !rows.condition.undecided.isEmpty else { return "nothing; SQLite decides every row" }
        let parts = rows.condition.undecided.map { part in
            let text = filter.text(of: part, hidingSecrets: true)
            return if case .or = part { "(\(text))" } else { text }
        }
        let columns = RowColumn.allCases.filter { rows.needed.columns.contains($0) }.map(\.name)
        let read = columns.isEmpty ? "" : " (reads \(columns.joined(separator: ", ")))"
        let which =
            rows.reading == .residue
            ? "every row for which the SQL holds" : "the rows that SQLite cannot decide"
        return "\(parts.joined(separator: " and ")), for \(which)\(read)"
    }
}

extension String {
    /// The text with single spaces instead of line ends and indentation.
    fileprivate var inOneLine: String {
        split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
