// SPDX-License-Identifier: MIT

package import TaplineModel

/// Reads databases of recorded exchanges for sources.
///
/// Declared here so that `replay` can read databases without linking the library that knows them,
/// which apps do not need. `TaplineStore` provides it through `PluginRegistry.stores`.
package protocol RecordedStores: Sendable {
    /// Notes what a database contains now.
    ///
    /// - Parameter path: A regular file with content.
    /// - Returns: The database; `nil` if the file is none, so that it may be another recording.
    /// - Throws: An error whose description names the file, if the database cannot be read.
    func store(at path: String) throws -> RecordedStore?

    /// Puts the exchanges of databases in order: by start time, then by id.
    ///
    /// - Parameters:
    ///   - stores: The databases, at least one.
    ///   - isWanted: Asked from time to time whether to go on.
    /// - Returns: The keys of the exchanges; too few if they are no longer wanted.
    /// - Throws: An error whose description names the file, if a database cannot be read.
    func keys(
        of stores: [RecordedStore],
        while isWanted: () -> Bool
    ) throws -> any RecordedKeys

    /// Creates a reader of exchanges in databases, for one thread.
    ///
    /// - Parameter maxBytes: The largest bodies and messages of an exchange, together.
    /// - Returns: The reader.
    func makeReader(maxBytes: Int) -> any RecordedReader
}

/// What a database contained at one moment; exchanges that are added later are not read.
package struct RecordedStore: Sendable, Hashable {
    /// The file.
    package let path: String
    /// The number of the last exchange in writing order.
    package let lastNumber: Int64
    /// The size of the file in bytes.
    package let size: Int64

    package init(path: String, lastNumber: Int64, size: Int64) {
        self.path = path
        self.lastNumber = lastNumber
        self.size = size
    }
}

/// The place of an exchange in one of several databases.
package struct RecordedKey: Sendable, Hashable {
    /// The position of the database among those that are read together, from 0.
    package let store: Int
    /// The number in writing order.
    package let number: Int64
    /// The id; `nil` if it is malformed.
    package let id: ExchangeID?

    package init(store: Int, number: Int64, id: ExchangeID?) {
        self.store = store
        self.number = number
        self.id = id
    }
}

/// The keys of exchanges in order.
///
/// **Isolation**: one thread at a time.
package protocol RecordedKeys: AnyObject {
    /// How many there are.
    var count: Int { get }

    /// Returns the next keys; none at the end.
    ///
    /// - Parameters:
    ///   - maxCount: The maximum number of keys.
    ///   - maxBytes: The size of the exchanges' bodies at which no more are added.
    /// - Returns: At least one key, except at the end.
    /// - Throws: An error whose description names the file.
    func next(maxCount: Int, maxBytes: Int) throws -> [RecordedKey]

    /// Begins again with the first key.
    func rewind()

    /// Returns how many exchanges were added to each database since it was noted.
    ///
    /// - Returns: The databases that have grown.
    /// - Throws: An error whose description names the file.
    func growth() throws -> [(store: RecordedStore, count: Int)]
}

/// Reads exchanges of databases.
///
/// **Isolation**: one thread at a time.
package protocol RecordedReader: AnyObject {
    /// Reads an exchange.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - store: Its database.
    /// - Returns: The exchange; `nil` if it was removed from the database in the meantime.
    /// - Throws: An error whose description names the file and the exchange.
    func exchange(_ key: RecordedKey, in store: RecordedStore) throws -> RecordedExchange?
}

/// An exchange of a database.
package struct RecordedExchange: Sendable {
    /// The exchange.
    package var exchange: Exchange
    /// What could not be read of it, with the file and the exchange; `nil` if it is whole.
    package let warning: String?

    package init(_ exchange: Exchange, warning: String? = nil) {
        self.exchange = exchange
        self.warning = warning
    }
}
