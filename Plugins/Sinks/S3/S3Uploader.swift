// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplinePlugin
internal import TaplineSystem

/// Stores the finished files of a folder on a thread of its own, one after the other.
///
/// A file that cannot be stored stays in the folder; it is tried again with growing delays, when the
/// next file is finished, and at the end.
///
/// **Isolation**: any thread. `start` and `stop` are called once.
final class S3Uploader: Sendable {
    /// The longest delay between tries, in seconds.
    private static let maxDelay = 60

    private struct State {
        var isStopping = false
        /// The finished files that are not stored.
        var waiting = 0
        /// Why the last file was not stored; `nil` if it was.
        var failure: String?
        /// The uploads whose files are gone.
        var orphans: [SpooledFile] = []
    }

    private let folder: SpoolFolder
    private let client: S3Client
    private let upload: S3Upload
    private let log: Log
    private let state: Mutex<State>
    private let wake = DispatchSemaphore(value: 0)
    private let thread = Mutex<DedicatedThread?>(nil)

    /// Creates an uploader of a folder; `orphans` are the uploads whose files are gone.
    init(_ folder: SpoolFolder, _ client: S3Client, _ settings: S3Settings, log: Log) throws {
        self.folder = folder
        self.client = client
        self.log = log
        upload = S3Upload(client, settings)
        let orphans = try folder.recover()
        let waiting = try folder.finished().count
        state = Mutex(State(waiting: waiting, orphans: orphans))
    }

    /// Starts the thread, which begins with the files of earlier runs.
    func start() throws {
        let started = try DedicatedThread.start { [self] in run() }
        thread.withLock { $0 = started }
    }

    /// The finished files that are not stored, and why the last one was not.
    var backlog: (files: Int, failure: String?) {
        state.withLock { ($0.waiting, $0.failure) }
    }

    /// A file was finished.
    func add() {
        state.withLock { $0.waiting += 1 }
        wake.signal()
    }

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
        while true {
            let isLast = state.withLock { $0.isStopping }
            let failure = storeAll()
            let former = state.withLock { exchange(&$0.failure, with: failure) }
            if isLast { return }
            if state.withLock({ $0.isStopping }) { continue }
            guard let failure else {
                if former != nil { log.info("files are stored again") }
                delay = 1
                wake.wait()
                continue
            }
            // Logged once, until a file is stored.
            if former == nil { log.warning("not stored yet, trying again: \(failure)") }
            _ = wake.wait(timeout: .now() + .seconds(delay))
            delay = min(2 * delay, Self.maxDelay)
        }
    }

    /// Stores what waits, the oldest first, and then removes the parts of uploads whose files are
    /// gone.
    ///
    /// What is refused does not keep the rest waiting; after several failures, the server counts as
    /// unavailable.
    ///
    /// - Returns: The first failure.
    private func storeAll() -> String? {
        var failures: [String] = []
        func attempt(_ work: () throws -> Void) -> Bool {
            do {
                try work()
            } catch {
                failures.append("\(error)")
            }
            return failures.count < Self.maxFailures
        }
        var files: [SpooledFile] = []
        guard attempt({ files = try folder.finished() }), failures.isEmpty else {
            return failures.first
        }
        for file in files {
            let goesOn = attempt {
                try upload.store(compressed(file))
                state.withLock { $0.waiting -= 1 }
            }
            guard goesOn else { return failures.first }
        }
        for orphan in state.withLock({ $0.orphans }) {
            let goesOn = attempt {
                try upload.giveUp(orphan)
                state.withLock { $0.orphans.removeAll { $0 == orphan } }
            }
            guard goesOn else { break }
        }
        return failures.first
    }

    /// After this number of failures, the server counts as unavailable.
    private static let maxFailures = 3

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
