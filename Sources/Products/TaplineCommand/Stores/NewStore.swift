// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// A store that a command makes: a database, which the sink `sqlite` writes, or a recording in
/// NDJSON.
///
/// It has a temporary name until it is complete.
///
/// **Isolation**: one thread at a time.
final class NewStore {
    /// The suffixes that a name may have.
    static let suffixes =
        [".db", ".sqlite", ".sqlite3"] + OutputFormat.suffixes.filter { $0.hasPrefix(".ndjson") }
    private static let databaseSuffixes = [".db", ".sqlite", ".sqlite3"]
    /// How much is written at once.
    private static let limits = (records: 4096, memory: 32 << 20)

    /// Why a store does not get its name.
    private struct Incomplete: Error, CustomStringConvertible {
        let description: String
    }

    private enum Output {
        case closed
        case database(any Sink)
        case recording(RecordingFile)
    }

    /// The name of the store when it is complete.
    let path: String
    /// The name until then.
    let temporary: String
    private let format: OutputFormat?
    private let invocation: Invocation
    private let unfinished: UnfinishedStores
    private var output = Output.closed
    private var batch: [Record] = []
    private var batchMemory = 0
    /// Whether it is a database.
    var isDatabase: Bool { format == nil }
    /// How many exchanges were written.
    private(set) var count = 0
    /// How many exchanges had an id that was there already.
    private(set) var duplicates = 0
    /// How many exchanges SQLite cannot store, because a part of them is too large.
    private(set) var refused = 0

    /// Prepares a store; nothing is created yet.
    ///
    /// **Throws**: `UsageError` if the name has another suffix, or the file exists.
    init(_ path: String, _ invocation: Invocation, _ unfinished: UnfinishedStores) throws {
        let isDatabase = Self.databaseSuffixes.contains { path.hasSuffix($0) }
        format = isDatabase ? nil : OutputFormat(path: path)
        guard isDatabase || format?.isHAR == false else {
            throw UsageError(
                message: "unknown format of '\(path)'; expected a name that ends in "
                    + Self.suffixes.joined(separator: ", ")
            )
        }
        for other in isDatabase ? [path, path + "-wal", path + "-bodies"] : [path]
        where try FileSystem.status(of: other) != nil {
            throw UsageError(message: "'\(other)' exists; choose another name or remove it")
        }
        self.path = path
        self.invocation = invocation
        self.unfinished = unfinished
        temporary = "\(path).\(UInt32.random(in: 0 ... .max)).tmp"
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
        temporary = "\(path).\(UInt32.random(in: 0 ... .max)).tmp"
    }

    // MARK: Writing

    func write(_ record: Record) throws {
        if case .recording(let file) = try opened() {
            count += 1
            return try file.write(record)
        }
        batch.append(record)
        batchMemory += record.memory
        if batch.count >= Self.limits.records || batchMemory >= Self.limits.memory { try flush() }
    }

    /// Closes its files until something is written again.
    func pause() throws {
        switch output {
        case .closed: return
        case .database(let sink):
            try flush()
            try sink.close()
        case .recording(let file): try file.close()
        }
        output = .closed
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
        if try FileSystem.status(of: temporary + "-bodies") != nil {
            try FileSystem.move(temporary + "-bodies", to: path + "-bodies")
        }
        try FileSystem.move(temporary, to: path)
        unfinished.remove(temporary)
        try FileSystem.syncFolder(FileSystem.folder(of: path))
    }

    /// Removes the files with the temporary name, if there are any.
    func discard() {
        if case .database(let sink) = output { try? sink.close() }
        output = .closed
        UnfinishedStores.removeFiles(of: temporary)
        unfinished.remove(temporary)
    }

    private func opened() throws -> Output {
        if case .closed = output {
            unfinished.add(temporary)
            if let format {
                output = .recording(try RecordingFile(temporary, format))
            } else {
                output = .database(try Self.database(temporary, invocation))
            }
        }
        return output
    }

    /// Writes the batch; if it is refused, each record on its own.
    private func flush() throws {
        guard !batch.isEmpty, case .database(let sink) = try opened() else { return }
        let records = batch
        (batch, batchMemory) = ([], 0)
        do {
            note(try sink.write(records), records.count)
        } catch let error as SinkError where error.kind == .refused {
            for record in records {
                do {
                    note(try sink.write([record]), 1)
                } catch let error as SinkError where error.kind == .refused {
                    refused += 1
                }
            }
        }
    }

    private func note(_ result: WriteResult, _ written: Int) {
        duplicates += result.duplicates
        count += written - result.duplicates
    }

    // MARK: Databases

    /// Opens a database with the default options of the sink, synchronized with the disk.
    private static func database(_ path: String, _ invocation: Invocation) throws -> any Sink {
        let text = """
            version: 1
            sources: [{ replay: { path: "-" } }]
            sinks: [{ sqlite: { path: \(quoted(FileSystem.absolute(path))), sync: batch } }]
            """
        var diagnostics = Diagnostics()
        let builder = TopologyBuilder(registry: invocation.registry)
        let root = ConfigReader().read(ConfigSource(name: path, text: text), into: &diagnostics)
        let topology = root.flatMap { builder.build($0, into: &diagnostics) }
        guard let sink = topology?.sinks.first else {
            let problem = diagnostics.all.first { $0.severity == .error }?.message
            throw UsageError(message: problem ?? "cannot make the database '\(path)'")
        }
        return try sink.factory.open(
            SinkContext(
                id: "sqlite",
                now: { Timestamp(microseconds: WallClock.microseconds) }
            )
        )
    }

    /// A text as a quoted scalar of YAML, in which a dollar sign is doubled.
    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text.replacing("$", with: "$$"))
        return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
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
