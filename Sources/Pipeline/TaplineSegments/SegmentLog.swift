// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineBytes
package import TaplineSystem

/// A queue of records on disk: segments that are appended to, and removed once they are read.
///
/// The segments are files in a folder that outlives the process, or unnamed files, which the system
/// frees when the process ends, however it ends.
///
/// **Isolation**: any thread; appends follow each other. A call waits for the disk, but only an append
/// and `close` wait until records are synced.
package final class SegmentLog: Sendable {
    /// The error number of an append to a log that is not open (EBADF).
    private static let closed: Int32 = 9
    /// The error number of a segment that was removed (ENOENT).
    private static let missing: Int32 = 2

    private struct Segment {
        let first: UInt64
        var bytes: Int
        /// The file, if it has no name.
        var file: SegmentFile?
    }

    /// Frames that are in a segment, and count once they are synced.
    private struct Written {
        let file: SegmentFile
        let start: SegmentPosition
        let end: SegmentPosition
        /// Whether the segment is new, so that its entry in the folder is to be synced, too.
        let beginsSegment: Bool
    }

    private struct State: ~Copyable {
        var segments: [Segment] = []
        /// The last segment, if records are appended to it.
        var active: SegmentFile?
        var lock: File?
        var isOpen = false
        /// Whether frames are being synced to the last segment, which must not be removed then.
        var isSyncing = false
        var committed = SegmentPosition(startOf: 0)
        var end = SegmentPosition(startOf: 0)

        var bytes: Int { segments.reduce(0) { $0 + $1.bytes } }
    }

    /// The folder.
    package let folder: SegmentFolder
    private let isNamed: Bool
    private let limits: Limits
    private let writing: SegmentWriting
    /// Held by an append from its beginning to its end, also while it syncs; locked before `state`.
    private let appending = Mutex(())
    private let state = Mutex(State())

    /// Creates a log in a folder, which is to be opened.
    package init(_ folder: String, _ limits: Limits, writing: SegmentWriting = SegmentWriting()) {
        self.folder = SegmentFolder(folder)
        self.limits = limits
        self.writing = writing
        isNamed = true
    }

    /// Creates a log of unnamed files on the file system of a folder; it is open.
    package init(unnamedIn folder: String, maxBytes: Int) {
        self.folder = SegmentFolder(folder)
        limits = Limits(maxBytes: maxBytes, syncs: false)
        writing = SegmentWriting()
        isNamed = false
        state.withLock { $0.isOpen = true }
    }

    /// The size of all segments.
    package var bytes: Int { state.withLock { $0.bytes } }

    /// The end of the log.
    package var end: SegmentPosition { state.withLock { $0.end } }

    /// Opens a segment for reading.
    ///
    /// **Throws**: `FileError`, which is `isMissing` if the segment was removed.
    func window(of first: UInt64) throws(FileError) -> SegmentWindow {
        if isNamed { return try SegmentWindow(folder.segment(first)) }
        let file = state.withLock { state in state.segments.first { $0.first == first }?.file }
        guard let file else { throw FileError("read", folder.path, code: Self.missing) }
        return SegmentWindow(file)
    }

    /// Returns whether a segment has not been removed.
    func holds(_ first: UInt64) -> Bool {
        state.withLock { state in state.segments.contains { $0.first == first } }
    }

    /// The name of a segment in messages.
    func name(of first: UInt64) -> String { isNamed ? folder.segment(first) : folder.path }

    /// Returns the first record of the segment after another one.
    package func segment(after former: UInt64) -> UInt64? {
        state.withLock { $0.segments.first { $0.first > former }?.first }
    }
}

// MARK: - Opening

extension SegmentLog {
    /// Creates or opens the folder, cuts off an incomplete append, and locks out other processes.
    package func open() throws(SegmentError) -> Opened {
        do {
            return try state.withLock { try open(&$0) }
        } catch let error as SegmentError {
            throw error
        } catch let error as FileError {
            throw .file(error)
        } catch {
            throw .file(FileError("open", folder.path, code: 5))
        }
    }

