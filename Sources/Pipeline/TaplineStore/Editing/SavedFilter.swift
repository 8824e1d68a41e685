// SPDX-License-Identifier: MIT

internal import TaplineSQL

/// A filter that a database keeps under a name.
package struct SavedFilter: Sendable, Equatable {
    /// The longest name, in bytes.
    package static let maxName = 64

    /// The name: letters, digits, `-`, `_` and `.`.
    package let name: String
    /// The filter as it was written.
    package let text: String

    /// Creates a filter with a name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - text: The filter, which is not checked here.
    /// - Throws: `StoreError` if the name is not allowed.
    package init(name: String, text: String) throws(StoreError) {
        guard name.utf8.allSatisfy(Self.allows), 1...Self.maxName ~= name.utf8.count else {
            throw StoreError(
                .badValue,
                "wrong name of a filter; expected 1 to \(Self.maxName) letters, digits, '-', '_' "
                    + "or '.'"
            )
        }
        self.name = name
        self.text = text
    }

    /// Returns whether a name may have a byte.
    package static func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
    }

    fileprivate init(stored row: SQLiteStatement) {
        name = row.text(0) ?? ""
        text = row.text(1) ?? ""
    }
}

extension DatabaseStore {
    /// Returns the saved filters by name.
    func savedFilters() throws -> [SavedFilter] {
        try reader.snapshot {
            guard reader.schema >= Annotations.schema else { return [] }
            let query = try reader.connection.prepare(
                "SELECT name, text FROM filters ORDER BY name"
            )
            var filters: [SavedFilter] = []
            while try query.step() { filters.append(SavedFilter(stored: query)) }
            return filters
        }
    }
}

extension StoreEditor {
    /// Keeps a filter under its name.
    ///
    /// - Parameter filter: The filter.
    /// - Returns: Whether it takes the place of another one.
    /// - Throws: `StoreError` if its text is too long, or the database cannot be written.
    @discardableResult
    package func save(_ filter: SavedFilter) throws -> Bool {
        try check(filter.text, "filter")
        return try write {
            let isReplaced = try remove(filter.name)
            let insert = try connection.cached("INSERT INTO filters (name, text) VALUES (?1, ?2)")
            defer { insert.reset() }
            try insert.bind(1, text: filter.name)
            try insert.bind(2, text: filter.text)
            try insert.run()
            return isReplaced
        }
    }

    /// Removes the filter with a name.
    ///
    /// - Parameter name: The name.
    /// - Returns: Whether there was one.
    /// - Throws: `StoreError` if the database cannot be written.
    @discardableResult
    package func forgetFilter(_ name: String) throws -> Bool { try write { try remove(name) } }

    private func remove(_ name: String) throws -> Bool {
        let removal = try connection.cached("DELETE FROM filters WHERE name = ?1")
        defer { removal.reset() }
        try removal.bind(1, text: name)
        try removal.run()
        return connection.changes > 0
    }
}
