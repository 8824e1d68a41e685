// SPDX-License-Identifier: MIT

package import TaplinePlugin
internal import TaplineSystem

/// Databases as recordings, which the source `replay` reads.
package struct RecordedDatabases: RecordedStores {
    /// Creates the reader of databases.
    package init() {}

    package func store(at path: String) throws -> RecordedStore? {
        guard let reader = try DatabaseReader(path) else { return nil }
        let last = try reader.lastNumber()
        let size = try FileSystem.status(of: path)?.size ?? 0
        return RecordedStore(path: path, lastNumber: last ?? .min, size: Int64(size))
    }

    package func keys(
        of stores: [RecordedStore],
        while isWanted: () -> Bool
    ) throws -> any RecordedKeys {
        try OrderedKeys(of: stores, while: isWanted)
    }

    package func makeReader(maxBytes: Int) -> any RecordedReader {
        RecordedExchangeReader(maxBytes: maxBytes)
    }
}

extension DatabaseReader {
    /// Opens a recorded database again.
    static func again(_ path: String, maxBodyBytes: Int? = nil) throws -> DatabaseReader {
        guard let reader = try DatabaseReader(path, maxBodyBytes: maxBodyBytes) else {
            throw StoreError(.damaged, "'\(path)' is not a database any more")
        }
        return reader
    }
}
