// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineSystem

/// The position in a file up to which its lines were read.
struct FollowMark: Sendable, Equatable {
    var identity: FileIdentity
    /// The first bytes of the file, at most `FollowedFile.headBytes`, all of them before `offset`.
    var head: [UInt8]
    /// The end of the last complete line.
    var offset: Int
    /// When the file last changed, in microseconds since 1970; 0 if unknown.
    var modified: Int64 = 0
}

/// A growing file of NDJSON that is read by its path.
///
/// **Isolation**: one thread.
final class FollowedFile {
    /// How many bytes are read at a time.
    private static let readSize = 256 << 10
    /// How many bytes at the start of a file identify it.
    static let headBytes = 64

    let path: String
    private let settings: ReplaySettings
    private let say: (String) -> Void
    private var machine: FollowedFileStateMachine
    private var file: File?
    private var splitter: RecordingSplitter
    private var identity = FileIdentity(device: 0, inode: 0)
    private var head: [UInt8] = []
    /// The byte at which the splitter began.
    private(set) var base = 0
    private var position = 0
    /// The end of the last complete line.
    private var consumed = 0
    private var size = 0
    private var modified: Int64 = 0
    private var startsAtEnd: Bool
    /// Whether the rest of a line that began before the start is skipped.
    private var isSkipping = false
    private(set) var truncations = 0
    /// How many files were moved and could not be read.
    private(set) var missed = 0
    /// The last file that was read to its end; `nil` before the first.
    private var last: RotatedFile?
    /// The files that were read or left out, the newest at the end.
    private var finished: [FileIdentity] = []
    /// The most of these that are kept.
    private static let maxFinished = 1024
    /// The other files that are followed, which were not moved away from this path.
    private let neighbours: [String]
    /// Whether the error that keeps the file from being opened was logged.
    private var hasSaidError = false

    init(
        _ path: String,
        _ settings: ReplaySettings,
        grace: Int64,
        neighbours: [String] = [],
        say: @escaping (String) -> Void
    ) {
        self.path = path
        self.neighbours = neighbours
        self.settings = settings
        self.say = say
        startsAtEnd = settings.follow?.startsAtEnd ?? false
        machine = FollowedFileStateMachine(grace: grace)
        splitter = Self.makeSplitter(path, settings)
    }

    private static func makeSplitter(
        _ path: String,
        _ settings: ReplaySettings
    ) -> RecordingSplitter {
        RecordingSplitter(file: path, maxRecordBytes: settings.maxRecordBytes)
    }

    /// The bytes that are not read yet.
    var lag: Int { max(0, size - consumed) }

    /// The position; `nil` while no file is open.
    var mark: FollowMark? {
        guard file != nil else { return nil }
        return FollowMark(
            identity: identity,
            head: Array(head.prefix(consumed)),
            offset: consumed,
            modified: modified
        )
    }

    /// Continues at a checkpoint, in the file that the path named then; if it is gone, in those that
    /// were written after it.
    func resume(at mark: FollowMark, matches: ([UInt8]) -> Bool) throws(FileError) {
        startsAtEnd = false
        guard let path = try find(mark.identity) else {
            missed += 1
            if mark.modified > 0 { noteEnd(of: mark.identity, modified: mark.modified) }
            return say("'\(path)': the checkpoint's file is gone; its unread records are lost")
        }
        let opened = try File(path, for: .readRegular)
        let status = try opened.status()
        let start = try Self.head(of: opened)
        guard status.size >= mark.offset, matches(start) else {
            return replaced(mark, matches)
        }
        begin(opened, status, start, at: mark.offset)
        machine.opened(identity)
    }

    /// Continues if the file of the checkpoint has other content: it was truncated in place, perhaps
    /// after it was copied, or another file has its inode now, and others may lie between them.
    private func replaced(_ mark: FollowMark, _ matches: ([UInt8]) -> Bool) {
        let rotated = RotatedFiles(of: path)
        for file in rotated.all
        where rotated.isRotated(file.name) && file.modified >= mark.modified {
            let copy = rotated.path(of: file)
            let hasOpened = try? openCopy(copy, at: mark, matches)
            guard hasOpened == true else { continue }
            return say("'\(path)' was truncated since the checkpoint; continuing in '\(copy)'")
        }
        missed += 1
        say(
            "'\(path)' no longer has the checkpoint's content; its unread records are lost, and "
                + "reading continues at the start of the next file"
        )
        guard mark.modified > 0 else { return }
        // Without the identity, which is that of a file that is still to be read.
        last = RotatedFile(
            name: FileSystem.name(of: path),
            identity: FileIdentity(device: 0, inode: 0),
            modified: mark.modified
        )
    }

