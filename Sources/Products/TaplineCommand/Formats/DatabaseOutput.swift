// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// A database that a command writes in batches, through the sink `sqlite` with its default options.
///
/// The sink has a thread of its own, so that the caller reads while it writes. An error of the sink is
/// thrown by a later call.
///
/// **Limits**: two batches of `maxMemory`, and of as many records as the sink wants.
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
    private static let maxMemory = 4 << 20

    /// Whether records need the hashes of their bodies.
    let needsDigests: Bool
    private let batchLimit: Int
    private let writer: BatchWriter
    private let shared: SharedCounts
    private var batch: [Record] = []
    private var memory = 0

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
        needsDigests = factory.needsDigests
        batchLimit = factory.batchLimit
        let log = LogWriter(format: .text, isQuiet: true, console: invocation.console).log
        let shared = SharedCounts()
        self.shared = shared
        writer = try BatchWriter {
            let context = SinkContext(id: "sqlite", log: log.of("sqlite")) {
                Timestamp(microseconds: WallClock.microseconds)
            }
            return SinkOutput(try factory.open(context), skipsRefused: isNew, shared)
        }
    }

    deinit { writer.abandon() }

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

    /// What happened to the records that the thread has written by now.
    var counts: Counts { shared.value }

    /// Writes a record, possibly later.
    ///
    /// **Throws**: the error of an earlier batch.
    func write(_ record: Record) throws {
        batch.append(record)
        memory += record.memory
        if batch.count >= batchLimit || memory >= Self.maxMemory { try passBatch() }
    }

    /// Writes the last batch and closes the database.
    ///
    /// **Throws**: the error of any batch; the batches before it are stored.
    func finish() throws {
        do {
            if !batch.isEmpty { try passBatch() }
        } catch {
            writer.abandon()
            throw error
        }
        try writer.finish()
    }

    /// Closes the database without the batches that are not written yet.
    func abandon() { writer.abandon() }

    private func passBatch() throws {
        var full: [Record] = []
        swap(&full, &batch)
        memory = 0
        batch.reserveCapacity(full.count)
        try writer.write(full)
    }
}

/// The counts of a database, which its thread changes.
private final class SharedCounts: Sendable {
    private let counts = Mutex(DatabaseOutput.Counts())

    var value: DatabaseOutput.Counts { counts.withLock { $0 } }

    func add(_ other: DatabaseOutput.Counts) { counts.withLock { $0.add(other) } }
}

/// The sink of a database as the output of a `BatchWriter`.
private final class SinkOutput: BatchOutput {
    private let sink: any Sink
    private let skipsRefused: Bool
    private let counts: SharedCounts

    init(_ sink: any Sink, skipsRefused: Bool, _ counts: SharedCounts) {
        self.sink = sink
        self.skipsRefused = skipsRefused
        self.counts = counts
    }

    /// Writes a batch; if it is refused, each record on its own.
    func write(_ batch: [Record]) throws {
        do {
            note(try sink.write(batch), batch.count)
        } catch let error as SinkError where error.kind == .refused && skipsRefused {
            for record in batch {
                do {
                    note(try sink.write([record]), 1)
                } catch let error as SinkError where error.kind == .refused {
                    counts.add(DatabaseOutput.Counts(refused: 1))
                }
            }
        }
    }

    func finish() throws {
        try sink.flush()
        try sink.close()
    }

    func abandon() { try? sink.close() }

    private func note(_ result: WriteResult, _ records: Int) {
        counts.add(
            DatabaseOutput.Counts(
                written: records - result.duplicates,
                duplicates: result.duplicates
            )
        )
    }
}
