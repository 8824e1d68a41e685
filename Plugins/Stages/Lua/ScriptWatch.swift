// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFiles
internal import TaplinePlugin

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Notices that a script's file, or that of a module, has changed, and makes the script anew.
///
/// File times are looked at when a hook is about to be called, four times a second at most, by
/// whichever lane comes first: nothing waits and nothing runs when there are no exchanges. What has
/// changed is compiled and run once apart, as when a pipeline is built; only then the lanes see it.
///
/// **Isolation**: any thread.
final class ScriptWatch: Sendable {
    private struct State {
        var script: LuaScript
        /// All files that count, also those that are not there now.
        var files: [String]
        var stamps: [String: FileStatus]
    }

    private struct Tally {
        var reloads = 0
        var refusals = 0
        /// The last version of which a lane has said whether it runs.
        var told = 0
    }

    private static let interval: UInt64 = 250_000_000
    private let path: String
    /// The hooks that the chain calls.
    private let hooks: Hooks
    private let check: @Sendable (LuaScript) throws(ScriptError) -> (Hooks, [String])
    private let state: Mutex<State>
    private let looked = Atomic<UInt64>(0)
    private let version = Atomic<Int>(0)
    private let tally = Mutex(Tally())

    /// Watches a script and the modules that it loaded.
    ///
    /// `check` compiles a script, runs it once and gives its hooks and the files of its modules.
    init(
        _ script: LuaScript,
        modules: [String],
        hooks: Hooks,
        check: @escaping @Sendable (LuaScript) throws(ScriptError) -> (Hooks, [String])
    ) {
        path = script.name
        self.hooks = hooks
        self.check = check
        let files = [script.name] + modules
        state = Mutex(State(script: script, files: files, stamps: ScriptWatch.stamps(files)))
    }

    /// How often the script was taken anew, and how often a change was refused.
    var counts: (reloads: Int, refusals: Int) {
        tally.withLock { ($0.reloads, $0.refusals) }
    }

    /// A lane has started a version, or could not; the first of them counts and tells.
    func lane(ran version: Int, failure: ScriptError?, log: Log) {
        let isFirst = tally.withLock { tally in
            guard version > tally.told else { return false }
            tally.told = version
            if failure == nil { tally.reloads += 1 } else { tally.refusals += 1 }
            return true
        }
        guard isFirst else { return }
        if let failure {
            log.error("\(failure); the script that was loaded before goes on")
        } else {
            log.info("\(path) was reloaded")
        }
    }

    /// The number of the version that lanes should run; it changes when there is a new one.
    func currentVersion(at nanoseconds: UInt64, log: Log) -> Int {
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

    /// Looks at the files, and takes the script anew where one has changed.
    private func look(_ log: Log) {
        let (files, known) = state.withLock { ($0.files, $0.stamps) }
        let found = ScriptWatch.stamps(files)
        guard found != known else { return }
        // Noted first, so that a change that is refused is told once.
        state.withLock { $0.stamps = found }
        // An editor may have taken the file away for a moment; when it is back it is a change.
        guard found[path] != nil else { return }
        do {
            try take(found)
        } catch {
            tally.withLock { $0.refusals += 1 }
            log.error("\(error); the script that was loaded before goes on")
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
                "script has a hook that it had not when the pipeline was built, so nobody calls it",
                help: "start tapline anew"
            )
        }
        // The stamps from before the files were read, so that a change since then is one.
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

    /// What the files look like now; those that are not there are left out.
    private static func stamps(_ files: [String]) -> [String: FileStatus] {
        var stamps: [String: FileStatus] = [:]
        for file in files { stamps[file] = try? FileSystem.status(of: file) }
        return stamps
    }
}

/// Reads the files of scripts.
enum ScriptFile {
    /// What C accepts; it says so when a script is larger.
    private static var maxBytes: Int { 4 << 20 }

    /// The bytes of a file, up to a little more than a script may have; `nil` if that fails,
    /// and `errno` says why.
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
