// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import TaplineSystem

/// Appends records to a file, one JSON object per line, and rotates the file.
///
/// A batch is atomic: if it fails, every file that it touched is truncated to its previous size.
final class NDJSONSink: Sink {
    private let names: FileNames
    private let rotation: Rotation
    private let syncs: Bool
    private let context: SinkContext
    private let archive: Archive
    private var writer = NDJSONWriter()
    /// The file that is being written.
    private var segment: Segment
    /// Whether the file was removed and no new one could be created.
    private var isRemoved = false
    /// The files that the current batch has finished; they stay open until the batch is done.
    private var finished: [Segment] = []
    /// The date in the name of the file, and the period of its age.
    private var dated: String
    private var period: Int64
    /// Whether the folder has the names of all files even after a crash of the machine.
    private var isFolderSynced = false

    /// How many bytes are buffered before they are written.
    private static let chunk = 1 << 20

    init(_ settings: NDJSONFactory, _ context: SinkContext) throws {
        let now = context.now()
        names = FileNames(template: settings.template)
        rotation = settings.rotation
        syncs = settings.syncs
        self.context = context
        let log = context.log
        do {
            segment = try Segment(names.current(at: now)) { log.warning($0) }
        } catch let error as FileError where error.isMissing {
            throw NDJSONError(
                "\(error); the folder '\(settings.template.folder)' must exist; "
                    + "create it or change 'path'"
            )
        }
        dated = settings.template.path(at: now, counter: 0)
        period = rotation.period(of: try segment.lastWritten ?? now)
        archive = Archive(settings.template, rotation, log: log)
        archive.cleanUp()
        if syncs { try syncFolder() }
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        do {
            try revert()
            try refresh()
            try rotateIfDue()
            try append(batch, &writer)
            try commit()
        } catch {
            writer.removeAll()
            // If truncating fails now, it is repeated before the next batch.
            try? revert()
            throw SinkError(.passing, "\(error)")
        }
        return .written
    }

    func sync() throws {
        try segment.sync()
        try syncFolder()
    }

    func reopen() throws {
        try revert()
        guard try !segment.isInPlace else { return }
        try segment.sync()
        isFolderSynced = false
        segment = try Segment(segment.path) { context.log.warning($0) }
        context.log.info("reopened '\(segment.path)'")
    }

    func close() throws {
        try revert()
        if syncs { try segment.sync() }
        archive.wait()
        segment.unlock()
    }
}

// MARK: - A batch

extension NDJSONSink {
    private func append(_ batch: [Record], _ writer: inout NDJSONWriter) throws {
        writer.removeAll()
        // The number of bytes of the buffer that are already written.
        var written = 0
        for record in batch {
            let start = writer.count
            writer.write(record)
            let waiting = start - written
            if rotation.splits(size: segment.size + waiting, adding: writer.count - start) {
                try segment.append(writer.bytes.extracting(written..<start))
                written = start
                try rotate()
            }
            if writer.count - written >= Self.chunk {
                try segment.append(writer.bytes.extracting(written...))
                writer.removeAll()
                written = 0
            }
        }
        try segment.append(writer.bytes.extracting(written...))
        // Frees the memory of a single huge record.
        if writer.count > 16 * Self.chunk { writer = NDJSONWriter() } else { writer.removeAll() }
    }

    /// Commits the batch in all files that it touched; after the first step nothing can fail.
    ///
    /// Finished files are synced in any case, since `sync` no longer knows them.
    private func commit() throws {
        for segment in finished { try segment.sync() }
        if syncs {
            try segment.sync()
            try syncFolder()
        }
        for segment in finished { segment.commit() }
        segment.commit()
        release()
    }

    /// Starts a new file if the current one was removed.
    private func refresh() throws {
        let log = context.log
        if try segment.refresh(log: { log.warning($0) }) { return }
        // Logged once, even if opening a new file fails repeatedly.
        if !isRemoved { log.warning("'\(segment.path)' was removed; starting a new file") }
        isRemoved = true
        isFolderSynced = false
        segment = try Segment(segment.path) { log.warning($0) }
        isRemoved = false
    }

    private func syncFolder() throws {
        guard !isFolderSynced else { return }
        try FileSystem.syncFolder(names.template.folder)
        isFolderSynced = true
    }

    private func revert() throws {
        for segment in finished { try segment.revert() }
        try segment.revert()
        release()
    }

    /// Closes the finished files and starts a round of the archive.
    private func release() {
        guard !finished.isEmpty else { return }
        finished.removeAll()
        archive.cleanUp()
    }
}

// MARK: - The next file

extension NDJSONSink {
    /// Starts a new file if the date in the name has changed or the file has reached its age.
    private func rotateIfDue() throws {
        let now = context.now()
        let date = names.template.path(at: now, counter: 0)
        // A clock that is set back does not reopen earlier files.
        let isNewDate = date != dated && names.isLater(date, than: dated)
        let isOld = rotation.period(of: now) > period
        guard isNewDate || isOld else { return }
        if segment.size > 0 || isNewDate { try rotate() }
        period = max(period, rotation.period(of: now))
    }

    private func rotate() throws {
        let now = context.now()
        let template = names.template
        let date = template.path(at: now, counter: 0)
        let isNewDate = date != dated && names.isLater(date, than: dated)
        let former = segment
        let log = context.log
        if template.hasCounter || isNewDate {
            let path = template.hasCounter ? try names.next(at: now) : date
            segment = try Segment(path) { log.warning($0) }
        } else {
            let path = former.path
            try former.move(to: names.archive(of: path))
            do {
                segment = try Segment(path) { log.warning($0) }
            } catch {
                try former.move(to: path)
                throw error
            }
        }
        if isNewDate { dated = date }
        finished.append(former)
        isFolderSynced = false
    }
}
