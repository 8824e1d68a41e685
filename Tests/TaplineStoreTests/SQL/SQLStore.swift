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
        var changed = exchanges
        try Self.changeTags(of: &changed, settings.path)
        self.exchanges = changed
        connection = try SQLiteConnection(
            path: settings.path,
            options: SQLiteOptions(mode: .readOnly)
        )
    }

    /// Changes tags as people do, in the database and in memory.
    private static func changeTags(of exchanges: inout [Exchange], _ path: String) throws {
        let connection = try SQLiteConnection(path: path)
        let insert = try connection.cached("INSERT INTO tags VALUES (?1, ?2, ?3)")
        for position in exchanges.indices where position % 3 == 0 {
            let name = position % 2 == 0 ? "team" : "t\"1"
            let value = [nil, "a", "", "x\u{0}y", "GET"][position / 3 % 5]
            try insert.bind(1, integer: Int64(position + 1))
            try insert.bind(2, text: name)
            if let value { try insert.bind(3, text: value) }
            try insert.run()
            exchanges[position].tags[name] = value
        }
        try connection.close()
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
