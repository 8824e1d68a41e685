// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// A database that a command writes in batches, through the sink `sqlite` with its default options.
///
/// **Isolation**: one thread at a time.
final class DatabaseOutput {
    /// What happened to the records of the batches so far.
    struct Counts {
        /// Records that were stored.
        var written = 0
        /// Records whose id was there already.
        var duplicates = 0
        /// Records that SQLite cannot store, because a part of them is too large.
        var refused = 0

        /// Adds other counts.
        mutating func add(_ other: Counts) {
            written += other.written
            duplicates += other.duplicates
            refused += other.refused
        }
    }

    /// The suffixes of databases.
    static let suffixes = [".db", ".sqlite", ".sqlite3"]
    private static let maxMemory = 32 << 20

    private let factory: any SinkFactory
    private let sink: any Sink
    private let isNew: Bool
    private var batch: [Record] = []
    private var memory = 0
    private(set) var counts = Counts()

    /// Opens the database.
    ///
    /// - Parameters:
    ///   - path: The file, which is created if needed.
    ///   - invocation: The command that writes it.
    ///   - isNew: Whether it is useless until it is complete: batches are on disk when they are
    ///     written, and records that cannot be stored are counted. Otherwise they are an error.
    /// - Throws: `UsageError` if the sink is not linked or refuses the path, and the errors of the
    ///   sink.
    init(_ path: String, _ invocation: Invocation, isNew: Bool) throws {
        let factory = try Self.factory(path, invocation, isNew: isNew)
        self.factory = factory
        self.isNew = isNew
        let log = LogWriter(format: .text, isQuiet: true, console: invocation.console).log
        sink = try factory.open(
            SinkContext(id: "sqlite", log: log.of("sqlite")) {
                Timestamp(microseconds: WallClock.microseconds)
            }
        )
    }

    private static func factory(
        _ path: String,
        _ invocation: Invocation,
        isNew: Bool
    ) throws -> any SinkFactory {
        let plugin = invocation.registry.sinks.first { $0.description.name == "sqlite" }
        guard let plugin else {
            throw UsageError(message: "this program is built without the sink 'sqlite'")
        }
        var options = Options(plugin.description.options)
        options[ConfigKey<String>("path", .path, summary: "The database file.")] = path
        var context = BuildContext(id: "sqlite", environment: invocation.environment)
        if isNew, let sync = OptionAssignment("sqlite.sync=batch", into: &context.diagnostics) {
            options.apply(sync, into: &context.diagnostics)
        }
        guard !context.diagnostics.hasErrors, let factory = plugin.build(options, &context) else {
            throw UsageError(message: "the sink 'sqlite' cannot write to '\(path)'")
        }
        return factory
    }

    /// Whether records need the hashes of their bodies.
    var needsDigests: Bool { factory.needsDigests }

    /// Writes a record, possibly later.
    func write(_ record: Record) throws {
        batch.append(record)
        memory += record.memory
        if batch.count >= factory.batchLimit || memory >= Self.maxMemory { try writeBatch() }
    }

    /// Writes the last batch and closes the database.
    func finish() throws {
        try writeBatch()
        try sink.flush()
        try sink.close()
    }

    /// Closes the database without the last batch.
    func abandon() { try? sink.close() }

    /// Writes the batch; if it is refused, each record on its own.
    private func writeBatch() throws {
        guard !batch.isEmpty else { return }
        let records = batch
        (batch, memory) = ([], 0)
        do {
            note(try sink.write(records), records.count)
        } catch let error as SinkError where error.kind == .refused && isNew {
            for record in records {
                do {
                    note(try sink.write([record]), 1)
                } catch let error as SinkError where error.kind == .refused {
                    counts.refused += 1
                }
            }
        }
    }

    private func note(_ result: WriteResult, _ records: Int) {
        counts.duplicates += result.duplicates
        counts.written += records - result.duplicates
    }
}
