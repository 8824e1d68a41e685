// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// Stores the finished files of a folder on a thread of its own, one after the other.
///
/// A file that cannot be stored stays in the folder; it is tried again with growing delays, when the
/// next file is finished, and at the end. The thread also finishes a file that has become old while
/// no batch comes.
///
/// **Isolation**: any thread. `start` and `stop` are called once.
final class S3Uploader: Sendable {
    /// The longest delay between tries, in seconds.
    private static let maxDelay = 60
    /// After this number of failures that no file has caused, the server counts as unavailable.
    private static let maxFailures = 3
    /// A file that the store refuses this often, while it stores others, is set aside.
    private static let maxRefusals = 5

    private struct State {
        var isStopping = false
        /// Why the last file was not stored; `nil` if it was.
        var failure: String?
    }

    /// What only the thread uses.
    private struct Work {
        /// The uploads whose files are gone.
        var orphans: [SpooledFile]
        /// How often each file was refused while others were stored, by name.
        var refusals: [String: Int] = [:]
    }

    private let folder: SpoolFolder
    private let open: SpoolFile
    private let upload: S3Upload
    private let figures: S3Figures
    private let log: Log
    private let orphans: [SpooledFile]
    private let state = Mutex(State())
    private let wake = ThreadEvent()
    private let thread = Mutex<DedicatedThread?>(nil)

    /// Creates an uploader of a folder in which one file is open.
    init(
        _ folder: SpoolFolder,
        _ open: SpoolFile,
        _ client: S3Client,
        _ settings: S3Settings,
        _ figures: S3Figures,
        log: Log
    ) throws {
        self.folder = folder
        self.open = open
        self.figures = figures
        self.log = log
        upload = S3Upload(client, settings)
        orphans = try folder.recover()
    }

    /// Starts the thread, which begins with the files of earlier runs.
    func start() throws {
        let started = try DedicatedThread.start { [self] in run() }
        thread.withLock { $0 = started }
    }

    /// Why the last file was not stored; `nil` if it was.
    var failure: String? { state.withLock { $0.failure } }

    /// A file has begun, which becomes old later.
    func fileBegan() { wake.signal() }

    /// A file was finished.
    func fileFinished() { wake.signal() }

    /// Tries once more to store what waits, and ends the thread.
    ///
    /// - Returns: Why a file was not stored; `nil` if all are.
    func stop() -> String? {
        state.withLock { $0.isStopping = true }
        wake.signal()
        thread.withLock { $0.take() }?.join()
        return state.withLock { $0.failure }
    }

    private func run() {
        var delay = 1
        var work = Work(orphans: orphans)
        while true {
            let isLast = state.withLock { $0.isStopping }
            let problem = finishOld()
            let failure = storeAll(&work) ?? problem
            let former = state.withLock { exchange(&$0.failure, with: failure) }
            if isLast { return }
            if state.withLock({ $0.isStopping }) { continue }
            guard let failure else {
                if former != nil { log.info("files are stored again") }
                delay = 1
                wait(nil)
                continue
            }
            // Logged once, until a file is stored.
            if former == nil { log.warning("not stored yet, trying again: \(failure)") }
            wait(delay)
            delay = min(2 * delay, Self.maxDelay)
        }
    }

    /// Waits for a signal, for a number of seconds, or until the open file is old.
    private func wait(_ delay: Int?) {
        var left = open.timeLeft?.count
        // After a failure, finishing is tried again with everything else.
        if let delay { left = Int64(delay) * 1_000_000 }
        guard let left else { return wake.take() }
        wake.take(until: SteadyClock.microseconds.addingClamped(left))
    }

    /// Finishes the open file if it is old; returns the error message.
    private func finishOld() -> String? {
        do {
            _ = try open.finishIfDue()
            return nil
        } catch {
            return "\(error)"
        }
    }
}

// MARK: - Storing

extension S3Uploader {
    private typealias Refused = (file: SpooledFile, reason: String)

    /// Stores what waits, the oldest first, and then removes the parts of uploads whose files are
    /// gone.
    ///
    /// - Returns: The first failure.
    private func storeAll(_ work: inout Work) -> String? {
        var files: [SpooledFile] = []
        do { files = try folder.finished() } catch { return "\(error)" }
        var refused: [Refused] = []
        var failures: [String] = []
        var hasStored = false
        for finished in files where failures.count < Self.maxFailures {
            var file = finished
            do {
                file = try compressed(file)
                try upload.store(file)
                hasStored = true
                work.refusals[file.name] = nil
                if try upload.hasBegun(file) { work.orphans.append(file) }
            } catch  where Self.isRefusal(error) {
                refused.append((file, "\(error)"))
            } catch {
                failures.append("\(error)")
            }
        }
        // If nothing is stored, the file is unlikely to be the cause.
        if hasStored { refused = refused.filter { !setAside($0, &work) } }
        if failures.isEmpty { removeOrphans(&work) }
        return failures.first ?? refused.first?.reason
    }

    /// Returns whether an error may be due to the file, not to the connection or the server.
    private static func isRefusal(_ error: any Error) -> Bool {
        guard let error = error as? S3Error else {
            return error is FileError || error is S3SinkError
        }
        return 400..<500 ~= error.status && error.status != 408 && error.status != 429
    }

    /// Counts a refusal; the last one moves the file aside.
    ///
    /// - Returns: Whether it was moved.
    private func setAside(_ refused: Refused, _ work: inout Work) -> Bool {
        let name = refused.file.name
        let count = work.refusals[name, default: 0] + 1
        work.refusals[name] = count
        guard count >= Self.maxRefusals else { return false }
        do {
            let path = try folder.setAside(refused.file)
            figures.setAsideFile()
            log.error("a file was refused \(count) times and is now '\(path)': \(refused.reason)")
            if try upload.hasBegun(refused.file) { work.orphans.append(refused.file) }
        } catch {
            return false
        }
        work.refusals[name] = nil
        return true
    }

    /// Removes the parts of uploads whose files are gone.
    ///
    /// What cannot be removed is tried again in the next run.
    private func removeOrphans(_ work: inout Work) {
        for orphan in work.orphans {
            do {
                try upload.giveUp(orphan)
            } catch {
                log.warning("parts of an upload that was given up cannot be removed: \(error)")
            }
        }
        work.orphans = []
    }

    /// Returns the compressed file, or the file itself if it is to be stored as it is.
    private func compressed(_ file: SpooledFile) throws -> SpooledFile {
        // An upload in parts that has begun goes on with the same file.
        guard try folder.compresses(file) && !upload.hasBegun(file) else { return file }
        do {
            return try folder.compress(file)
        } catch {
            log.warning("a file is stored uncompressed: \(error)")
            return file
        }
    }
}
