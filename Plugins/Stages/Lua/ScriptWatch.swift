// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin
internal import TaplineSystem

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Detects changes of a script's file or of a module's file, and reloads the script.
///
/// The first lane that is about to call a hook checks the file times, at most four times a second.
/// Other lanes do not wait, and nothing runs without exchanges. A changed script is compiled and
/// run once in a separate state, as when a pipeline is built; only then do the lanes see it.
///
/// **Isolation**: any thread.
final class ScriptWatch: Sendable {
    private struct State {
        var script: LuaScript
        /// All watched files, including those that currently do not exist.
        var files: [String]
        var stamps: [String: FileStatus]
    }

    private struct Totals {
        var reloads = 0
        var refusals = 0
        /// The last version for which a lane has reported whether it runs.
        var reported = 0
    }

    private static let interval: UInt64 = 250_000_000
    private let path: String
    /// The hooks that the chain calls.
    private let hooks: Hooks
    /// The clock, in nanoseconds.
    private let now: @Sendable () -> UInt64
    private let check: @Sendable (LuaScript) throws(ScriptError) -> (Hooks, [String])
    private let state: Mutex<State>
    private let looked = Atomic<UInt64>(0)
    private let version = Atomic<Int>(0)
    private let totals = Mutex(Totals())

    /// Watches a script and the modules that it loaded.
    ///
    /// `check` compiles a script, runs it once and returns its hooks and the files of its modules.
    init(
        _ script: LuaScript,
        modules: [String],
        hooks: Hooks,
        now: @escaping @Sendable () -> UInt64,
        check: @escaping @Sendable (LuaScript) throws(ScriptError) -> (Hooks, [String])
    ) {
        path = script.name
        self.now = now
        self.hooks = hooks
        self.check = check
        let files = [script.name] + modules
        state = Mutex(State(script: script, files: files, stamps: ScriptWatch.stamps(files)))
    }

    /// How often the script was reloaded, and how often a change was refused.
    var counts: (reloads: Int, refusals: Int) {
        totals.withLock { ($0.reloads, $0.refusals) }
    }

    /// Reports that a lane has started a version or failed to.
    ///
    /// Only the first report of a version is counted and logged.
    func lane(ran version: Int, failure: ScriptError?, log: Log) {
        let isFirst = totals.withLock { totals in
            guard version > totals.reported else { return false }
            totals.reported = version
            if failure == nil { totals.reloads += 1 } else { totals.refusals += 1 }
            return true
        }
        guard isFirst else { return }
        if let failure {
            log.error("\(failure); the previous script stays in use")
        } else {
            log.info("\(path) was reloaded")
        }
    }

    /// The number of the version that lanes should run.
    func currentVersion(log: Log) -> Int {
        let nanoseconds = now()
        let last = looked.load(ordering: .relaxed)
        if nanoseconds >= last &+ ScriptWatch.interval || nanoseconds < last {
            let (isMine, _) = looked.compareExchange(
                expected: last,
                desired: nanoseconds,
                ordering: .relaxed
            )
            if isMine { look(log) }
        }
        return version.load(ordering: .acquiring)
    }

    /// The script of the current version.
    var script: LuaScript { state.withLock { $0.script } }

    /// Checks the files, and reloads the script if one has changed.
    private func look(_ log: Log) {
        let (files, known) = state.withLock { ($0.files, $0.stamps) }
        let found = ScriptWatch.stamps(files)
        guard found != known else { return }
        // Stored first, so that a refused change is reported only once.
        state.withLock { $0.stamps = found }
        // An editor may remove the file for a moment; its return counts as a change.
        guard found[path] != nil else { return }
        do {
            try take(found)
        } catch {
            totals.withLock { $0.refusals += 1 }
            log.error("\(error); the previous script stays in use")
        }
    }

    private func take(_ found: [String: FileStatus]) throws(ScriptError) {
        guard let text = ScriptFile.read(path) else {
            throw error("script cannot be read")
        }
        let script = LuaScript(path: path, text: text)
        let (new, modules) = try check(script)
        guard new.isSubset(of: hooks) else {
            throw error(
                "script has a hook that it did not have when the pipeline was built",
                help: "restart tapline to use it"
            )
        }
        // These stamps were taken before the files were read, so that later changes are detected.
        let files = [path] + modules
        let stamps = ScriptWatch.stamps(modules.filter { found[$0] == nil })
            .merging(found) { $1 }
            .filter { files.contains($0.key) }
        state.withLock { $0 = State(script: script, files: files, stamps: stamps) }
        version.add(1, ordering: .releasing)
    }

    private func error(_ message: String, help: String? = nil) -> ScriptError {
        ScriptError(
            code: .fault,
            script: path,
            line: nil,
            hook: nil,
            message: message,
            help: help,
            detail: ""
        )
    }

    /// The current status of the files; files that do not exist are left out.
    private static func stamps(_ files: [String]) -> [String: FileStatus] {
        var stamps: [String: FileStatus] = [:]
        for file in files { stamps[file] = try? FileSystem.status(of: file) }
        return stamps
    }
}

/// Reads the files of scripts.
enum ScriptFile {
    /// The maximum that C accepts; C reports larger scripts.
    private static var maxBytes: Int { 4 << 20 }

    /// The bytes of a file, up to slightly more than a script may have; `nil` if reading fails,
    /// with the reason in `errno`.
    static func read(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { _ = close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= maxBytes {
            let count = unsafe chunk.withUnsafeMutableBytes { room in
                unsafe Glibc.read(file, room.baseAddress, room.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }
}
