// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineCrypto
internal import TaplineModel
internal import TaplineSQL
internal import TaplineStoreSchema
internal import TaplineSystem

/// How a row holds a body.
enum BodyReference {
    /// There are no bytes.
    case none
    /// The bytes themselves, because they are so few that a separate row would take more space.
    case inRow
    /// The number of a row in `bodies`.
    case stored(Int64)
}

/// Stores each body once, identified by its hash.
///
/// An index on hashes would make the table slow: its keys are random, so each row dirties a page of
/// its own. So the table has none. The set of stored bodies is in memory. `body_index` keeps it for
/// the next start and receives new keys in sorted order, many at a time. Bodies added after the
/// last merge are read from the table itself.
///
/// **Isolation**: within a transaction, between `begin` and `commit` or `rollback`.
final class BodyStore {
    /// Bodies up to this many bytes are stored in the row.
    static let inRowMax = 64
    private static let compressMin = 128
    /// More files than that are synced together with all others of the machine.
    private static let maxUnsynced = 1024

    typealias Entry = (key: UInt64, body: Int64)

    let connection: SQLiteConnection
    let files: BodyFiles
    private let inlineMax: Int
    private let setMemory: Int
    private let mergeCount: Int
    private let encoder: ContentEncoder?
    private let insertion: SQLiteStatement

    var set = BodySet()
    /// Whether the set contains all stored bodies, not only the recent ones.
    var isWhole = true
    /// Bodies that are not yet in `body_index`, by ascending id.
    var recent: [Entry] = []
    /// Removed bodies that may still be in `body_index`.
    var dead: [Entry] = []
    /// Files of removed bodies; deleted in the transaction after the removal.
    var deadFiles: [Digest] = []
    /// The total size of the body files, once measured.
    var fileBytes: Int64 = 0
    var next: Int64 = 1
    var hits = BodyCache()

    private var saved = (recent: 0, dead: 0, deadFiles: 0, fileBytes: Int64(0), next: Int64(1))
    private var isMerged = false
    /// The files that this transaction has created.
    private var written: [Digest] = []
    /// The files that may not be on disk yet; `nil` if there are too many to remember.
    private var unsynced: [Digest]? = []
    private var compressed: [UInt8] = []
    private var hashBytes: [UInt8] = []

    init(_ connection: SQLiteConnection, _ settings: SQLiteSinkSettings) throws {
        self.connection = connection
        files = BodyFiles(database: settings.path, isSynced: settings.sync == .batch)
        inlineMax = settings.inlineBodyMax
        setMemory = settings.bodySetMemory
        mergeCount = settings.mergeCount
        encoder = settings.compress ? try ContentEncoder(.deflate, level: 1) : nil
        insertion = try connection.cached("INSERT INTO bodies VALUES (?1, ?2, ?3, ?4)")
        try load()
    }

    // MARK: Transactions

    func begin() {
        written.removeAll()
        saved = (recent.count, dead.count, deadFiles.count, fileBytes, next)
        isMerged = false
    }

    func commit() {
        noteUnsynced()
        guard isMerged else { return }
        recent.removeAll(keepingCapacity: true)
        dead.removeAll()
        if !isWhole { set.removeAll() }
    }

    private func noteUnsynced() {
        guard !files.isSynced, !written.isEmpty, unsynced != nil else { return }
        unsynced?.append(contentsOf: written)
        if let count = unsynced?.count, count > Self.maxUnsynced { unsynced = nil }
    }

    /// Waits until the files of committed transactions are on disk.
    func sync() throws(FileError) {
        if let unsynced { try files.sync(unsynced) } else { FileSystem.syncAll() }
        unsynced = []
    }

    /// Restores the state at `begin`.
    func rollback() {
        for entry in recent[saved.recent...] { set.remove(entry.key, entry.body) }
        recent.removeSubrange(saved.recent...)
        for entry in dead[saved.dead...] { set.insert(entry.key, entry.body) }
        dead.removeSubrange(saved.dead...)
        deadFiles.removeSubrange(min(saved.deadFiles, deadFiles.count)...)
        deadFiles += written
        next = saved.next
        fileBytes = saved.fileBytes
        hits.removeAll()
    }

    // MARK: Storing

    /// Finds the body or stores it.
    func reference(to body: borrowing Body, _ known: Digest?) throws -> BodyReference {
        let count = body.bytes.count
        if count == 0 { return .none }
        if count <= BodyStore.inRowMax { return .inRow }
        let digest = known ?? SHA256.hash(body.bytes.span)
        if let id = try find(digest) { return .stored(id) }
        let id = next
        try insert(body, digest, id)
        next += 1
        recent.append((digest.word0, id))
        if isWhole, set.memory(adding: digest.word0) > setMemory { forgetMerged() }
        set.insert(digest.word0, id)
        return .stored(id)
    }

