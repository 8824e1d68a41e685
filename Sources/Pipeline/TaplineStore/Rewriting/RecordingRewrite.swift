// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineFormats
internal import TaplineModel
internal import TaplineQuery
internal import TaplineSystem

/// Changes a recording in NDJSON, plain or compressed, line by line.
///
/// The new file replaces the former one when it is complete, with its owner and permissions; until
/// then, the former one is locked. Lines that do not change keep their bytes; blank lines are left
/// out.
///
/// **Limits**: memory for one line of up to 1 GiB.
struct RecordingRewrite {
    private static let chunk = 1 << 18
    private static let maxLineBytes = 1 << 30

    /// What happens to a line.
    private enum Change {
        case keep
        case remove
        case replace([UInt8])
    }

    private let path: String
    private let temporary: String
    /// Called before the new file takes the place of the former one.
    var beforeCommit: () -> Void = {}

    /// Prepares a change of a file; the new file has a temporary name until it is complete.
    init(_ path: String, temporary: String) {
        self.path = path
        self.temporary = temporary
    }

    // MARK: Erasing

    /// Removes the records that match a filter, or only counts them; unreadable lines are kept.
    func erase(_ filter: Filter, isPreview: Bool) throws -> ErasureReport {
        var report = ErasureReport()
        var parser = RecordParser()
        var position = 0
        try rewrite(isPreview: isPreview) { records, index in
            defer { position += 1 }
            guard var exchange = try? parser.exchange(at: index, of: records) else {
                report.addProblems(1)
                return .keep
            }
            if exchange.id.isNil {
                exchange.id = records.derivedID(
                    at: index,
                    started: exchange.started,
                    position: position
                )
            }
            guard filter.matches(exchange) else { return .keep }
            report.removed(exchange.id)
            return .remove
        }
        return report
    }

    /// Removes values from all lines, or only counts them.
    func erase(_ eraser: any ContentEraser, isPreview: Bool) throws -> ErasureReport {
        var report = ErasureReport()
        try rewrite(isPreview: isPreview) { records, index in
            let erased = eraser.erase(json: records.bytes(at: index))
            if eraser.takeMetLimit() { report.addProblems(1) }
            guard let erased else { return .keep }
            report.add("lines", erased.count)
            report.addJoinedNames("lines", eraser.takeJoinedNames())
            guard erased.bytes.isEmpty else { return .replace(erased.bytes) }
            report.addRemovedPart()
            return .remove
        }
        return report
    }

    // MARK: Rewriting

    private func rewrite(
        isPreview: Bool,
        _ change: (RawRecords, Int) throws -> Change
    ) throws {
        do {
            let before = try status()
            let source = try File(path, for: .read)
            if !isPreview { try lock(source) }
            let coding = try self.coding()
            let output = isPreview ? nil : try RecordingOutput(path, temporary: temporary, coding)
            defer { output?.discard() }
            try output?.copyOwner(of: source)
            let hasChanged = try copy(source, to: output, change)
            guard hasChanged, let output else { return }
            try output.finish {
                guard try status() == before else {
                    throw StoreError(
                        .notChangeable,
                        "'\(path)' was written to meanwhile; stop its writer first"
                    )
                }
                beforeCommit()
            }
            // A writer that has waited for the lock finds the new file now.
            source.unlock()
        } catch let error as FileError {
            throw StoreError(error.isMissing ? .missing : .system, error.description)
        } catch let error as RecordError {
            throw StoreError(
                .damaged,
                "\(error); nothing was changed; 'tapline convert' copies what can be read of it "
                    + "into a new file that can be changed; the damaged one has to be removed"
            )
        }
    }

    /// Takes the lock that the sink `ndjson` has while it writes to a file.
    private func lock(_ source: borrowing File) throws {
        guard try source.lock() else {
            throw StoreError(
                .locked,
                "'\(path)' is open in another process that writes to it, which has to end first"
            )
        }
    }

    /// Copies the lines; returns whether any of them has changed.
    private func copy(
        _ source: borrowing File,
        to output: RecordingOutput?,
        _ change: (RawRecords, Int) throws -> Change
    ) throws -> Bool {
        var splitter = RecordingSplitter(file: path, maxRecordBytes: Self.maxLineBytes)
        var records = RawRecords(file: path)
        var bytes: [UInt8] = []
        var hasChanged = false
        var isAtEnd = false
        while !isAtEnd {
            bytes.removeAll(keepingCapacity: true)
            if try source.read(appendingTo: &bytes, atMost: Self.chunk) > 0 {
                try splitter.append(bytes.span, to: &records)
            } else {
                try splitter.finish(to: &records)
                isAtEnd = true
            }
            guard splitter.format != .har else {
                throw StoreError(
                    .notChangeable,
                    "'\(path)' is HAR; expected a database or NDJSON, into which 'tapline convert' "
                        + "converts it"
                )
            }
            for index in 0..<records.count {
                let isChanged = try copy(records, index, to: output, change)
                hasChanged = hasChanged || isChanged
            }
            records.removeAll()
        }
        return hasChanged
    }

    /// Copies a line; returns whether it has changed.
    private func copy(
        _ records: RawRecords,
        _ index: Int,
        to output: RecordingOutput?,
        _ change: (RawRecords, Int) throws -> Change
    ) throws -> Bool {
        guard !records.bytes(at: index).isEmpty else {
            throw StoreError(
                .notChangeable,
                "'\(path)' has a line of more than \(Self.maxLineBytes) bytes at line "
                    + "\(records.place(at: index).line)"
            )
        }
        switch try change(records, index) {
        case .keep:
            if let output { try output.write(records.bytes(at: index)) }
            return false
        case .remove: return true
        case .replace(let new):
            if let output { try output.write(new.span) }
            return true
        }
    }

    /// The status of the file, which has to be on disk.
    private func status() throws -> FileStatus {
        guard path != "-", let status = try FileSystem.status(of: path, followingLinks: false)
        else { throw StoreError(.missing, "there is no file '\(path)'") }
        // The new file takes only this name, so the former content would stay under the others.
        guard status.kind != .link, !status.hasOtherNames else {
            throw StoreError(
                .notChangeable,
                "'\(path)' is a link; give the file itself, and remove other links to it"
            )
        }
        guard status.kind == .regular else {
            throw StoreError(.notChangeable, "'\(path)' is no regular file; it cannot be changed")
        }
        return status
    }

    /// How the file is compressed.
    private func coding() throws -> ContentCoding? {
        let file = try File(path, for: .read)
        var head: [UInt8] = []
        while head.count < 4, try file.read(appendingTo: &head, atMost: 4 - head.count) > 0 {}
        return RecordingProbe.coding(of: head.span)
    }
}
