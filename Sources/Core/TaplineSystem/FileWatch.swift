// SPDX-License-Identifier: MIT

internal import Synchronization

/// Reads a file again when it, or a file that it depends on, has changed.
///
/// A thread of its own compares the status of the files four times a second and reads them, so that
/// no user of the value waits for a disk. A version that cannot be used changes nothing; it is read
/// again after the next change, also if a missing file has appeared.
///
/// **Isolation**: any thread.
package final class FileWatch<Value: Sendable>: Sendable {
    /// What reading the files gives.
    package struct Version: Sendable {
        /// The new value; `nil` if the files cannot be used.
        package var value: Value?
        /// The files that the first one depends on, including those that are missing.
        package var files: [String]

        /// The status of files that were not watched yet, from before they were read.
        package var stamps: FileStamps?

        /// Creates a version.
        package init(_ value: Value?, files: [String], stamps: FileStamps? = nil) {
            self.value = value
            self.files = files
            self.stamps = stamps
        }
    }

    private let look: FileLook<Value>
    private let thread = Mutex<DedicatedThread?>(nil)

    /// Prepares to watch a file, whose value was read before.
    ///
    /// - Parameters:
    ///   - path: The file. While it is missing, nothing is read: an editor may remove it briefly.
    ///   - value: What it contains now.
    ///   - files: The files that it depends on.
    ///   - stamps: The status of files from before they were read; a change of others since then is
    ///     not detected.
    package init(
        _ path: String,
        _ value: Value,
        files: [String],
        stamps: FileStamps? = nil
    ) {
        look = FileLook(path, value, files, stamps)
    }

    deinit { stop() }

    /// Starts to watch; later calls have no effect.
    ///
    /// - Parameters:
    ///   - interval: The time between two looks at the files; `nil` if only `checkNow` looks.
    ///   - read: Reads the files, on the thread of the watch. It reports why they cannot be used.
    /// - Throws: `DedicatedThreadError` if no thread can be started.
    package func start(
        every interval: Duration? = .milliseconds(250),
        _ read: @escaping @Sendable () -> Version
    ) throws(DedicatedThreadError) {
        guard look.setReader(read), let interval else { return }
        let (seconds, attoseconds) = interval.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let look = look
        let started = try DedicatedThread.start { look.run(every: microseconds) }
        thread.withLock { $0 = started }
    }

    /// Stops to watch, and waits for a read in progress.
    package func stop() {
        look.stop()
        thread.withLock { $0.take() }?.join()
    }

    /// Looks at the files now, on the calling thread.
    package func checkNow() { look.check() }

    /// The number of the version in use, which grows with each change; cheap to read.
    package var number: Int { look.number }

    /// The value in use.
    package var value: Value { look.current }

    /// How often the value was replaced, and how often a change could not be used.
    package var counts: (reloads: Int, refusals: Int) { look.counts }
}

/// The state of a watch, which its thread keeps too.
private final class FileLook<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        /// The watched files, including those that are missing.
        var files: [String]
        /// The status of those that exist.
        var stamps: [String: FileStatus]
        var read: (@Sendable () -> FileWatch<Value>.Version)?
        var reloads = 0
        var refusals = 0
    }

    private let path: String
    private let state: Mutex<State>
    private let version = Atomic<Int>(0)
    private let stopping = ThreadEvent()

    init(_ path: String, _ value: Value, _ files: [String], _ stamps: FileStamps?) {
        self.path = path
        let all = [path] + files
        let known = (stamps ?? FileStamps([])).covering(all)
        state = Mutex(State(value: value, files: all, stamps: known.stamps))
    }

    var number: Int { version.load(ordering: .acquiring) }
    var current: Value { state.withLock { $0.value } }
    var counts: (reloads: Int, refusals: Int) { state.withLock { ($0.reloads, $0.refusals) } }

    /// Sets how files are read; returns `false` if that was set before.
    func setReader(_ read: @escaping @Sendable () -> FileWatch<Value>.Version) -> Bool {
        state.withLock { state in
            guard state.read == nil else { return false }
            state.read = read
            return true
        }
    }

    func stop() { stopping.signal() }

    /// - Parameter interval: In microseconds.
    func run(every interval: Int64) {
        while !stopping.wait(until: SteadyClock.microseconds + interval) { check() }
    }

    /// Reads the files again if one has changed.
    func check() {
        let (files, known, read) = state.withLock { ($0.files, $0.stamps, $0.read) }
        guard let read else { return }
        let found = FileStamps(files)
        guard found.stamps != known else { return }
        // Stored first, so that a change that cannot be used is reported only once.
        state.withLock { $0.stamps = found.stamps }
        guard found.stamps[path] != nil else { return }
        take(read(), found)
    }

    private func take(_ new: FileWatch<Value>.Version, _ found: FileStamps) {
        let files = [path] + new.files
        // The stamps are from before reading if possible, so that later changes are detected.
        let stamps = found.merging(new.stamps).covering(files).stamps
        state.withLock { state in
            state.files = files
            state.stamps = stamps
            guard let value = new.value else {
                state.refusals += 1
                return
            }
            state.value = value
            state.reloads += 1
        }
        if new.value != nil { version.add(1, ordering: .releasing) }
    }
}

/// The status of files at one time, to detect later changes.
package struct FileStamps: Sendable {
    /// The files, including those that are missing.
    private var files: Set<String>
    /// The status of those that exist.
    fileprivate private(set) var stamps: [String: FileStatus] = [:]

    /// Takes the status of files now.
    package init(_ files: [String]) {
        self.files = Set(files)
        for file in self.files { stamps[file] = try? FileSystem.status(of: file) }
    }

    /// The same with the files of others that it does not have.
    fileprivate func merging(_ other: FileStamps?) -> FileStamps {
        guard let other else { return self }
        var merged = self
        merged.files.formUnion(other.files)
        for (file, stamp) in other.stamps where !files.contains(file) {
            merged.stamps[file] = stamp
        }
        return merged
    }

    /// The status of exactly these files; of those that it does not have, the status now.
    fileprivate func covering(_ wanted: [String]) -> FileStamps {
        let all = Set(wanted)
        var covering = merging(FileStamps(wanted.filter { !files.contains($0) }))
        covering.files = all
        covering.stamps = covering.stamps.filter { all.contains($0.key) }
        return covering
    }
}
