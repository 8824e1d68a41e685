// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCrypto
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// The file that keeps the positions of followed files between runs.
///
/// It is replaced as a whole, and synced before. The first bytes of a file are kept as 64 bits of an
/// HMAC whose key is random in each checkpoint.
final class FollowCheckpoint: Sendable {
    private static let version = "1"
    private static let maxBytes = 16 << 20

    private let path: String
    private let key: [UInt8]
    /// Held while a source follows, so that no other one uses the checkpoint.
    private let lock: File
    /// The positions of the last run, and the digests of the first bytes.
    let found: [String: (mark: FollowMark, digest: String)]

    /// The file that is locked while a source uses a checkpoint.
    static func lockPath(of path: String) -> String { "\(path).lock" }

    /// Locks and reads a checkpoint; one that does not exist is empty.
    init(_ path: String) throws {
        self.path = path
        do throws(FileError) {
            try FileSystem.check(FileSystem.folder(of: path), for: .write)
            lock = try File(Self.lockPath(of: path), for: .append)
        } catch {
            throw ReplayError(
                "the checkpoint '\(path)' cannot be written: \(error); set 'checkpoint' to a file in "
                    + "a folder that can be written, or 'checkpoint: false' to begin in each run as "
                    + "set by 'from'"
            )
        }
        guard try lock.lock() else {
            throw ReplayError(
                "the checkpoint '\(path)' is in use by another process; set another 'checkpoint'"
            )
        }
        guard let status = try FileSystem.status(of: path) else {
            // As text, since it is kept in JSON.
            key = Array(String(SecureRandom().next(), radix: 16).utf8)
            found = [:]
            return
        }
        var bytes: [UInt8] = []
        let file = try File(path, for: .readRegular)
        while status.size <= Self.maxBytes, try file.read(appendingTo: &bytes, atMost: 1 << 16) > 0
        {}
        guard let (key, found) = Self.parse(bytes) else {
            throw ReplayError(
                "the checkpoint '\(path)' cannot be read; remove it to begin as set by 'from'"
            )
        }
        self.key = key
        self.found = found
    }

    private static func parse(
        _ bytes: [UInt8]
    ) -> ([UInt8], [String: (mark: FollowMark, digest: String)])? {
        var parser = JSONParser(maxDepth: 8)
        guard let document = try? parser.parse(bytes.span),
            document.root.member("version")?.asString == version,
            let key = document.root.member("key")?.asString,
            let files = document.root.member("files")
        else { return nil }
        var found: [String: (mark: FollowMark, digest: String)] = [:]
        var elements = files.elements
        while let file = elements.next() {
            guard let path = file.member("path")?.asString,
                let device = file.member("device")?.asString.flatMap({ UInt64($0) }),
                let inode = file.member("inode")?.asString.flatMap({ UInt64($0) }),
                let offset = file.member("offset")?.asString.flatMap({ Int($0) }),
                let length = file.member("head_bytes")?.asString.flatMap({ Int($0) }),
                let digest = file.member("head")?.asString,
                offset >= 0, 0...FollowedFile.headBytes ~= length
            else { return nil }
            let identity = FileIdentity(device: device, inode: inode)
            let head = [UInt8](repeating: 0, count: length)
            // Missing in checkpoints of earlier versions.
            let modified = file.member("modified")?.asString.flatMap { Int64($0) } ?? 0
            let mark = FollowMark(
                identity: identity,
                head: head,
                offset: offset,
                modified: modified
            )
            found[path] = (mark, digest)
        }
        return (Array(key.utf8), found)
    }

    /// Lets another source use the checkpoint; nothing may be written afterwards.
    func unlock() { lock.unlock() }

    /// The digest of the first bytes of a file.
    func digest(_ head: [UInt8]) -> String {
        var text: [UInt8] = []
        let key = key
        let code = HMACSHA256(key: key.span)
        let digest = code.authenticate(head.span)
        digest.appendHex(to: &text, byteCount: 8)
        return String(decoding: text, as: UTF8.self)
    }