    private func insert(_ body: borrowing Body, _ digest: Digest, _ id: Int64) throws {
        let bytes = body.bytes.span
        let insert = insertion
        defer { insert.reset() }
        try insert.bind(1, integer: id)
        hashBytes.removeAll(keepingCapacity: true)
        digest.append(to: &hashBytes)
        let hash = hashBytes
        try insert.bind(2, blob: hash.span)
        try insert.bind(3, integer: Int64(bytes.count))
        if bytes.count > inlineMax {
            written.append(digest)
            fileBytes += Int64(bytes.count)
            try files.write(bytes, digest)
        } else if try compress(body) {
            let smaller = compressed
            try insert.bind(4, blob: smaller.span)
        } else {
            try insert.bind(4, bytes: bytes)
        }
        _ = try insert.step()
    }

    /// Whether the sqlar form, a zlib stream, is smaller and should be stored.
    private func compress(_ body: borrowing Body) throws -> Bool {
        guard let encoder, body.bytes.count >= BodyStore.compressMin, body.coding.isEmpty else {
            return false
        }
        compressed.removeAll(keepingCapacity: true)
        try encoder.encodeWhole(body.bytes.span, appendingTo: &compressed)
        return compressed.count < body.bytes.count
    }

    // MARK: Finding

    private func find(_ digest: Digest) throws -> Int64? {
        if let id = hits.find(digest) { return id }
        if let id = set.find(digest.word0), try isStored(digest, as: id) {
            hits.insert(digest, id)
            return id
        }
        return isWhole ? nil : try findMerged(digest)
    }

    /// Looks in the index on disk for bodies that the set has no space for.
    private func findMerged(_ digest: Digest) throws -> Int64? {
        let query = try connection.cached("SELECT body FROM body_index WHERE key = ?1")
        defer { query.reset() }
        try query.bind(1, integer: Int64(bitPattern: digest.word0))
        while try query.step() {
            let id = query.integer(0)
            if try isStored(digest, as: id) {
                hits.insert(digest, id)
                return id
            }
        }
        return nil
    }

    /// Compares the whole hash, since a key may refer to another body or to a removed one.
    private func isStored(_ digest: Digest, as id: Int64) throws -> Bool {
        let query = try connection.cached("SELECT hash FROM bodies WHERE id = ?1")
        defer { query.reset() }
        try query.bind(1, integer: id)
        return try query.step() && query.withBlob(0) { Digest($0) == digest }
    }

    // MARK: The index

    /// Updates `body_index` when enough changes are pending.
    func mergeIfDue() throws {
        guard recent.count + dead.count >= mergeCount else { return }
        let gone = Set(dead.map(\.body))
        try forEachSorted(dead, "DELETE FROM body_index WHERE key = ?1 AND body = ?2")
        try forEachSorted(
            recent.filter { !gone.contains($0.body) },
            "INSERT OR IGNORE INTO body_index VALUES (?1, ?2)"
        )
        let note = try connection.cached("INSERT OR REPLACE INTO settings VALUES ('indexed', ?1)")
        try note.bind(1, integer: next - 1)
        try note.run()
        isMerged = true
    }

    private func forEachSorted(_ entries: [Entry], _ sql: String) throws {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        let sorted = entries.sorted { Int64(bitPattern: $0.key) < Int64(bitPattern: $1.key) }
        for entry in sorted {
            try statement.bind(1, integer: Int64(bitPattern: entry.key))
            try statement.bind(2, integer: entry.body)
            try statement.run()
        }
    }

    /// Removes all merged entries from the set; the index on disk is used for these from now on.
    private func forgetMerged() {
        isWhole = false
        set.removeAll()
        for entry in recent { set.insert(entry.key, entry.body) }
    }

    /// Loads the set from the index, and from the bodies after its end.
    func load() throws {
        set.removeAll()
        hits.removeAll()
        recent.removeAll()
        dead.removeAll()
        let count = Int(try connection.integer("SELECT count(*) FROM body_index") ?? 0)
        isWhole = BodySet.memory(for: count) <= setMemory
        if isWhole { try loadIndex() }
        let indexed =
            try connection.integer("SELECT value FROM settings WHERE name = 'indexed'") ?? 0
        next = indexed + 1
        try loadTail()
    }

    private func loadIndex() throws {
        let first = try connection.integer("SELECT min(id) FROM bodies") ?? .max
        let query = try connection.prepare("SELECT key, body FROM body_index")
        while try query.step() {
            let entry = (key: UInt64(bitPattern: query.integer(0)), body: query.integer(1))
            if entry.body < first { dead.append(entry) } else { set.insert(entry.key, entry.body) }
        }
        query.reset()
    }

    /// Adds stored bodies that are missing in the set: those after the end of the index, or written
    /// by another process in the meantime.
    func loadTail() throws {
        hits.removeAll()
        let query = try connection.cached("SELECT id, hash FROM bodies WHERE id >= ?1 ORDER BY id")
        defer { query.reset() }
        try query.bind(1, integer: next)
        while try query.step() {
            let id = query.integer(0)
            next = id + 1
            guard let digest = query.withBlob(1, { Digest($0) }) else { continue }
            recent.append((digest.word0, id))
            set.insert(digest.word0, id)
        }
    }
}
