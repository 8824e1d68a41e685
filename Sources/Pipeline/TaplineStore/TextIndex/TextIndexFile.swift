// SPDX-License-Identifier: MIT

internal import TaplineSQL
internal import TaplineSystem

/// The file of a full-text index: a SQLite database next to the store.
///
/// Each segment has a row, and blocks with the lists of its terms. All content has checksums; a
/// missing block is damage.
///
/// **Isolation**: one thread at a time.
final class TextIndexFile {
    /// `PRAGMA application_id`: "TapI".
    private static let applicationID: Int64 = 0x5461_7049
    /// What is indexed, and how; other formats are built again.
    private static let format: UInt64 = 1
    private static let stateKey: Int64 = -1

    /// What the whole index is.
    struct State: Equatable {
        let kind: TextIndexKind
        /// The run that built it, as the store knows it.
        var token: [UInt8]
        var segments: Int64 = 0
        /// The number of the last row that it covers.
        var covered: Int64 = .min
    }

    /// Where a segment is.
    struct Place {
        let id: Int64
        let first: Int64
        let count: Int
        let blocks: Int
        let open: SegmentRows
    }

    /// The path of the index of a store.
    static func path(of store: String) -> String { store + "-index" }

    /// Removes the files of an index.
    ///
    /// - Returns: Whether there was one.
    static func remove(of store: String) throws(FileError) -> Bool {
        let path = path(of: store)
        let exists = try FileSystem.status(of: path) != nil
        for end in ["", "-wal", "-shm", "-journal"] { try FileSystem.remove(path + end) }
        return exists
    }

    let path: String
    let connection: SQLiteConnection

    /// Opens an index; `nil` if there is none.
    init?(readingOf store: String) throws {
        let path = Self.path(of: store)
        self.path = path
        guard try FileSystem.status(of: path) != nil else { return nil }
        connection = try SQLiteConnection.forReading(path) { try Self.open(path, $0) }
    }

    /// Opens or creates an index for writing.
    init(writingOf store: String) throws {
        path = Self.path(of: store)
        connection = try Self.open(path, .create)
        try connection.setPragma("page_size", 8192)
        try connection.setPragma("journal_mode", "wal")
        try connection.setPragma("synchronous", "normal")
        try connection.transaction {
            try connection.setPragma("application_id", Self.applicationID)
            try connection.execute(
                """
                CREATE TABLE IF NOT EXISTS state (content BLOB NOT NULL) STRICT;
                CREATE TABLE IF NOT EXISTS segments
                  (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT;
                CREATE TABLE IF NOT EXISTS blocks
                  (key INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT;
                """
            )
        }
    }

    private static func open(
        _ path: String,
        _ mode: SQLiteOptions.Mode
    ) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, options: SQLiteOptions(mode: mode))
        // The first read finds out whether the file is a database, and can be read.
        let application = try connection.integer("PRAGMA application_id")
        guard application == applicationID || mode == .create && application == 0 else {
            throw DamagedIndex()
        }
        return connection
    }

    // MARK: Reading

    /// What the index is; `nil` if it has not begun or has another format.
    func state() throws -> State? {
        let query = try connection.cached("SELECT content FROM state")
        defer { query.reset() }
        guard try query.step() else { return nil }
        var block = try IndexBlockReader(query.blob(0), key: Self.stateKey)
        guard try block.number() == Self.format else { return nil }
        guard let kind = TextIndexKind(number: try block.number()) else { throw DamagedIndex() }
        let token = Array(try block.bytes(try block.count(upTo: 64)))
        let segments = Int64(truncatingIfNeeded: try block.number())
        let covered = Int64(bitPattern: try block.number())
        return State(kind: kind, token: token, segments: segments, covered: covered)
    }

    /// The segments, ascending.
    func places(_ state: State) throws -> [Place] {
        let query = try connection.cached("SELECT id, content FROM segments ORDER BY id")
        defer { query.reset() }
        var places: [Place] = []
        while try query.step() {
            places.append(try Self.place(query.integer(0), query.blob(1)))
        }
        let isWhole = places.enumerated().allSatisfy { $1.id == Int64($0) + 1 }
        guard Int64(places.count) == state.segments, isWhole else { throw DamagedIndex() }
        return places
    }

    private static func place(_ id: Int64, _ content: [UInt8]) throws(DamagedIndex) -> Place {
        var block = try IndexBlockReader(content, key: id)
        let first = Int64(bitPattern: try block.number())
        let count = try block.count(upTo: SegmentRows.limit)
        let blocks = try block.count(upTo: SegmentBuilder.maxBlocks)
        var open = SegmentRows()
        try open.insert(try SegmentRows.list(&block))
        return Place(id: id, first: first, count: count, blocks: blocks, open: open)
    }

    /// Reads a block of a segment.
    func block(_ number: Int, of place: Place) throws -> IndexBlockReader {
        let key = Self.key(place.id, number)
        let query = try connection.cached("SELECT content FROM blocks WHERE key = ?1")
        defer { query.reset() }
        try query.bind(1, integer: key)
        guard try query.step() else { throw DamagedIndex() }
        return try IndexBlockReader(query.blob(0), key: key)
    }

    /// Checks all blocks.
    func verify(_ places: [Place]) throws {
        let query = try connection.cached("SELECT key, content FROM blocks ORDER BY key")
        defer { query.reset() }
        for place in places {
            for number in 0..<place.blocks {
                let key = Self.key(place.id, number)
                guard try query.step(), query.integer(0) == key else { throw DamagedIndex() }
                _ = try IndexBlockReader(query.blob(1), key: key)
            }
        }
        if try query.step() { throw DamagedIndex() }
    }

    // MARK: Writing

    /// Replaces the state; within a transaction.
    func write(_ state: State) throws {
        var block = IndexBlockWriter()
        block.add(Self.format)
        block.add(state.kind.number)
        block.add(UInt64(state.token.count))
        block.add(state.token)
        block.add(UInt64(state.segments))
        block.add(UInt64(bitPattern: state.covered))
        try connection.execute("DELETE FROM state")
        try insert("INSERT INTO state (content) VALUES (?1)", nil, block, Self.stateKey)
    }

    /// Adds a segment under a number; within a transaction.
    func write(_ segment: IndexSegment, id: Int64) throws {
        var block = IndexBlockWriter()
        block.add(UInt64(bitPattern: segment.first))
        block.add(UInt64(segment.count))
        block.add(UInt64(segment.blocks.count))
        SegmentRows.write(segment.open, of: segment.count, to: &block)
        try insert("INSERT INTO segments (content, id) VALUES (?1, ?2)", id, block, id)
        for (number, block) in segment.blocks.enumerated() {
            let key = Self.key(id, number)
            try insert("INSERT INTO blocks (content, key) VALUES (?1, ?2)", key, block, key)
        }
    }

    /// Removes the last segment; within a transaction.
    func removeSegment(_ place: Place) throws {
        try connection.execute(
            """
            DELETE FROM segments WHERE id = \(place.id);
            DELETE FROM blocks WHERE key >= \(Self.key(place.id, 0));
            """
        )
    }

    private func insert(
        _ sql: String,
        _ number: Int64?,
        _ block: IndexBlockWriter,
        _ key: Int64
    ) throws {
        let statement = try connection.cached(sql)
        let content = block.finish(key: key)
        try statement.bind(1, blob: content.span)
        if let number { try statement.bind(2, integer: number) }
        try statement.run()
    }

    private static func key(_ segment: Int64, _ block: Int) -> Int64 {
        segment &* Int64(SegmentBuilder.maxBlocks) &+ Int64(block)
    }
}
