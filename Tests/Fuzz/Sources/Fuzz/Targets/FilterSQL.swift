// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineSQL
import TaplineStore

/// The compiler of filters to SQL: SQLite accepts the SQL of every filter and every parameter.
func fuzzFilterSQL(_ input: inout FuzzInput) {
    guard
        let filter = try? Filter(
            input.text,
            environment: ["HOST": "shop.test", "N": "200"],
            now: Timestamp(microseconds: 1_795_183_380_123_456),
            inStore: true
        )
    else { return }
    let condition = RowCondition(filter)
    require(condition.residue != nil || condition.certainty == "1", "rows without an answer")
    do {
        let connection = try SQLiteConnection()
        try connection.execute(schema)
        let statement = try connection.prepare(
            "SELECT e.seq, \(condition.certainty) FROM exchanges e WHERE \(condition.sql)"
        )
        require(statement.parameterCount == condition.values.count, "wrong parameters")
        try condition.bind(to: statement)
        while try statement.step() {}
    } catch {
        require(false, "SQLite rejects the SQL: \(error)")
    }
}

/// The tables of the SQLite sink that conditions refer to, with a row in each.
private let schema = """
    CREATE TABLE exchanges (seq INTEGER PRIMARY KEY, id BLOB, started INTEGER, source TEXT,
      state TEXT, method ANY, host INTEGER, path INTEGER, target ANY, version ANY, status INTEGER,
      total_us INTEGER, request_size INTEGER, response_size INTEGER, client TEXT, server TEXT,
      correlation TEXT, error_code TEXT, tags TEXT, request_body ANY, response_body ANY,
      fields TEXT, extra TEXT) STRICT;
    CREATE TABLE hosts (id INTEGER PRIMARY KEY, scheme ANY, authority ANY, host ANY, port INTEGER)
      STRICT;
    CREATE TABLE paths (id INTEGER PRIMARY KEY, template ANY) STRICT;
    CREATE TABLE bodies (id INTEGER PRIMARY KEY, hash BLOB, size INTEGER, content ANY) STRICT;
    CREATE TABLE notes (id INTEGER PRIMARY KEY, exchange INTEGER NOT NULL, text TEXT NOT NULL,
      author TEXT NOT NULL, mark TEXT NOT NULL, at INTEGER) STRICT;
    CREATE TABLE tags (exchange INTEGER NOT NULL, name TEXT NOT NULL, value TEXT,
      PRIMARY KEY (exchange, name)) STRICT, WITHOUT ROWID;
    INSERT INTO notes VALUES (1, 1, 'look', 'Ann', 'star', NULL);
    INSERT INTO tags VALUES (1, 'team', 'cart');
    INSERT INTO hosts VALUES (1, 'https', 'shop.test:8443', 'shop.test', 8443);
    INSERT INTO paths VALUES (1, '/cart/{id}');
    INSERT INTO bodies VALUES (1, x'00', 4, 'body');
    INSERT INTO exchanges VALUES (1, x'019312345678', 5, 'proxy', 'failed', 'POST', 1, 1,
      '/cart/7?x=1', 'HTTP/1.1', 200, 250000, 4, 4, '127.0.0.1:1', NULL, 'a', 'reset',
      '{"team":"checkout"}', 1, x'ff', '{"request":[["Host","shop.test"],["X-A","1"]]}',
      '{"tls":{"version":"TLSv1.3"},"bytes":{"up":{"line":1,"headers":2,"body":3}}}');
    """