    private func open(_ state: inout State) throws -> Opened {
        try FileSystem.makeFolder(folder.path)
        let lock = try File(folder.lock, for: .append)
        guard try lock.lock() else { throw SegmentError.inUse(folder.path) }
        var opened = Opened()
        let position = try folder.readPosition()
        var firsts: [UInt64] = []
        for first in try folder.segments() {
            // These were read; the process ended before it removed them.
            if let position, first < position.segment {
                try FileSystem.remove(folder.segment(first))
            } else {
                try checkVersion(of: first)
                firsts.append(first)
            }
        }
        var segments: [Segment] = []
        var end = SegmentPosition(startOf: position?.record ?? 0)
        for first in firsts {
            let size = try FileSystem.status(of: folder.segment(first))?.size ?? 0
            segments.append(Segment(first: first, bytes: size))
        }
        if let last = segments.last {
            let found = try repair(last, position, &opened)
            if found.record == last.first {
                try FileSystem.remove(folder.segment(last.first))
                segments.removeLast()
            } else {
                segments[segments.count - 1].bytes = found.offset
            }
            end = found
        }
        opened.end = end
        opened.isPositionLost = position == nil && !segments.isEmpty
        opened.next = Self.start(position, segments.first?.first, end)
        try folder.makeReserve()
        // So that a missing position is always a lost one, and none is ahead of the log: after a
        // crash, records that are appended now would count as read.
        if position != opened.next {
            try writePosition(opened.next, syncs: true)
            try FileSystem.syncFolder(folder.path)
        }
        state = State(
            segments: segments,
            active: nil,
            lock: lock,
            isOpen: true,
            committed: opened.next,
            end: end
        )
        return opened
    }

    /// Returns where reading begins.
    private static func start(
        _ position: SegmentPosition?,
        _ first: UInt64?,
        _ end: SegmentPosition
    ) -> SegmentPosition {
        guard let first else { return end }
        let start = SegmentPosition(startOf: first)
        guard let position, position.segment == first else { return start }
        return position.record < end.record ? position : end
    }

    private func checkVersion(of first: UInt64) throws {
        var head: [UInt8] = []
        let file = try File(folder.segment(first), for: .readRegular)
        _ = try file.read(appendingTo: &head, atMost: SegmentFormat.headerBytes)
        if case .version(let version) = SegmentFormat.header(head.span) {
            throw SegmentError.version(folder.segment(first), version)
        }
    }

    /// Cuts off what an append did not complete; returns the end of the segment.
    ///
    /// Damage before a valid record is no reason to cut; the reader counts what it skips.
    private func repair(
        _ segment: Segment,
        _ position: SegmentPosition?,
        _ opened: inout Opened
    ) throws(FileError) -> SegmentPosition {
        let path = folder.segment(segment.first)
        let window = try SegmentWindow(path)
        var offset = SegmentFormat.headerBytes
        var record = segment.first
        // The number of records before damage is only known from the position.
        if let position, position.segment == segment.first, position.offset <= segment.bytes {
            offset = position.offset
            record = position.record
        }
        scan: while true {
            switch try window.next(at: offset) {
            case .record(_, let end), .damaged(let end):
                offset = end
                record += 1
            case .end, .torn: break scan
            }
        }
        if segment.bytes > offset {
            opened.cutBytes = segment.bytes - offset
            try File(path, for: .append).truncate(to: offset)
        } else if segment.bytes < SegmentFormat.headerBytes {
            opened.cutBytes = segment.bytes
        }
        return SegmentPosition(segment: segment.first, offset: offset, record: record)
    }
}

// MARK: - Appending

extension SegmentLog {
    /// Appends frames completely or not at all.
    ///
    /// Other calls go on while the frames are synced; until then, they are beyond the end of the log.
    ///
    /// A folder that holds no unread record takes them even beyond its limit.
    /// - Parameters:
    ///   - frames: The frames.
    ///   - count: The number of their records.
    /// - Returns: The position of the first record.
    /// - Throws: `SegmentError` if there is no room, or if the disk fails.
    package func append(
        _ frames: Span<UInt8>,
        records count: Int
    ) throws(SegmentError) -> SegmentPosition {
        try appending.withLock { _ throws(SegmentError) in
            let written = try state.withLock { state throws(SegmentError) in
                let written = try write(frames, records: count, &state)
                if limits.syncs { state.isSyncing = true } else { Self.count(written, &state) }
                return written
            }
            if limits.syncs { try sync(written) }
            return written.start
        }
    }

