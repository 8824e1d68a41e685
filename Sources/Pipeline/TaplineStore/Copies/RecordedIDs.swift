// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The ids in the recordings of a set, so that an exchange counts once: as a database has it, or else
/// as the first recording has it.
///
/// Records are compared while they are read, so that a question reads a recording once. A recording
/// that has an exchange twice is not compared with itself.
///
/// **Limits**: about 50 bytes for each record of several recordings, 400 MB in all.
/// **Isolation**: one thread at a time.
final class RecordedIDs {
    /// How many ids are noted.
    static let maxIDs = 8 << 20
    /// Stands for the databases in `first`.
    private static let inDatabase: Int32 = -1

    private let databases: [DatabaseStore]
    private let recordings: [RecordingStore]
    private let maxIDs: Int
    /// Which recordings have been read completely.
    private var isComplete: [Bool]
    /// The number of the first recording that has an id; empty for a single recording.
    private var first: [ExchangeID: Int32] = [:]
    /// What `PRAGMA data_version` of each database was when the first of these ids was noted.
    private var versions: [Int64] = []

    /// Returns `nil` if there are no stores to compare.
    init?(
        _ databases: [DatabaseStore],
        _ recordings: [RecordingStore],
        maxIDs: Int = RecordedIDs.maxIDs
    ) {
        guard !recordings.isEmpty, databases.count + recordings.count > 1 else { return nil }
        self.databases = databases
        self.recordings = recordings
        self.maxIDs = maxIDs
        isComplete = Array(repeating: false, count: recordings.count)
        for (number, recording) in recordings.enumerated() {
            recording.ids = self
            recording.number = number
        }
    }

    /// Forgets what was found if a database has changed since: it may have further ids.
    ///
    /// Called before each question about stores that stay open.
    func beginQuestion() throws {
        let current = try databases.map { try $0.reader.currentDataVersion() }
        guard current != versions else { return }
        versions = current
        first = [:]
        isComplete = Array(repeating: false, count: recordings.count)
    }

    /// Reads the recordings before one, as far as they have not been read.
    func prepare(for number: Int, _ progress: QueryProgress?) throws {
        for earlier in recordings[..<number] where !isComplete[earlier.number] {
            try earlier.read(progress) { _, _ in true }
        }
    }

    /// Notes that a recording was read to its end.
    func finished(_ number: Int) { isComplete[number] = true }

    /// Returns whether an exchange counts in a recording.
    ///
    /// **Throws**: `StoreError` if there are too many ids, or a database cannot be read.
    func counts(_ id: ExchangeID, in number: Int) throws -> Bool {
        // Such a record has no id of its own.
        if id == ExchangeID(high: 0, low: 0) { return true }
        if let known = first[id] { return known == number }
        let isStored = try databases.contains { try $0.key(of: id) != nil }
        guard recordings.count > 1 else { return !isStored }
        guard first.count < maxIDs else { throw StoreError.tooManyRecords(maxIDs) }
        first[id] = isStored ? Self.inDatabase : Int32(clamping: number)
        return !isStored
    }
}

extension StoreError {
    fileprivate static func tooManyRecords(_ limit: Int) -> StoreError {
        StoreError(
            .tooManyCopies,
            "the recordings have more than \(limit) exchanges, too many to count each once; "
                + "'--each-copy' counts each copy"
        )
    }
}