    /// Opens a file if it has the content of a checkpoint; returns whether it is open.
    private func openCopy(
        _ copy: String,
        at mark: FollowMark,
        _ matches: ([UInt8]) -> Bool
    ) throws(FileError) -> Bool {
        let opened = try File(copy, for: .readRegular)
        let status = try opened.status()
        let start = try Self.head(of: opened)
        guard !mark.head.isEmpty, status.size >= mark.offset, matches(start) else { return false }
        begin(opened, status, start, at: mark.offset)
        machine.opened(identity)
        return true
    }

    /// The name of a file in the folder of the path: its own, or that of a moved file.
    private func find(_ wanted: FileIdentity) throws(FileError) -> String? {
        if let status = try FileSystem.status(of: path), FileIdentity(status) == wanted {
            return path
        }
        let folder = FileSystem.folder(of: path)
        for name in try FileSystem.names(in: folder) {
            let other = "\(folder)/\(name)"
            guard let status = try FileSystem.status(of: other), status.kind == .regular,
                FileIdentity(status) == wanted
            else { continue }
            return other
        }
        return nil
    }

    /// Reads the next bytes, and appends the records that end in them.
    ///
    /// - Returns: Whether anything was read, opened or closed.
    func read(_ records: inout RawRecords, now: Int64) throws -> Bool {
        let named = try findNamed()
        if machine.found(named, now: now) == .open, let named {
            file = nil
            if let isOpen = openRotated(besides: named) { return isOpen }
            return try unlessPassing { try open() } ?? false
        }
        guard file != nil else { return false }
        if try isTruncated(), machine.truncated() == .startAgain { startAgain() }
        let count = try readBytes(&records)
        guard count == 0 else {
            machine.read(now: now)
            return true
        }
        guard machine.reachedEnd(now: now) == .close else { return false }
        try splitter.finish(to: &records)
        consumed = position
        noteEnd(of: identity, modified: modified)
        return true
    }

    /// The file that the path names; `nil` if there is none, or it cannot be inspected now.
    private func findNamed() throws -> FileIdentity? {
        guard let found = try unlessPassing({ try FileSystem.status(of: path) }),
            let status = found, status.kind == .regular
        else { return nil }
        return FileIdentity(status)
    }

    /// Returns `nil` for an error that may pass, so that the next look tries again.
    ///
    /// While a file is rotated, its path may name none, or one whose permissions are not set yet.
    private func unlessPassing<Value>(_ action: () throws -> Value) throws -> Value? {
        do {
            return try action()
        } catch let error as FileError where error.isMissing || error.isForbidden {
            if error.isForbidden, !hasSaidError {
                hasSaidError = true
                say("\(error); trying again")
            }
            return nil
        }
    }

    /// Closes the file after its last records were submitted.
    func closeIfComplete() { if machine.isAbsent { file = nil } }

    private func open() throws -> Bool {
        let opened = try File(path, for: .readRegular)
        let status = try opened.status()
        let start = try Self.head(of: opened)
        if RecordingProbe.coding(of: start.span) != nil {
            throw ReplayError("'\(path)' is compressed; only plain NDJSON can be followed")
        }
        var offset = 0
        if startsAtEnd, status.size > 0 {
            offset = status.size
            var last: [UInt8] = [0]
            var space = last.mutableSpan
            _ = try opened.read(into: &space, at: offset - 1)
            isSkipping = last[0] != 0x0A
        }
        startsAtEnd = false
        begin(opened, status, start, at: offset)
        let gone = machine.opened(identity)
        if gone > 0 {
            missed += gone
            say(
                "'\(path)' was moved before it was read, and is no longer in its folder unchanged; "
                    + "files left out: \(gone)"
            )
        }
        hasSaidError = false
        return true
    }

