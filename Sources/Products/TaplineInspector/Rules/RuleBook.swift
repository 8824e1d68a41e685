// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConfig
internal import TaplineCrypto
internal import TaplineJSON
internal import TaplineModel
internal import TaplineServe
internal import TaplineSystem

/// The rule files that the page shows and changes.
///
/// **Isolation**: any thread.
final class RuleBook: Sendable {
    /// A rule file.
    struct File: Sendable {
        /// The id of its component, or its path.
        let id: String
        let path: String
    }

    /// The largest file; larger ones are wrong, and are neither read nor saved as a whole.
    static let maxBytes = YAMLLimits().bytes
    /// How many looks of the poller there are for one comparison of the files.
    private static let lookEvery = 5

    private struct State {
        var stamps: [String: FileStatus] = [:]
        var looks = 0
    }

    let files: [File]
    let trials = RuleTrials()
    private let state: Mutex<State>
    /// Held while a file is compared and replaced.
    private let saving = Mutex<Void>(())

    init(_ files: [(id: String, path: String)]) {
        var known: [File] = []
        // A file that several components use is shown once.
        for file in files where !known.contains(where: { $0.path == file.path }) {
            let isTaken = known.contains { $0.id == file.id }
            known.append(File(id: isTaken ? file.path : file.id, path: file.path))
        }
        self.files = known
        state = Mutex(State(stamps: Self.stamps(known)))
    }

    /// Returns a file by its id.
    func file(_ id: String) throws(APIError) -> File {
        guard let file = files.first(where: { $0.id == id }) else {
            throw APIError(404, "unknown_file", "there is no rule file with this id")
        }
        return file
    }

    /// Reads a file; one that is too large or not UTF-8 is an error, since saving would damage it.
    func read(_ file: File) throws(APIError) -> (bytes: [UInt8], version: String) {
        var bytes: [UInt8] = []
        do throws(FileError) {
            let opened = try TaplineSystem.File(file.path, for: .readRegular)
            while bytes.count <= Self.maxBytes {
                let room = min(Self.maxBytes + 1 - bytes.count, 256 << 10)
                guard try opened.read(appendingTo: &bytes, atMost: room) > 0 else { break }
            }
        } catch {
            throw APIError(404, "missing", "the rule file cannot be read: \(error.reason)")
        }
        guard bytes.count <= Self.maxBytes else {
            throw APIError(413, "too_large", "the rule file is too large")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw APIError(409, "not_text", "the rule file is not UTF-8")
        }
        return (bytes, Self.version(of: bytes))
    }

    /// The version of a content.
    static func version(of bytes: [UInt8]) -> String {
        String(SHA256.hash(bytes.span).description.prefix(32))
    }

    /// Whether a file can be replaced.
    func isWritable(_ file: File) -> Bool {
        guard let real = FileSystem.resolved(file.path) else { return false }
        do throws(FileError) {
            try FileSystem.check(real, for: .write)
            try FileSystem.check(Self.folder(of: real), for: .write)
            return true
        } catch {
            return false
        }
    }

    /// Replaces a file as a whole, unless it has another version than expected.
    ///
    /// The owner and the mode stay as they are.
    ///
    /// - Returns: The new version; `nil` if the file has another version than expected.
    func save(
        _ bytes: [UInt8],
        to file: File,
        replacing version: String
    ) throws(APIError) -> String? {
        let outcome: Result<String?, APIError> = saving.withLock { _ in
            do throws(APIError) {
                return .success(try saveNow(bytes, to: file, replacing: version))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    private func saveNow(
        _ bytes: [UInt8],
        to file: File,
        replacing version: String
    ) throws(APIError) -> String? {
        guard try read(file).version == version else { return nil }
        do throws(FileError) {
            let isReplaced = try Self.replace(file.path, by: bytes) {
                // Somebody may have changed it while the new one was written.
                (try? read(file))?.version == version
            }
            guard isReplaced else { return nil }
        } catch {
            throw APIError(409, "read_only", "the rule file cannot be saved: \(error.reason)")
        }
        return Self.version(of: bytes)
    }

    /// Writes a new file and moves it to the place of the former one; `false` if that is not to be
    /// replaced any longer.
    private static func replace(
        _ path: String,
        by bytes: [UInt8],
        if isUnchanged: () -> Bool
    ) throws(FileError) -> Bool {
        // A link stays one.
        let real = FileSystem.resolved(path) ?? path
        let temporary = "\(real).tapline-\(WallClock.microseconds)"
        do throws(FileError) {
            let present = try TaplineSystem.File(real, for: .read)
            let new = try TaplineSystem.File(temporary, for: .create)
            try new.write(bytes.span)
            try new.copyOwner(of: present)
            try new.syncData()
            guard isUnchanged() else {
                try FileSystem.remove(temporary)
                return false
            }
            try FileSystem.move(temporary, to: real)
            return true
        } catch {
            try? FileSystem.remove(temporary)
            throw error
        }
    }

    private static func folder(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: .ascii("/")) else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    // MARK: Changes

    /// Compares the files once in a while; notifies the pages of a change.
    func look(_ hub: EventHub) {
        trials.removeForgotten()
        guard !files.isEmpty else { return }
        let isDue = state.withLock { state in
            state.looks += 1
            return state.looks % Self.lookEvery == 0
        }
        guard isDue else { return }
        let found = Self.stamps(files)
        let isChanged = state.withLock { state in
            defer { state.stamps = found }
            return state.stamps != found
        }
        guard isChanged else { return }
        var json = JSONWriter()
        json.object { json in
            json.key("files")
            json.array { json in
                for file in files {
                    json.object { json in
                        json.member("id", file.id)
                        let current = try? read(file)
                        if let current { json.member("version", current.version) }
                    }
                }
            }
        }
        hub.notify("rules", Array(copying: json.bytes))
    }

    private static func stamps(_ files: [File]) -> [String: FileStatus] {
        var stamps: [String: FileStatus] = [:]
        for file in files { stamps[file.path] = try? FileSystem.status(of: file.path) }
        return stamps
    }
}
