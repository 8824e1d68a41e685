// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Passwords before an at sign, in URLs (RFC 3986 §3.2.1) and in Go's data source names.
enum UserInfo {
    /// The kinds of text that contain the at sign.
    enum Place {
        /// The URL of a database or a broker.
        case database
        /// Any other URL.
        case other
        /// `user:password@tcp(host)/name`.
        case dataSource
    }

    /// The schemes of databases and brokers; a plus sign and a driver name may follow them.
    static let databases: Set<String> = [
        "amqp", "amqps", "clickhouse", "cockroachdb", "couchbase", "couchdb", "db2", "influxdb",
        "jdbc", "kafka", "ldap", "ldaps", "mariadb", "mongodb", "mqtt", "mqtts", "mssql", "mysql",
        "nats", "neo4j", "oracle", "pgsql", "postgis", "postgres", "postgresql", "redis", "rediss",
        "snowflake", "sqlserver", "valkey",
    ]

    /// Returns the scheme whose name and `://` end at a position.
    static func scheme(in text: Span<UInt8>, before start: Int) -> Range<Int>? {
        var end = start
        for _ in 0..<2 {
            guard text.byte(end - 1) == 0x2F else { return nil }
            // JSON may escape a slash with a backslash.
            end -= text.byte(end - 2) == 0x5C ? 2 : 1
        }
        guard text.byte(end - 1) == 0x3A else { return nil }
        let name = text.start(of: .scheme, before: end - 1, limit: 24)
        return name < end - 1 ? name..<end - 1 : nil
    }
}

extension CheckMemory {
    /// Returns the password before the last of adjacent at signs if it is in a text of the given
    /// kind.
    ///
    /// **Limits.** Text before the previous at sign is not read again.
    mutating func userInfo(
        in text: Span<UInt8>,
        at position: Int,
        of place: UserInfo.Place
    ) -> Range<Int>? {
        if lastAtSign.position != position { advance(to: position, in: text) }
        let start = lastAtSign.start
        // No client accepts a URL with a longer name and password.
        guard let colon = lastAtSign.colon, lastAtSign.row - start <= 1_024, colon + 1 < position,
            !Placeholder.isOne(text.extracting(colon + 1..<position))
        else { return nil }
        let matches: Bool
        switch (place, UserInfo.scheme(in: text, before: start)) {
        case (.dataSource, nil):
            matches =
                text.hasBytes("tcp(", at: position + 1) || text.hasBytes("unix(", at: position + 1)
        case (.dataSource, _), (_, nil): return nil
        case (_, let scheme?):
            // `postgresql+asyncpg` and `mongodb+srv` are databases as well.
            let name = text.extracting(scheme)
            let first = name.end(of: .alphanumeric, from: 0)
            let isDatabase = UserInfo.databases.contains(lowercased(name.extracting(0..<first)))
            matches = isDatabase == (place == .database)
        }
        return matches ? colon + 1..<position : nil
    }

    private mutating func advance(to position: Int, in text: Span<UInt8>) {
        let last = lastAtSign
        let limit = max(last.position, 0)
        let row = text.start(of: .atSign, before: position, limit: position - limit)
        let start = text.start(of: .userInfo, before: row, limit: row - limit)
        let joins = start == limit && last.position >= 0
        var colon = joins ? last.colon : nil
        if colon == nil {
            colon = text.extracting(0..<position).firstIndex(of: 0x3A, from: start)
        }
        lastAtSign = LastAtSign(
            position: position,
            row: row,
            start: joins ? last.start : start,
            colon: colon
        )
    }

    private func lowercased(_ bytes: Span<UInt8>) -> String {
        String(decoding: Array(lowercasing: bytes), as: UTF8.self)
    }
}

extension ByteSet {
    fileprivate static let atSign = ByteSet("@") { $0 == 0x40 }
    fileprivate static let scheme = ByteSet("0-9A-Za-z+.-") { byte in
        dashed.contains(byte) || byte == 0x2B || byte == 0x2E
    }
    /// The bytes of a name and a password: all but those that end an authority or a text.
    fileprivate static let userInfo = ByteSet("…") { byte in
        byte > 0x20 && byte != 0x7F && byte != 0x22 && byte != 0x27 && byte != 0x2F && byte != 0x3C
            && byte != 0x3E && byte != 0x3F && byte != 0x5C && byte != 0x60
    }
}
