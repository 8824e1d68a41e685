// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineSQL
import TaplineTesting
import TestSupport

@testable import SQLiteSink

/// Databases that the sink `sqlite` writes.
enum StoredTraffic {
    /// Writes exchanges to a database; adds to an existing one.
    static func write(_ exchanges: [Exchange], to path: String) throws {
        let sink = try open(path)
        try write(exchanges, to: sink)
        try sink.close()
    }

    /// A sink that stays open.
    static func open(_ path: String) throws -> any Sink {
        let context = SinkContext(id: "sqlite", now: { Timestamp(microseconds: 0) })
        return try SQLiteSink(settings: SQLiteSinkSettings(path: path), context: context)
    }

    /// Writes exchanges to a sink.
    static func write(_ exchanges: [Exchange], to sink: any Sink) throws {
        var chain = RecordChain(digests: true)
        let records = exchanges.compactMap { exchange -> Record? in
            guard case .sealed(let record) = chain.seal(exchange) else { return nil }
            return record
        }
        _ = try sink.write(records)
    }

    /// Changes a database with SQL.
    static func change(_ path: String, _ sql: String) throws {
        let connection = try SQLiteConnection(path: path)
        try connection.execute(sql)
        try connection.close()
    }

    /// Exchanges in order; each four of them began at the same time, and some have large bodies.
    static func exchanges(_ count: Int) -> [Exchange] {
        (0..<count).map { number in
            let size = number % 50 == 7 ? 100_000 : number % 5 == 1 ? 300 : 10
            var exchange = Exchange.example(
                number,
                body: "\(number)" + String(repeating: "x", count: size)
            )
            exchange.started = Exchange.example(number / 4 * 4).started
            return exchange
        }
    }
}
