// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineQuery
internal import TaplineSystem

/// A recording as a store: NDJSON or HAR, plain or compressed, which is read from its start for
/// each question.
///
/// **Limits**: memory for one record and for the results that are kept.
/// **Isolation**: one thread at a time.
final class RecordingStore {
    /// How many bytes are read at a time.
    private static let readSize = 256 << 10
    /// How many broken records are reported individually.
    private static let shownProblems = 5

    /// The file; `-` is standard input.
    private let path: String
    private let warn: (String) -> Void
    /// Whether the file can be read more than once; a pipe cannot.
    private let isRepeatable: Bool
    private var passes = 0
    /// What finds the records that do not count; `nil` if each one counts.
    weak var ids: RecordedIDs?
    /// The number of this recording among those of `ids`.
    var number = 0
    /// How many records could not be read.
    private(set) var problems = 0
    /// The position of the last problem that was reported.
    private var lastProblem: Int64 = -1

    init(_ path: String, isRepeatable: Bool, warn: @escaping (String) -> Void) {
        self.path = path
        self.isRepeatable = isRepeatable
        self.warn = warn
    }

    private var name: String { path == "-" ? "standard input" : path }

    /// Returns how many exchanges match a filter.
    func count(_ filter: Filter?, _ progress: QueryProgress? = nil) throws -> Int {
        var count = 0
        try read(progress) { _, exchange in
            if filter?.matches(exchange) ?? true { count += 1 }
            return true
        }
        return count
    }

    /// Returns the key of an id, with the value of a field if one is given; `nil` if no exchange has
    /// the id.
    func key(of id: ExchangeID, sortedBy field: FieldReference? = nil) throws -> StoreKey? {
        var found: StoreKey?
        try read { key, exchange in
            guard key.id == id else { return true }
            found = key
            found?.value = field.map { SortValue(exchange, of: $0) }
            return false
        }
        return found
    }

    /// Returns exchanges whose ids begin with a prefix, in the order of the recording; the first
    /// one of each id.
    func exchanges(with prefix: IDPrefix, limit: Int) throws -> [StoredExchange] {
        var found: [StoredExchange] = []
        guard limit > 0 else { return found }
        try read { key, exchange in
            guard prefix.matches(key.id), !found.contains(where: { $0.key.id == key.id }) else {
                return true
            }
            found.append(StoredExchange(key: key, exchange: exchange))
            return !prefix.isWhole && found.count < limit
        }
        return found
    }

    /// Calls a closure with each exchange that a query selects, in the order of the query.
    func scan(_ query: StoreQuery, _ body: (StoreKey, Exchange) throws -> Void) throws {
        guard query.limit ?? .max > 0 else { return }
        if query.sort == nil, query.order == .oldestFirst {
            try scanForward(query, body)
        } else {
            try scanSelecting(query, body)
        }
    }

