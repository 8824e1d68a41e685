// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// Reads exchanges of recorded databases by their keys, with a connection of its own to each.
///
/// Each exchange is read in a transaction of its own: a recording may be played for hours, and a
/// transaction that stays open lets the write-ahead log grow.
final class RecordedExchangeReader: RecordedReader {
    /// How many databases stay open; with one more, all are closed.
    private static let maxOpen = 16

    private struct Database {
        let reader: DatabaseReader
        let row: RowStatement
    }

    private let maxBytes: Int
    private var databases: [String: Database] = [:]

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    func exchange(_ key: RecordedKey, in store: RecordedStore) throws -> RecordedExchange? {
        do {
            let database = try database(store.path)
            let reader = database.reader
            let found = try reader.snapshot { try reader.exchange(key.number, database.row) }
            let problem = reader.problems.take().messages.first.map { "\($0)\(Self.name(key))" }
            guard let (found, exchange) = found else {
                guard let problem else { return nil }
                throw BrokenExchange(description: problem)
            }
            // Another exchange may have taken the number of one that was removed.
            guard found.id == key.id else { return nil }
            let size = Self.size(exchange)
            guard size <= maxBytes else {
                throw BrokenExchange(
                    description: "'\(store.path)': row \(key.number): the exchange is too large; "
                        + "found \(size) bytes, expected at most \(maxBytes)\(Self.name(key))"
                )
            }
            return RecordedExchange(exchange, warning: problem)
        } catch let error as StoreError {
            throw BrokenExchange(description: "\(error)\(Self.name(key))")
        }
    }

    private func database(_ path: String) throws -> Database {
        if let database = databases[path] { return database }
        if databases.count >= Self.maxOpen { databases.removeAll() }
        let reader = try DatabaseReader.again(path, maxBodyBytes: maxBytes)
        let row = try reader.naming { try reader.rowStatement(.all) }
        let database = Database(reader: reader, row: row)
        databases[path] = database
        return database
    }

    /// The end of a message about an exchange.
    private static func name(_ key: RecordedKey) -> String {
        key.id.map { " (exchange \($0))" } ?? ""
    }

    /// The size of the bodies and messages.
    private static func size(_ exchange: borrowing Exchange) -> Int {
        var size = exchange.request.body.bytes.count
        size += exchange.response?.body.bytes.count ?? 0
        for message in exchange.messages { size += message.bytes.count }
        return size
    }
}

/// Why an exchange of a recorded database cannot be read.
struct BrokenExchange: Error, CustomStringConvertible {
    let description: String
}
