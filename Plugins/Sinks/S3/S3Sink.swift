// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin

/// Stores records in objects of S3: collects them in local files, and uploads these.
///
/// A record is written when it is in a local file, and durable when that is synced. A file is
/// uploaded when it is large or old enough, and at the end; until then it survives a crash.
final class S3Sink: Sink {
    private let settings: S3Settings
    private let context: SinkContext
    private let folder: SpoolFolder
    private let client: S3Client
    private let upload: S3Upload
    private var orphans: [SpooledFile]
    private var current: SpoolWriter?

    init(_ settings: S3Settings, _ context: SinkContext) throws {
        self.settings = settings
        self.context = context
        folder = try SpoolFolder(settings.folder, settings.coding)
        orphans = try folder.recover()
        client = try S3Client(settings, now: context.now)
        upload = S3Upload(client, settings)
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        guard let first = batch.first else { return .written }
        do {
            if isDue { try finish() }
            try uploadFinished()
            try append(batch, first.exchange.id)
        } catch {
            throw SinkError(.passing, "\(error)")
        }
        return .written
    }

    private func append(_ batch: [Record], _ id: ExchangeID) throws {
        var json = JSONWriter(capacity: 65_536)
        for record in batch {
            json.record(record)
            json.separator(0x0A)
        }
        let writer = try current ?? folder.begin(id, at: context.now())
        current = writer
        try writer.append(json.bytes)
    }

    func flush() throws {
        try current?.sync()
        guard isDue else { return }
        do {
            try finish()
            try uploadFinished()
        } catch {
            // The records are on disk. The file stays, and is uploaded with the next batch or at
            // the end.
            context.log.warning("not stored yet: \(error)")
        }
    }

    func close() throws {
        defer {
            client.close()
            folder.unlock()
        }
        do {
            try finish()
            try uploadFinished()
        } catch {
            let count = (try? folder.finished().count) ?? 0
            throw S3SinkError(
                "\(error); \(count) files stay in '\(settings.folder)', which the next run uploads"
            )
        }
    }

    /// Whether the current file is large or old enough.
    private var isDue: Bool {
        guard let writer = current else { return false }
        let age = context.now().microseconds.subtractingClamped(writer.started.microseconds)
        return writer.size >= settings.maxBytes || age >= settings.maxAge.count
    }

    private func finish() throws {
        guard let writer = current else { return }
        let file = try folder.finish(writer)
        // A file that cannot be compressed is stored as it is.
        current = nil
        try folder.compress(file)
    }

    private func uploadFinished() throws {
        while let orphan = orphans.last {
            try upload.giveUp(orphan)
            orphans.removeLast()
        }
        for file in try folder.finished() { try upload.store(file) }
    }
}