    /// Makes written frames durable, and lets them count then.
    private func sync(_ written: Written) throws(SegmentError) {
        var failure: FileError?
        do throws(FileError) {
            if written.beginsSegment { try writing.syncFolder(folder.path) }
            try writing.sync(written.file.file)
        } catch {
            failure = error
        }
        try state.withLock { state throws(SegmentError) in
            state.isSyncing = false
            guard let failure else { return Self.count(written, &state) }
            cutOff(written.file, &state)
            throw .file(failure)
        }
    }

    /// Moves the end of the log to the end of written frames.
    private static func count(_ written: Written, _ state: inout State) {
        state.end = written.end
        state.segments[state.segments.count - 1].bytes = written.end.offset
    }

    /// Writes frames after the end of the log, where they do not count yet.
    private func write(
        _ frames: Span<UInt8>,
        records count: Int,
        _ state: inout State
    ) throws(SegmentError) -> Written {
        guard state.isOpen else {
            throw .file(FileError("write to", folder.path, code: Self.closed))
        }
        let isEmpty = state.committed.record >= state.end.record
        // A segment that this append begins has a header, too.
        let needed = frames.count + (isNamed ? 0 : SegmentFormat.headerBytes)
        guard isEmpty && isNamed || needed <= limits.maxBytes - state.bytes else {
            throw .limit(limits.maxBytes)
        }
        do throws(FileError) {
            let former = state.active
            let file = try segmentToAppend(&state)
            try write(frames, to: file, &state)
            return Written(
                file: file,
                start: state.end,
                end: SegmentPosition(
                    segment: state.end.segment,
                    offset: state.end.offset + frames.count,
                    record: state.end.record &+ UInt64(clamping: count)
                ),
                beginsSegment: file !== former
            )
        } catch {
            removeEmptySegment(&state)
            throw .file(error)
        }
    }

    /// Returns the segment to append to, which it begins if need be.
    private func segmentToAppend(_ state: inout State) throws(FileError) -> SegmentFile {
        if let active = state.active, state.end.offset < limits.segmentBytes { return active }
        state.active = nil
        let first = state.end.record
        let file = try makeFile(first)
        state.segments.append(
            Segment(
                first: first,
                bytes: SegmentFormat.headerBytes,
                file: isNamed ? nil : file
            )
        )
        state.end = SegmentPosition(startOf: first)
        var header: [UInt8] = []
        SegmentFormat.appendHeader(to: &header)
        try writing.bytes(file.file, header.span)
        state.active = file
        return file
    }

    private func makeFile(_ first: UInt64) throws(FileError) -> SegmentFile {
        guard isNamed else { return SegmentFile(try File(unnamedIn: folder.path)) }
        let path = folder.segment(first)
        try FileSystem.remove(path)
        return SegmentFile(try File(path, for: .append))
    }

    private func write(
        _ frames: Span<UInt8>,
        to active: SegmentFile,
        _ state: inout State
    ) throws(FileError) {
        do throws(FileError) {
            // After a failed write, a file without a name is positioned beyond its end.
            if !isNamed { try active.file.seek(to: state.end.offset) }
            try writing.bytes(active.file, frames)
        } catch {
            cutOff(active, &state)
            throw error
        }
    }

    /// Takes back what was written after the end of the log, and removes a segment without records.
    private func cutOff(_ active: SegmentFile, _ state: inout State) {
        // If this fails, the rest is never read, since the next segment begins with the next record.
        try? active.file.truncate(to: state.end.offset)
        state.active = nil
        removeEmptySegment(&state)
    }

