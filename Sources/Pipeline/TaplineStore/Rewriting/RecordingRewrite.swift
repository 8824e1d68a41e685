// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineFormats
internal import TaplineModel
internal import TaplineSystem

/// Changes a recording in NDJSON, plain or compressed, line by line.
///
/// Several threads search batches of lines for values.
///
/// The new file replaces the former one when it is complete, with its owner and permissions; until
/// then, the former one is locked. Lines that do not change keep their bytes; blank lines are left
/// out.
///
/// **Limits**: memory for `maxWaitingBytes`, or for one line of up to 1 GiB.
struct RecordingRewrite {
    /// How many bytes may be read before they are written.
    private static let maxWaitingBytes = 64 << 20

    /// What happens to a line.
    enum Change: Sendable {
        case keep
        case remove
        case replace([UInt8])
    }

    /// Lines, and what happens to each.
    struct Batch: Sendable {
        let records: RawRecords
        var changes: [Change] = []
        var report = ErasureReport()
    }

    /// Decides what happens to lines.
    typealias Decide = (RawRecords) throws -> Batch

    private let path: String
    private let temporary: String
    /// Called before the new file takes the place of the former one.
    var beforeCommit: () -> Void = {}

    /// Prepares a change of a file; the new file has a temporary name until it is complete.
    init(_ path: String, temporary: String) {
        self.path = path
        self.temporary = temporary
    }

    // MARK: Rewriting

    /// Changes the lines.
    ///
    /// - Parameters:
    ///   - isPreview: Whether nothing is changed.
    ///   - decide: Decides on this thread.
    ///   - makeDecide: Makes what decides on other threads; `nil` if only this one can.
    /// - Returns: What was found.
    /// - Throws: `StoreError`, or the error of a closure; nothing is changed then.
    func rewrite(
        isPreview: Bool,
        _ decide: Decide,
        onThreads makeDecide: (@Sendable () throws -> Decide)? = nil
    ) throws -> ErasureReport {
        do {
            var report = ErasureReport()
            let before = try status()
            let source = try File(path, for: .read)
            if !isPreview { try lock(source) }
            let coding = try self.coding()
            let output = isPreview ? nil : try RecordingOutput(path, temporary: temporary, coding)
            defer { output?.discard() }
            try output?.copyOwner(of: source)
            let hasChanged = try copy(source, to: output, &report, decide, makeDecide)
            guard hasChanged, let output else { return report }
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
            return report
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
        _ report: inout ErasureReport,
        _ decide: Decide,
        _ makeDecide: (@Sendable () throws -> Decide)?
    ) throws -> Bool {
        var batches = LineBatches(path)
        var waiting = 0
        var hasChanged = false
        try ParallelMap.run(
            next: {
                guard waiting < Self.maxWaitingBytes, let records = try batches.next(source) else {
                    return nil
                }
                waiting += records.byteCount
                return records
            },
            transform: decide,
            makeTransform: makeDecide,
            body: { batch in
                waiting -= batch.records.byteCount
                report.add(batch.report)
                let records = batch.records
                for (index, change) in batch.changes.enumerated() {
                    let isChanged = try write(records.bytes(at: index), change, to: output)
                    hasChanged = hasChanged || isChanged
                }
            }
        )
        return hasChanged
    }

    /// Writes a line as decided; returns whether it has changed.
    private func write(
        _ line: Span<UInt8>,
        _ change: Change,
        to output: RecordingOutput?
    ) throws -> Bool {
        switch change {
        case .keep:
            try output?.write(line)
            return false
        case .remove: return true
        case .replace(let new):
            try output?.write(new.span)
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
