// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineSQL
import TestSupport

@testable import SQLiteSink
@testable import TaplineStore

/// A store of exchanges, which are also in memory.
final class SQLStore {
    let exchanges: [Exchange]
    let connection: SQLiteConnection
    private let folder: TemporaryFolder

    /// Writes the exchanges; some bodies are compressed, some are in files.
    init(_ exchanges: [Exchange], pathTemplates: Int = 10_000) throws {
        self.exchanges = exchanges
        folder = try TemporaryFolder()
        var settings = SQLiteSinkSettings(path: "\(folder.path)/store.db")
        settings.compress = true
        settings.inlineBodyMax = 10_000
        settings.pathTemplates = pathTemplates
        let sink = try SQLiteSink(
            settings: settings,
            context: SinkContext(id: "sqlite", log: .none, now: { Timestamp(microseconds: 0) })
        )
        var chain = RecordChain(digests: true)
        var records: [Record] = []
        for exchange in exchanges {
            guard case .sealed(let record) = chain.seal(exchange) else {
                throw SinkError(.refused, "not sealed")
            }
            records.append(record)
        }
        _ = try sink.write(records)
        try sink.close()
        connection = try SQLiteConnection(
            path: settings.path,
            options: SQLiteOptions(mode: .readOnly)
        )
    }

    /// The positions of the exchanges that match in memory.
    func matches(inMemory filter: Filter) -> [Int] {
        exchanges.indices.filter { filter.matches(exchanges[$0]) }
    }

    /// The positions of the exchanges that match by SQL, and how many SQL left to memory.
    func matches(_ condition: RowCondition) throws -> (positions: [Int], undecided: Int) {
        let statement = try connection.prepare(
            """
            SELECT e.seq, \(condition.certainty) FROM exchanges e WHERE \(condition.sql)
              ORDER BY e.seq
            """
        )
        try condition.bind(to: statement)
        var positions: [Int] = []
        var undecided = 0
        while try statement.step() {
            let position = Int(statement.integer(0)) - 1
            if statement.integer(1) == 1 {
                positions.append(position)
            } else {
                undecided += 1
                if condition.residue?.matches(exchanges[position]) == true {
                    positions.append(position)
                }
            }
        }
        return (positions, undecided)
    }
}

/// Parses a filter as a query does.
func parse(_ text: String) throws -> Filter {
    try Filter(
        text,
        environment: ["E": "a"],
        now: Timestamp(microseconds: 1025),
        inStore: true
    )
}