    /// Removes a segment without records, whose name the next one needs.
    private func removeEmptySegment(_ state: inout State) {
        guard let last = state.segments.last, last.first == state.end.record else { return }
        state.active = nil
        state.segments.removeLast()
        remove(last)
    }
}

// MARK: - Removing

extension SegmentLog {
    /// Notes that records before a position need not be read again, and frees their segments.
    ///
    /// A position before the committed one changes nothing.
    ///
    /// **Throws**: `FileError` if the position could not be written; segments are removed anyway.
    package func commit(_ position: SegmentPosition) throws(FileError) {
        try state.withLock { state throws(FileError) in
            // Records whose segment was dropped may be written afterwards.
            guard position.record > state.committed.record else { return }
            state.committed = position
            guard isNamed else { return removeRead(&state, whole: true) }
            var failure: FileError?
            do throws(FileError) { try writePosition(position) } catch { failure = error }
            // Its space may be what the position needs.
            removeRead(&state, whole: failure?.isFull ?? false)
            if failure != nil { try folder.writePosition(position) }
        }
    }

    private func writePosition(
        _ position: SegmentPosition,
        syncs: Bool = false
    ) throws(FileError) {
        do throws(FileError) {
            try folder.writePosition(position, syncs: syncs)
        } catch  where error.isFull {
            try FileSystem.remove(folder.reserve)
            try folder.writePosition(position, syncs: syncs)
        }
        try? folder.makeReserve()
    }

    /// Removes segments that were read; `whole` if the last one may be removed, too.
    private func removeRead(_ state: inout State, whole: Bool) {
        while state.segments.count > 1, state.segments[1].first <= state.committed.record {
            remove(state.segments.removeFirst())
        }
        guard let last = state.segments.first, state.segments.count == 1, !state.isSyncing,
            state.committed.record >= state.end.record,
            whole || last.bytes >= limits.segmentBytes
        else { return }
        state.active = nil
        state.segments = []
        remove(last)
    }

    /// Frees space on a full disk, if all records were read: all segments, then the reserve.
    ///
    /// The log goes on in a new segment. The reserve, which the next `commit` makes again, is given up
    /// only for few bytes: without it, the position can only be written once they are read.
    /// - Parameter bytes: The bytes of the frames that have found no room.
    /// - Returns: Whether there was anything to free.
    package func makeRoom(for bytes: Int) -> Bool {
        appending.withLock { _ in
            state.withLock { state in
                guard isNamed, state.isOpen, state.committed.record >= state.end.record else {
                    return false
                }
                guard state.segments.isEmpty else {
                    removeRead(&state, whole: true)
                    return true
                }
                return bytes <= SegmentFolder.reserveBytes / 2 && folder.removeReserve()
            }
        }
    }

    private func remove(_ segment: Segment) {
        if isNamed { try? FileSystem.remove(folder.segment(segment.first)) }
    }

    /// Removes the oldest segment, read or not.
    ///
    /// - Returns: The position of the first record that is left.
    package func dropOldest() -> SegmentPosition {
        appending.withLock { _ in
            state.withLock { state in
                guard let first = state.segments.first else { return state.end }
                if state.segments.count == 1 { state.active = nil }
                state.segments.removeFirst()
                remove(first)
                let start =
                    state.segments.first.map { SegmentPosition(startOf: $0.first) } ?? state.end
                if start.record > state.committed.record { state.committed = start }
                return start
            }
        }
    }

    /// Lets other processes use the folder; nothing may be called afterwards.
    package func close() {
        appending.withLock { _ in
            state.withLock { state in
                removeRead(&state, whole: true)
                state.active = nil
                // A program that is being started has a copy of the descriptor for a moment.
                state.lock?.unlock()
                state.lock = nil
                state.isOpen = false
            }
        }
    }

    /// Frees the space of unnamed files; nothing may be called afterwards.
    ///
    /// If a hanging disk blocks another thread, the space is freed with the last reference.
    package func discard() {
        guard !isNamed else { return }
        _ = state.withLockIfAvailable { state in
            state.segments = []
            state.active = nil
            state.isOpen = false
        }
    }
}
