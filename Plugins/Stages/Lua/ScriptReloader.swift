// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Reloads a script when its file, or the file of a module, has changed.
///
/// A changed script is compiled and run once in a separate state, as when a pipeline is built; only
/// then do the lanes see it.
///
/// **Isolation**: any thread.
final class ScriptReloader: Sendable {
    private struct Totals {
        var reloads = 0
        var refusals = 0
        /// The last version for which a lane has reported whether it runs.
        var reported = 0
    }

    let watch: FileWatch<LuaScript>
    private let path: String
    /// The folder of its modules.
    private let folder: String
    /// The hooks that the chain calls.
    private let hooks: Hooks
    private let check: @Sendable (LuaScript) throws(ScriptError) -> (Hooks, [String])
    private let totals = Mutex(Totals())

    /// Prepares to watch a script and the modules that it loaded.
    ///
    /// `stamps` are from before the script was read. `check` compiles a script, runs it once and
    /// returns its hooks and the files of its modules.
    init(
        _ script: LuaScript,
        stamps: FileStamps? = nil,
        modules: [String],
        in folder: String,
        hooks: Hooks,
        check: @escaping @Sendable (LuaScript) throws(ScriptError) -> (Hooks, [String])
    ) {
        path = script.name
        self.folder = folder
        self.hooks = hooks
        self.check = check
        watch = FileWatch(script.name, script, files: modules, stamps: stamps)
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

    /// Starts to watch; the log gets what the script's changes lead to.
    func start(_ log: Log, every interval: Duration?) throws(DedicatedThreadError) {
        try watch.start(every: interval) { [weak self] in
            self?.read(log) ?? FileWatch.Version(nil, files: [])
        }
    }

    /// Reads and checks the script; logs why it cannot be used.
    private func read(_ log: Log) -> FileWatch<LuaScript>.Version {
        var modules: [String] = []
        do throws(ScriptError) {
            guard let text = ScriptFile.read(path, waits: false) else {
                throw error("script cannot be read")
            }
            // A module that is missing is not among those that were loaded.
            modules = ScriptFile.modules(of: text, in: folder)
            let stamps = FileStamps(modules)
            let script = LuaScript(path: path, text: text)
            let (new, loaded) = try check(script)
            modules = loaded
            guard new.isSubset(of: hooks) else {
                throw error(
                    "script has a hook that it did not have when the pipeline was built",
                    help: "restart tapline to use it"
                )
            }
            return FileWatch.Version(script, files: loaded, stamps: stamps)
        } catch {
            totals.withLock { $0.refusals += 1 }
            log.error("\(error); the previous script stays in use")
            return FileWatch.Version(nil, files: modules)
        }
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
}

/// Reads the files of scripts.
enum ScriptFile {
    /// The maximum that C accepts; C reports larger scripts.
    private static var maxBytes: Int { 4 << 20 }

    /// The bytes of a file, up to slightly more than a script may have; `nil` if reading fails,
    /// with the reason in `errno`.
    ///
    /// Without `waits`, a pipe is not waited for: it would stop the thread that watches the script.
    static func read(_ path: String, waits: Bool = true) -> [UInt8]? {
        let waiting: Int32 = waits ? 0 : O_NONBLOCK
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | waiting)
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

    /// The files of the modules that a script requires by their names.
    static func modules(of text: [UInt8], in folder: String) -> [String] {
        guard !folder.isEmpty else { return [] }
        var lexer = LuaLexer(text)
        var files: [String] = []
        var isRequired = false
        while let token = try? lexer.next(), token.kind != .end, files.count < maxModules {
            if token.kind == .string, isRequired, isModuleName(token.text) {
                let name = token.text.split(separator: ".").joined(separator: "/")
                files.append("\(folder)/\(name).lua")
            }
            isRequired =
                token.kind == .name && token.text == "require"
                || isRequired && token.kind == .symbol("(")
        }
        return files
    }

    private static func isModuleName(_ text: String) -> Bool {
        text.utf8.count <= 59
            && text.utf8.allSatisfy { byte in
                byte.isLetter || byte.isDigit || "_-.".utf8.contains(byte)
            }
    }

    /// How many modules of a script that cannot be used are watched.
    private static let maxModules = 64
}