    private func begin(
        _ opened: consuming File,
        _ status: FileStatus,
        _ start: [UInt8],
        at offset: Int
    ) {
        file = consume opened
        identity = FileIdentity(status)
        head = start
        size = status.size
        modified = status.modified
        restart(at: offset)
    }

    // MARK: - Files that were moved before they were read

    /// Opens the oldest file that was moved away from the path and not read yet.
    ///
    /// - Returns: Whether it is open; `nil` if there is none.
    private func openRotated(besides named: FileIdentity) -> Bool? {
        guard let last else { return nil }
        let rotated = RotatedFiles(of: path)
        let others =
            finished + [named]
            + neighbours.compactMap { path in
                (try? FileSystem.status(of: path)).map { FileIdentity($0) }
            }
        let awaited = machine.awaited
        let next = rotated.next(
            after: last,
            of: rotated.all,
            awaited: awaited,
            besides: Set(others)
        )
        guard let next else { return nil }
        let path = rotated.path(of: next)
        do {
            let opened = try File(path, for: .readRegular)
            let status = try opened.status()
            // It was moved again; the next look finds it.
            guard FileIdentity(status) == next.identity else { return false }
            let start = try Self.head(of: opened)
            guard RecordingProbe.coding(of: start.span) == nil else {
                throw ReplayError("it is compressed")
            }
            isSkipping = false
            begin(opened, status, start, at: 0)
            machine.opened(identity, isNamed: false)
            return true
        } catch let error as FileError where error.isMissing {
            return false
        } catch {
            missed += 1
            machine.leftOut(next.identity)
            finish(next.identity)
            say("'\(path)' was moved before it was read, and is left out: \(error)")
            return false
        }
    }

    /// Notes that a file was read to its end.
    private func noteEnd(of identity: FileIdentity, modified: Int64) {
        last = RotatedFile(
            name: FileSystem.name(of: path),
            identity: identity,
            modified: modified
        )
        finish(identity)
    }

    private func finish(_ identity: FileIdentity) {
        if finished.count >= Self.maxFinished { finished.removeFirst() }
        finished.append(identity)
    }

    // MARK: - Reading

    private func restart(at offset: Int) {
        splitter = Self.makeSplitter(path, settings)
        base = offset
        position = offset
        consumed = offset
    }

    private func startAgain() {
        truncations += 1
        say("'\(path)' was truncated; reading it from its start")
        isSkipping = false
        restart(at: 0)
    }

    private static func head(of file: borrowing File) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: headBytes)
        var space = bytes.mutableSpan
        let count = try file.read(into: &space, at: 0)
        return Array(bytes.prefix(count))
    }

    /// Whether the file is shorter than what was read of it, or begins with other bytes.
    private func isTruncated() throws(FileError) -> Bool {
        guard let status = try file?.status(), let start = try fileHead() else { return false }
        size = status.size
        modified = status.modified
        let isTruncated = status.size < position || !start.starts(with: head.prefix(position))
        if isTruncated || start.count > head.count { head = start }
        return isTruncated
    }

    private func fileHead() throws(FileError) -> [UInt8]? {
        guard file != nil else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.headBytes)
        var space = bytes.mutableSpan
        let count = try file?.read(into: &space, at: 0) ?? 0
        return Array(bytes.prefix(count))
    }

    private func readBytes(_ records: inout RawRecords) throws -> Int {
        var bytes = [UInt8](repeating: 0, count: max(1, min(Self.readSize, size - position)))
        var space = bytes.mutableSpan
        let count = try file?.read(into: &space, at: position) ?? 0
        let start = position
        position += count
        let end = bytes.prefix(count).lastIndex(of: 0x0A)
        var first = 0
        if isSkipping {
            let line = bytes.prefix(count).firstIndex(of: 0x0A)
            first = line.map { $0 + 1 } ?? count
            isSkipping = line == nil
            base = start + first
            consumed = base
        }
        try splitter.append(bytes.span.extracting(first..<count), to: &records)
        if let end { consumed = max(consumed, start + end + 1) }
        if splitter.format == .har {
            throw ReplayError("'\(path)' is a HAR file; only NDJSON can be followed")
        }
        return count
    }
}
