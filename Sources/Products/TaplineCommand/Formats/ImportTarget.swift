// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// Where imported records are written.
protocol ImportTarget: AnyObject {
    /// Whether records need the hashes of their bodies.
    var needsDigests: Bool { get }
    /// Records that were there already.
    var duplicates: Int { get }
    /// What the format cannot hold.
    var losses: LossReport { get }

    /// Writes a record, possibly later.
    func write(_ record: Record) throws

    /// Completes the output.
    func finish() throws

    /// Ends without the output, as far as it is not written yet.
    func abandon()
}

/// A new recording.
final class RecordingTarget: ImportTarget {
    private let output: OutputFile
    private var writer: RecordingWriter

    init(_ path: String, _ format: OutputFormat) throws {
        writer = try RecordingWriter(format)
        output = try OutputFile(path)
        writer.begin()
    }

    var needsDigests: Bool { false }

    var duplicates: Int { 0 }

    var losses: LossReport { writer.losses }

    func write(_ record: Record) throws {
        writer.write(record)
        try writer.drain(to: output.file)
    }

    func finish() throws {
        writer.end()
        try writer.drain(to: output.file, isLast: true)
        try output.finish()
    }

    func abandon() { output.abandon() }
}

/// A database of the sink `sqlite`, new or with exchanges in it.
final class DatabaseTarget: ImportTarget {
    private static let maxMemory = 32 << 20

    private let factory: any SinkFactory
    private let sink: any Sink
    private var batch: [Record] = []
    private var memory = 0
    private(set) var duplicates = 0

    /// Opens the database.
    ///
    /// **Throws**: `UsageError` if the sink is not linked or refuses the path, and the errors of
    /// the sink.
    init(_ path: String, _ invocation: Invocation) throws {
        let plugin = invocation.registry.sinks.first { $0.description.name == "sqlite" }
        guard let plugin else {
            throw UsageError(message: "this program is built without the sink 'sqlite'")
        }
        var options = Options(plugin.description.options)
        options[ConfigKey<String>("path", .path, summary: "The database file.")] = path
        var context = BuildContext(id: "sqlite", environment: invocation.environment)
        guard let factory = plugin.build(options, &context) else {
            throw UsageError(message: "the sink 'sqlite' cannot write to '\(path)'")
        }
        self.factory = factory
        let log = LogWriter(format: .text, isQuiet: true, console: invocation.console).log
        sink = try factory.open(
            SinkContext(id: "sqlite", log: log.of("sqlite")) {
                Timestamp(microseconds: WallClock.microseconds)
            }
        )
    }

    var needsDigests: Bool { factory.needsDigests }

    var losses: LossReport { LossReport() }

    func write(_ record: Record) throws {
        batch.append(record)
        memory += record.memory
        if batch.count >= factory.batchLimit || memory >= Self.maxMemory { try writeBatch() }
    }

    func finish() throws {
        try writeBatch()
        try sink.flush()
        try sink.close()
    }

    func abandon() { try? sink.close() }

    private func writeBatch() throws {
        guard !batch.isEmpty else { return }
        duplicates += try sink.write(batch).duplicates
        batch.removeAll(keepingCapacity: true)
        memory = 0
    }
}
