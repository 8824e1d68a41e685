// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineQuery
internal import TaplineSystem

/// A recording in NDJSON to which another process appends.
final class FollowedRecording: FollowedStore {
    /// How many bytes are read at a time.
    private static let readSize = 256 << 10

    private let path: String
    private let filter: Filter?
    private let parts: StoreParts
    private let after: Int64?
    private let progress: QueryProgress?
    private let warn: (String) -> Void
    private var file: File
    private var reader: RecordingReader
    /// How many bytes of the file were read.
    private var offset = 0
    private var position: Int64 = 0

    init(
        _ path: String,
        _ query: StoreQuery,
        warn: @escaping (String) -> Void
    ) throws(StoreError) {
        self.path = path
        self.warn = warn
        filter = query.filter
        parts = query.parts
        after = query.after?.number
        progress = query.progress
        reader = RecordingReader(file: path)
        do throws(FileError) {
            file = try File(path, for: .read)
        } catch {
            throw StoreError(error.isMissing ? .missing : .system, error.description)
        }
    }

    func begin(newest: Int, _ body: (StoredExchange) throws -> Void) throws {
        if after != nil { return try next(atMost: .max, body) }
        var found: [StoredExchange] = []
        try next(atMost: .max) { exchange in
            found.append(exchange)
            // Removing one at a time would move all others each time.
            if found.count / 2 > max(newest, 64) { found.removeFirst(found.count - newest) }
        }
        for exchange in found.suffix(newest) { try body(exchange) }
    }

    func next(atMost limit: Int, _ body: (StoredExchange) throws -> Void) throws {
        do {
            guard try readRest(atMost: limit, body) else { return }
            try readReplaced(atMost: limit, body)
        } catch let error as FileError {
            throw StoreError(error.isMissing ? .missing : .system, error.description)
        } catch let error as RecordError {
            throw StoreError(error.code == .notRecording ? .notStore : .damaged, "\(error)")
        }
    }

    var isCompared: Bool { false }

    func hasRead(_ id: ExchangeID) -> Bool { false }

    /// Reads the file that has taken the place of the one that was read, or that was shortened.
    func readReplaced(
        atMost limit: Int = .max,
        _ body: (StoredExchange) throws -> Void
    ) throws {
        guard let current = try FileSystem.status(of: path) else { return }
        if try !current.isSameFile(as: file.status()) {
            guard let other = try openCurrent() else { return }
            // What was appended before the writer began the other file.
            guard try readRest(atMost: limit, body) else { return }
            file = other
        } else if current.size < offset {
            try file.seek(to: 0)
        } else {
            return
        }
        // What another file or a shorter one has is new.
        reader = RecordingReader(file: path)
        offset = 0
        _ = try readRest(atMost: limit, body)
    }

    /// Opens the file at the path; `nil` if it was removed in the meantime.
    private func openCurrent() throws(FileError) -> File? {
        do throws(FileError) {
            return try File(path, for: .read)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// Reads up to the current end of the file; the start of an unfinished line waits for its end.
    ///
    /// - Returns: Whether the end was reached; otherwise there were enough matches before it.
    private func readRest(
        atMost limit: Int,
        _ body: (StoredExchange) throws -> Void
    ) throws -> Bool {
        var bytes: [UInt8] = []
        var count = 0
        while try file.read(appendingTo: &bytes, atMost: Self.readSize) > 0 {
            try progress?.check()
            offset += bytes.count
            try reader.read(bytes.span) { element in
                try take(element) { exchange in
                    count += 1
                    try body(exchange)
                }
            }
            bytes.removeAll(keepingCapacity: true)
            if reader.format == .har {
                throw StoreError(
                    .notFollowed,
                    "'\(path)' is a HAR file, to which nothing is appended; expected a database or "
                        + "NDJSON"
                )
            }
            if count >= limit { return false }
        }
        return true
    }

    private func take(
        _ element: RecordingReader.Element,
        _ body: (StoredExchange) throws -> Void
    ) throws {
        defer { position += 1 }
        switch element {
        case .success(var exchange):
            guard position > after ?? -1, filter?.matches(exchange) ?? true else { return }
            let key = StoreKey(number: position, started: exchange.started, id: exchange.id)
            parts.reduce(&exchange)
            try body(StoredExchange(key: key, exchange: exchange))
        case .failure(let error):
            warn("\(error); skipped")
        }
    }
}