    /// Replaces the checkpoint.
    func write(_ marks: [String: FollowMark]) throws(FileError) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("version", Self.version)
            writer.member("key", String(decoding: key, as: UTF8.self))
            writer.key("files")
            writer.array { writer in
                for (path, mark) in marks.sorted(by: { $0.key < $1.key }) {
                    writer.object { writer in
                        writer.member("path", path)
                        writer.member("device", "\(mark.identity.device)")
                        writer.member("inode", "\(mark.identity.inode)")
                        writer.member("offset", "\(mark.offset)")
                        writer.member("modified", "\(mark.modified)")
                        writer.member("head_bytes", "\(mark.head.count)")
                        writer.member("head", digest(mark.head))
                    }
                }
            }
        }
        let temporary = FileSystem.temporaryName(for: path)
        do throws(FileError) {
            let file = try File(temporary, for: .create)
            try file.write(writer.bytes)
            try file.syncData()
            try FileSystem.move(temporary, to: path)
            try FileSystem.syncFolder(FileSystem.folder(of: path))
        } catch {
            try? FileSystem.remove(temporary)
            throw error
        }
    }
}

/// The positions of followed files whose records all sinks are done with.
///
/// **Isolation**: any thread.
final class FollowProgress: Sendable {
    private struct State {
        var positions = FollowPositions()
        var isChanged = false
    }

    private let checkpoint: FollowCheckpoint
    private let log: Log
    private let state = Mutex(State())
    /// Whether nothing is written any more; held while the file is written, so that an older state
    /// never replaces a newer one.
    private let writing = Mutex(false)

    init(_ checkpoint: FollowCheckpoint, log: Log) {
        self.checkpoint = checkpoint
        self.log = log
        state.withLock { $0.positions = FollowPositions(checkpoint.found.mapValues(\.mark)) }
    }

    /// Whether all positions are acknowledged.
    var isComplete: Bool { state.withLock { $0.positions.isComplete } }

    /// The number of batches, from the oldest unacknowledged one on.
    var unconfirmed: Int { state.withLock { $0.positions.unconfirmed } }

    /// Notes the position that a batch reaches; returns its number.
    func issue(_ path: String, _ mark: FollowMark) -> UInt64 {
        state.withLock { $0.positions.issue(path, mark) }
    }

    /// All sinks are done with a batch.
    func acknowledge(_ number: UInt64) {
        state.withLock { state in
            if state.positions.acknowledge(number) { state.isChanged = true }
        }
    }

    /// Logs a warning if a position has not moved for long.
    func checkStall(now: Int64) {
        guard let path = state.withLock({ $0.positions.stalledPath(now: now) }) else { return }
        let seconds = FollowPositions.stallTime / 1_000_000
        log.warning(
            "the checkpoint of '\(path)' has not moved for \(seconds) s, since a sink has not "
                + "confirmed its records; a restart reads from there again"
        )
    }

    /// Commits for the last time, and lets another source use the checkpoint.
    ///
    /// After a reload, its successor needs it, while queues keep acknowledgements for as long as a
    /// sink fails. The records of those are read again.
    func end() {
        commit()
        writing.withLock { isOver in
            isOver = true
            checkpoint.unlock()
        }
    }

    /// Writes the checkpoint if a position has changed.
    func commit() {
        writing.withLock { isOver in
            if isOver { return }
            let marks = state.withLock { state -> [String: FollowMark]? in
                guard state.isChanged else { return nil }
                state.isChanged = false
                return state.positions.marks
            }
            guard let marks else { return }
            do throws(FileError) {
                try checkpoint.write(marks)
            } catch {
                state.withLock { $0.isChanged = true }
                log.error("cannot write the checkpoint, trying again: \(error)")
            }
        }
    }
}
