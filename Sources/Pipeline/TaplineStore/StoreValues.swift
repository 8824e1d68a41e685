// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL
internal import TaplineSystem

/// A kind of value that completions of shells offer.
package enum StoreValueKind: String, Sendable, CaseIterable {
    /// Values of the field `host`.
    case hosts
    /// Ids of exchanges, the newest first.
    case ids
    /// Values of the field `route`.
    case routes
}

/// A value that a store has.
package struct StoreValue: Sendable, Hashable {
    /// The value.
    package let text: String
    /// What it stands for; empty if it needs no explanation.
    package var note = ""
}

extension Store {
    /// Returns some of the values that begin with a text; never changes the store.
    ///
    /// A database is asked for the rows that it has for hosts and routes, and for its newest
    /// exchanges, whatever their number. Of a recording, what can be read in the given time is
    /// searched.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - prefix: The first characters of the values.
    ///   - limit: The maximum number of values.
    ///   - time: How long a recording is read.
    /// - Returns: The values, each once.
    /// - Throws: `StoreError` if the store cannot be read.
    package func values(
        _ kind: StoreValueKind,
        beginning prefix: String = "",
        limit: Int = 100,
        within time: Duration = .milliseconds(40)
    ) throws -> [StoreValue] {
        switch content {
        case .database(let store):
            switch kind {
            case .hosts: try store.names("host", of: "hosts", prefix, limit)
            case .routes: try store.routes(prefix, limit)
            case .ids: try store.ids(prefix, limit)
            }
        case .recording(let store):
            try store.values(kind, prefix, limit, until: .now + time)
        }
    }
}

extension StoreValue {
    /// The id of an exchange, with its request line and its status.
    fileprivate init(_ exchange: Exchange) {
        text = exchange.id.description
        let status = exchange.response.map { "\($0.status)" } ?? exchange.state.name
        // Without the query, which may have secrets.
        let request = exchange.request
        let path = ByteString(request.target.span.extracting(request.pathRange))
        note = "\(request.method) \(request.host)\(path) \(status)"
    }
}

extension DatabaseStore {
    /// The ids of the newest exchanges.
    fileprivate func ids(_ prefix: String, _ limit: Int) throws -> [StoreValue] {
        var values: [StoreValue] = []
        func take(_ exchange: Exchange) {
            let value = StoreValue(exchange)
            if value.text.hasPrefix(prefix) { values.append(value) }
        }
        guard let digits = IDPrefix(prefix) else {
            try scan(StoreQuery(limit: limit, parts: [])) { take($1) }
            return values
        }
        defer { report(reader.problems.take()) }
        try reader.snapshot {
            // Ids sort by start time.
            let layout = RowLayout(RowColumns(StoreParts()))
            let query = try reader.connection.prepare(
                "SELECT \(layout.selection) FROM exchanges e WHERE e.id BETWEEN ?1 AND ?2 "
                    + "ORDER BY e.id DESC LIMIT ?3"
            )
            let (first, last) = (digits.first.bytes, digits.last.bytes)
            try query.bind(1, blob: first.span)
            try query.bind(2, blob: last.span)
            try query.bind(3, integer: Int64(clamping: limit))
            while try query.step() {
                if let row = try reader.decode(query, layout) { take(row.exchange) }
            }
        }
        return values
    }

    /// The texts of a column that has an index, in their order.
    fileprivate func names(
        _ column: String,
        of table: String,
        _ prefix: String,
        _ limit: Int
    ) throws -> [StoreValue] {
        try reader.naming {
            let query = try reader.connection.prepare(
                """
                SELECT DISTINCT \(column) FROM \(table) WHERE \(column) >= ?1 AND \(column) <> ''
                  ORDER BY \(column) LIMIT ?2
                """
            )
            try query.bind(1, text: prefix)
            try query.bind(2, integer: Int64(clamping: limit))
            var values: [StoreValue] = []
            // Blobs, which are not UTF-8, come after all texts.
            while try query.step(), query.type(0) == .text, let text = query.text(0),
                text.hasPrefix(prefix)
            {
                values.append(StoreValue(text: text))
            }
            return values
        }
    }

    /// The path templates, as the field `route` has them.
    fileprivate func routes(_ prefix: String, _ limit: Int) throws -> [StoreValue] {
        guard reader.schema < 2 else { return try names("template", of: "paths", prefix, limit) }
        // The first schema has `*` in place of `{id}`.
        let old = prefix.prefix { $0 != "{" }
        return try names("template", of: "paths", String(old), limit).compactMap { value in
            let parts = value.text.split(separator: "/", omittingEmptySubsequences: false)
            let text = parts.map { $0 == "*" ? "{id}" : $0 }.joined(separator: "/")
            return text.hasPrefix(prefix) ? StoreValue(text: text) : nil
        }
    }
}

extension RecordingStore {
    /// How many exchanges are read before the next question whether the time is over.
    private static var valuesPerQuestion: Int { 64 }

    /// The values of the first exchanges, until there are enough or the time is over.
    fileprivate func values(
        _ kind: StoreValueKind,
        _ prefix: String,
        _ limit: Int,
        until end: ContinuousClock.Instant
    ) throws -> [StoreValue] {
        let field = try FieldReference.list(kind == .hosts ? "host" : "route")[0]
        var values: [StoreValue] = []
        var found: Set<String> = []
        var count = 0
        try read { _, exchange in
            var value = StoreValue(exchange)
            if kind != .ids {
                guard case .text(let bytes) = field.value(in: exchange) else { return true }
                value = StoreValue(text: String(decoding: bytes, as: UTF8.self))
            }
            if value.text.hasPrefix(prefix), found.insert(value.text).inserted {
                values.append(value)
            }
            count += 1
            let isInTime = count % Self.valuesPerQuestion != 0 || ContinuousClock.now < end
            return isInTime && values.count < limit
        }
        return kind == .ids ? values : values.sorted { $0.text < $1.text }
    }
}
