// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSQL

/// The keys of the exchanges of databases, by start time, then by id.
///
/// They are read once, in writing order, and sorted in a temporary table, about 40 bytes each:
/// databases need no index on start times, and no transaction stays open while a recording is
/// played. SQLite keeps 16 MiB of the table in memory and the rest in a temporary file.
final class OrderedKeys: RecordedKeys {
    /// How many rows are read before the next question whether they are wanted.
    private static let rowsPerQuestion = 4096

    private static let table = """
        PRAGMA temp.cache_size = -16384;
        PRAGMA temp.journal_mode = OFF;
        CREATE TEMP TABLE ordered_keys (
          started INTEGER NOT NULL,
          id BLOB NOT NULL,
          store INTEGER NOT NULL,
          seq INTEGER NOT NULL,
          bytes INTEGER NOT NULL,
          PRIMARY KEY (started, id, store, seq)
        ) STRICT, WITHOUT ROWID
        """

    private let stores: [RecordedStore]
    /// A connection to the first database, which also has the temporary table.
    private let reader: DatabaseReader
    private let rows: SQLiteStatement
    private(set) var count = 0
    /// After the last row, the statement would begin again.
    private var isAtEnd = false

    init(of stores: [RecordedStore], while isWanted: () -> Bool) throws {
        guard let first = stores.first else {
            throw StoreError(.missing, "there is no database to read")
        }
        let reader = try DatabaseReader.again(first.path)
        self.stores = stores
        self.reader = reader
        rows = try reader.naming {
            try reader.connection.execute(Self.table)
            return try reader.connection.prepare(
                """
                SELECT store, seq, id, bytes FROM temp.ordered_keys
                  ORDER BY started, id, store, seq
                """
            )
        }
        for (index, store) in stores.enumerated() {
            let source = index == 0 ? reader : try DatabaseReader.again(store.path)
            try collect(index, from: source, while: isWanted)
        }
    }

    /// Adds the keys of one database.
    private func collect(
        _ index: Int,
        from source: DatabaseReader,
        while isWanted: () -> Bool
    ) throws {
        let insertion = try reader.naming {
            try reader.connection.cached(
                "INSERT INTO temp.ordered_keys (started, id, store, seq, bytes) "
                    + "VALUES (?1, ?2, ?3, ?4, ?5)"
            )
        }
        try reader.naming {
            try reader.connection.transaction(.deferred) {
                try source.naming {
                    let query = try source.connection.prepare(
                        """
                        SELECT started, id, seq,
                            coalesce(request_size, 0) + coalesce(response_size, 0)
                          FROM exchanges NOT INDEXED WHERE seq <= ?1
                        """
                    )
                    try query.bind(1, integer: stores[index].lastNumber)
                    while try query.step() {
                        if count % Self.rowsPerQuestion == 0, !isWanted() { return }
                        try insertion.bind(1, integer: query.integer(0))
                        try query.withBlob(1) { id throws(SQLiteError) in
                            try insertion.bind(2, blob: id)
                        }
                        try insertion.bind(3, integer: Int64(index))
                        try insertion.bind(4, integer: query.integer(2))
                        try insertion.bind(5, integer: query.integer(3))
                        try insertion.run()
                        count += 1
                    }
                }
            }
        }
    }

    func next(maxCount: Int, maxBytes: Int) throws -> [RecordedKey] {
        try reader.naming {
            var keys: [RecordedKey] = []
            var left = Int64(clamping: maxBytes)
            while keys.count < maxCount, left > 0, !isAtEnd {
                guard try rows.step() else {
                    isAtEnd = true
                    break
                }
                let key = RecordedKey(
                    store: Int(clamping: rows.integer(0)),
                    number: rows.integer(1),
                    id: rows.withBlob(2) { ExchangeID(bytes: $0) }
                )
                keys.append(key)
                left = left.subtractingReportingOverflow(max(rows.integer(3), 0)).partialValue
            }
            return keys
        }
    }

    func rewind() {
        rows.reset()
        isAtEnd = false
    }

    func growth() throws -> [(store: RecordedStore, count: Int)] {
        var grown: [(store: RecordedStore, count: Int)] = []
        for (index, store) in stores.enumerated() {
            let source = index == 0 ? reader : try DatabaseReader.again(store.path)
            let count = try source.naming {
                let query = try source.connection.prepare(
                    "SELECT count(*) FROM exchanges WHERE seq > ?1"
                )
                try query.bind(1, integer: store.lastNumber)
                return try query.step() ? Int(clamping: query.integer(0)) : 0
            }
            if count > 0 { grown.append((store, count)) }
        }
        return grown
    }
}
