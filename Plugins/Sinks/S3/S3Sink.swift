// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// Stores records in objects of S3: collects them in local files, which another thread uploads.
///
/// A record is written when it is in a local file, and durable when that is synced. A file is
/// finished when it is large or old enough, also if no batch comes, and at the end; until it is
/// stored it survives a crash.
final class S3Sink: Sink {
    private let settings: S3Settings
    private let context: SinkContext
    private let folder: SpoolFolder
    private let client: S3Client
    private let uploader: S3Uploader
    private let file: SpoolFile
    private let figures: S3Figures

    init(
        _ settings: S3Settings,
        _ context: SinkContext,
        _ figures: S3Figures,
        syncFolder: @escaping FolderSync = FileSystem.syncFolder
    ) throws {
        self.settings = settings
        self.context = context
        self.figures = figures
        folder = try SpoolFolder(settings.folder, settings.coding, syncFolder: syncFolder)
        file = SpoolFile(folder, settings, now: context.now)
        client = try S3Client(settings, now: context.now)
        do {
            uploader = try S3Uploader(folder, file, client, settings, figures, log: context.log)
            try uploader.start()
        } catch {
            client.close()
            throw error
        }
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        guard let first = batch.first else { return .written }
        do {
            if try file.finishIfDue() { uploader.fileFinished() }
            if !file.hasBegun { try checkBacklog() }
            try append(batch, first.exchange.id)
        } catch {
            throw SinkError(.passing, "\(error)")
        }
        return .written
    }

    /// Refuses to begin a file while too many wait.
    private func checkBacklog() throws {
        let files = try folder.finished().count
        guard files >= settings.maxFiles else { return }
        let reason = uploader.failure.map { ": \($0)" } ?? ""
        throw S3SinkError("\(Counted.text(files, "file")) wait until they are stored\(reason)")
    }

    private func append(_ batch: [Record], _ id: ExchangeID) throws {
        var json = JSONWriter(capacity: 65_536)
        for record in batch {
            json.record(record)
            json.separator(0x0A)
        }
        if try file.append(json.bytes, from: id) { uploader.fileBegan() }
    }

    func flush() throws {
        try file.sync()
        do {
            if try file.finishIfDue() { uploader.fileFinished() }
        } catch {
            // The records are on disk. The file is finished with the next batch or at the end.
            context.log.warning("not stored yet: \(error)")
        }
    }

    func close() throws {
        defer {
            client.close()
            folder.unlock()
        }
        // What fails here is tried again below.
        _ = try? file.finish()
        let upload = uploader.stop()
        let failure = failureToFinish()
        let parts = [upload, failure == upload ? nil : failure, reportOfFiles()]
        let report = parts.compactMap(\.self).joined(separator: "; ")
        guard report.isEmpty else { throw S3SinkError(report) }
    }

    /// Finishes the file unless it is finished; returns the error message.
    private func failureToFinish() -> String? {
        do {
            _ = try file.finish()
            try file.sync()
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Returns a message about files that are not stored; `nil` if all are.
    private func reportOfFiles() -> String? {
        var parts: [String] = []
        let left = (try? folder.finished().count) ?? 0
        if left > 0 {
            let files = Counted.text(left, "file")
            parts.append("\(files) in '\(settings.folder)', which the next run uploads")
        }
        if figures.setAside > 0 {
            let files = Counted.text(figures.setAside, "file")
            parts.append("\(files) in '\(folder.refusedPath)', which the store has refused")
        }
        return parts.isEmpty ? nil : "not stored: " + parts.joined(separator: ", and ")
    }
}