    private func scanForward(
        _ query: StoreQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws {
        var left = query.limit ?? .max
        let start = query.after?.number ?? -1
        try read(query.progress) { key, exchange in
            guard key.number > start, query.filter?.matches(exchange) ?? true else { return true }
            try body(key, exchange)
            left -= 1
            return left > 0
        }
    }

    /// Keeps the first matches in the order of the query while reading; reads again if they do not
    /// fit into memory.
    private func scanSelecting(
        _ query: StoreQuery,
        _ body: (StoreKey, Exchange) throws -> Void
    ) throws {
        var left = query.limit ?? .max
        var after = query.after
        while left > 0 {
            var selection = Selection(limit: left) { [sort = query.sort] in
                sort?.places($0, before: $1) ?? ($0.number > $1.number)
            }
            let end = try select(query, after: after, into: &selection)
            for item in selection.finish() {
                guard let exchange = item.exchange else { continue }
                try body(item.key, exchange)
                after = item.key
                left -= 1
            }
            if let end { throw end }
            if !selection.isCut { return }
        }
    }

    /// Selects the matches after a key.
    ///
    /// - Returns: The error if the query was cancelled; `nil` otherwise.
    private func select(
        _ query: StoreQuery,
        after: StoreKey?,
        into selection: inout Selection
    ) throws -> QueryCancelled? {
        do {
            try read(query.progress) { key, exchange in
                if query.sort == nil, let after, key.number >= after.number { return false }
                guard query.filter?.matches(exchange) ?? true else { return true }
                var key = key
                if let sort = query.sort {
                    key.value = SortValue(exchange, of: sort.field)
                    if let after, !sort.places(after, before: key) { return true }
                }
                guard selection.accepts(key) else { return true }
                var kept = exchange
                query.parts.reduce(&kept)
                selection.add(Selection.Item(key, kept))
                return true
            }
        } catch let error as QueryCancelled {
            return error
        }
        return nil
    }

    /// Follows what is appended to the recording.
    func follow(_ query: StoreQuery) throws(StoreError) -> FollowedRecording {
        guard isRepeatable else {
            throw StoreError(.notFollowed, "\(name) cannot be followed; expected a file")
        }
        return try FollowedRecording(path, query, warn: warn)
    }

    // MARK: Reading

    /// Why reading ends before the end of the recording.
    private struct Stop: Error {}

    /// Calls a closure with each exchange that counts from the start, until it returns `false`.
    func read(
        _ progress: QueryProgress? = nil,
        _ body: (StoreKey, Exchange) throws -> Bool
    ) throws {
        guard let ids else {
            try readAll(progress, body)
            return
        }
        try ids.prepare(for: number, progress)
        let isWhole = try readAll(progress) { key, exchange in
            try counts(key.id) ? body(key, exchange) : true
        }
        if isWhole { ids.finished(number) }
    }

    /// Returns whether an exchange counts, after the recordings before this one have been read.
    ///
    /// **Throws**: `StoreError` if there are too many ids, or a database cannot be read.
    func counts(_ id: ExchangeID) throws -> Bool { try ids?.counts(id, in: number) ?? true }

    /// Calls a closure with each exchange from the start, copies included, until it returns `false`.
    ///
    /// - Returns: Whether the recording was read to its end.
    @discardableResult
    func readAll(
        _ progress: QueryProgress? = nil,
        _ body: (StoreKey, Exchange) throws -> Bool
    ) throws -> Bool {
        guard passes == 0 || isRepeatable else {
            throw StoreError(
                .notRepeatable,
                "\(name) would have to be read twice; save it to a file first"
            )
        }
        passes += 1
        var reader = RecordingReader(file: name)
        var position: Int64 = 0
        func take(_ element: RecordingReader.Element) throws {
            defer { position += 1 }
            switch element {
            case .success(let exchange):
                let key = StoreKey(number: position, started: exchange.started, id: exchange.id)
                if try !body(key, exchange) { throw Stop() }
            case .failure(let error):
                report(error, at: position, "skipped")
            }
        }
        do {
            try feed(progress) { try reader.read($0, take) }
            try reader.finish(take)
        } catch is Stop {
            return false
        } catch let error as RecordError {
            // What comes before is complete.
            guard position > 0 || error.code == .cutOff else {
                throw StoreError(error.code == .notRecording ? .notStore : .damaged, "\(error)")
            }
            report(error, at: position, "the rest cannot be read")
        }
        return true
    }

    /// Passes the bytes of the file to a closure.
    private func feed(
        _ progress: QueryProgress?,
        _ body: (Span<UInt8>) throws -> Void
    ) throws {
        do {
            let file = path == "-" ? File.standardInput : try File(path, for: .read)
            let size = try isRepeatable ? file.status().size : 0
            var count = 0
            var bytes: [UInt8] = []
            var isFirst = true
            while true {
                // A pipe may have nothing to read for a long time.
                while let progress, !isRepeatable, try !file.waitForInput(milliseconds: 100) {
                    try progress.check()
                }
                guard try file.read(appendingTo: &bytes, atMost: Self.readSize) > 0 else { break }
                if isFirst, DatabaseSchema.isDatabase(bytes.span) {
                    throw StoreError(
                        isRepeatable ? .damaged : .notStore,
                        isRepeatable
                            ? "'\(path)' is a damaged SQLite database"
                            : "\(name) is a SQLite database; give the path of the file instead"
                    )
                }
                isFirst = false
                try progress?.check()
                try body(bytes.span)
                count += bytes.count
                progress?.reach(size > 0 ? min(Double(count) / Double(size), 1) : nil, bytes: count)
                bytes.removeAll(keepingCapacity: true)
            }
        } catch let error as FileError {
            throw StoreError(error.isMissing ? .missing : .system, error.description)
        }
    }

    /// Counts and reports a problem, unless an earlier pass has reported it.
    private func report(_ error: RecordError, at position: Int64, _ consequence: String) {
        guard position > lastProblem else { return }
        lastProblem = position
        problems += 1
        if problems <= Self.shownProblems { warn("\(error); \(consequence)") }
    }
}
