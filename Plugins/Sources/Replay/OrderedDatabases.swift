// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// Databases that are being read, in the order of their exchanges.
struct OrderedDatabases {
    /// The limits of a chunk: the number of exchanges, and the bytes of their bodies.
    private static let chunkSize = (count: 256, bytes: 256 << 10)

    let keys: any RecordedKeys
    private let size: Int64
    private var readCount = 0

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - keys: The keys of the exchanges.
    ///   - size: The size of the files in bytes.
    init(keys: any RecordedKeys, size: Int64) {
        self.keys = keys
        self.size = size
    }

    /// The part of the files that has been read.
    var byteCount: Int64 {
        guard readCount < keys.count else { return size }
        return Int64(Double(size) * Double(readCount) / Double(keys.count))
    }

    /// Returns the keys of the next exchanges; none at the end.
    mutating func read() throws -> [RecordedKey] {
        let found = try keys.next(
            maxCount: Self.chunkSize.count,
            maxBytes: Self.chunkSize.bytes
        )
        readCount += found.count
        return found
    }
}
