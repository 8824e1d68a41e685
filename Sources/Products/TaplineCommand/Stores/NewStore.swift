// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplinePlugin
internal import TaplineStoreSchema
internal import TaplineSystem

/// A store that a command makes: a database or a recording in NDJSON.
///
/// It has a temporary name until it is complete.
///
/// **Isolation**: one thread at a time.
final class NewStore {
    /// The suffixes that a name may have.
    static let suffixes =
        DatabaseOutput.suffixes + OutputFormat.suffixes.filter { $0.hasPrefix(".ndjson") }

    /// Why a store does not get its name.
    private struct Incomplete: Error, CustomStringConvertible {
        let description: String
    }

    private enum Output {
        case database(DatabaseOutput)
        case recording(RecordingFile)
    }

    /// The name of the store when it is complete.
    let path: String
    /// The name until then.
    let temporary: String
    private let format: OutputFormat?
    private let invocation: Invocation
    private let unfinished: UnfinishedStores
    /// `nil` while its files are closed.
    private var output: Output?
    private var counts = DatabaseOutput.Counts()
    /// Whether it is a database.
    var isDatabase: Bool { format == nil }
    /// How many exchanges were written until its files were last closed.
    var count: Int { counts.written }
    /// How many exchanges had an id that was there already.
    var duplicates: Int { counts.duplicates }
    /// How many exchanges SQLite cannot store, because a part of them is too large.
    var refused: Int { counts.refused }

    /// Prepares a store; nothing is created yet.
    ///
    /// **Throws**: `UsageError` if the name has another suffix, or the file exists.
    init(_ path: String, _ invocation: Invocation, _ unfinished: UnfinishedStores) throws {
        let isDatabase = DatabaseOutput.suffixes.contains { path.hasSuffix($0) }
        format = isDatabase ? nil : OutputFormat(path: path)
        guard isDatabase || format?.isHAR == false else {
            throw UsageError(
                message: "unknown format of '\(path)'; expected a name that ends in "
                    + Self.suffixes.joined(separator: ", ")
            )
        }
        let bodies = BodyFiles(database: path).folder
        for other in isDatabase ? [path, path + "-wal", bodies] : [path]
        where try FileSystem.status(of: other) != nil {
            throw UsageError(message: "'\(other)' exists; choose another name or remove it")
        }
        self.path = path
        self.invocation = invocation
        self.unfinished = unfinished
        temporary = FileSystem.temporaryName(for: path)
    }

    /// Prepares a database that is only needed for a while, next to a file.
    init(
        temporaryFor path: String,
        _ invocation: Invocation,
        _ unfinished: UnfinishedStores
    ) {
        format = nil
        self.path = path
        self.invocation = invocation
        self.unfinished = unfinished
        temporary = FileSystem.temporaryName(for: path)
    }

    // MARK: Writing

    func write(_ record: Record) throws {
        switch try opened() {
        case .database(let database): try database.write(record)
        case .recording(let file):
            try file.write(record)
            counts.written += 1
        }
    }

    /// Closes its files until something is written again.
    func pause() throws {
        switch output {
        case nil: return
        case .database(let database)?:
            try database.finish()
            counts.add(database.counts)
        case .recording(let file)?: try file.close()
        }
        output = nil
    }

    /// Completes the store under its temporary name, even if it is empty.
    func prepare() throws {
        _ = try opened()
        try pause()
        // When SQLite closes a database, it does not report that it could not copy the log into it.
        guard let log = try FileSystem.status(of: temporary + "-wal"), log.size > 0 else { return }
        throw Incomplete(
            description: "'\(temporary)' is incomplete; its log cannot be emptied, since there is "
                + "no space left or another process has it open"
        )
    }

    /// Completes the store and gives it its name.
    func finish() throws {
        try prepare()
        let bodies = BodyFiles(database: temporary).folder
        if try FileSystem.status(of: bodies) != nil {
            try FileSystem.move(bodies, to: BodyFiles(database: path).folder)
        }
        try FileSystem.move(temporary, to: path)
        unfinished.remove(temporary)
        try FileSystem.syncFolder(FileSystem.folder(of: path))
    }

    /// Removes the files with the temporary name, if there are any.
    func discard() {
        if case .database(let database)? = output { database.abandon() }
        output = nil
        UnfinishedStores.removeFiles(of: temporary)
        unfinished.remove(temporary)
    }

    private func opened() throws -> Output {
        if let output { return output }
        unfinished.add(temporary)
        let opened: Output
        if let format {
            opened = .recording(try RecordingFile(temporary, format))
        } else {
            opened = .database(try DatabaseOutput(temporary, invocation, isNew: true))
        }
        output = opened
        return opened
    }
}

/// A recording in NDJSON that is being written; appends to an existing file.
private final class RecordingFile {
    private let file: File
    private var writer: RecordingWriter

    init(_ path: String, _ format: OutputFormat) throws {
        writer = try RecordingWriter(format)
        file = try File(path, for: .append)
        writer.begin()
    }

    func write(_ record: Record) throws {
        writer.write(record)
        try writer.drain(to: file)
    }

    func close() throws {
        writer.end()
        try writer.drain(to: file, isLast: true)
        try file.syncData()
    }
}
