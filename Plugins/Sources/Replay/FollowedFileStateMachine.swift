// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// Which file a path names: its device and inode.
struct FileIdentity: Sendable, Hashable {
    var device: UInt64
    var inode: UInt64

    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    init(_ status: FileStatus) { self.init(device: status.device, inode: status.inode) }
}

/// When a followed file is opened, read from the start again, and closed.
///
/// ```
///          opened                found another
/// absent ────────▶ reading ◀──────────────────▶ draining
///   ▲                        found the same         │
///   └───────────────────────────────────────────────┘ the end, and quiet for `grace`
/// ```
/// Pure: it reads no file and no clock.
///
/// **Units**: times are microseconds of a monotonic clock.
struct FollowedFileStateMachine: ~Copyable {
    private enum State {
        case absent
        case reading(FileIdentity)
        /// The path names another file or was moved: the open one is read to its end first.
        case draining(FileIdentity, quietSince: Int64)
    }

    enum Action: Equatable {
        case wait
        /// Open the next file: one that was moved away before it was read, or else the one that the
        /// path names. Asked for again until `opened`.
        case open
        /// Read the open file from its start again.
        case startAgain
        /// The open file is complete: end its last line, and close it.
        case close
    }

    /// How long a writer may still write to a file that was moved.
    private let grace: Int64
    private var state = State.absent
    /// The files that the path has named and that were not opened yet, oldest first.
    private(set) var awaited: [FileIdentity] = []
    /// The most files that are awaited; others are only found by their names and times.
    private static let maxAwaited = 1024

    init(grace: Int64) { self.grace = grace }

    /// Whether no file is to be open.
    var isAbsent: Bool { if case .absent = state { true } else { false } }

    /// A file was opened, at its start or at a checkpoint.
    ///
    /// - Parameters:
    ///   - identity: The file.
    ///   - isNamed: Whether the path names it, so that nothing older is left to be read.
    /// - Returns: How many files the path has named in the meantime that were not read.
    @discardableResult
    mutating func opened(_ identity: FileIdentity, isNamed: Bool = true) -> Int {
        state = .reading(identity)
        guard isNamed else {
            leftOut(identity)
            return 0
        }
        let missed = awaited.firstIndex(of: identity) ?? awaited.count
        awaited = []
        return missed
    }

    /// A file cannot be read and is no longer awaited.
    mutating func leftOut(_ identity: FileIdentity) { awaited.removeAll { $0 == identity } }

    /// The path names this file now, or none.
    mutating func found(_ named: FileIdentity?, now: Int64) -> Action {
        switch (state, named) {
        case (_, nil): return .wait
        case (.absent, _): return .open
        case (.reading(let held), let named?):
            guard held != named else { return .wait }
            state = .draining(held, quietSince: now)
            noteNamed(named)
            return .wait
        case (.draining(let held, _), let named?):
            guard held == named else {
                noteNamed(named)
                return .wait
            }
            state = .reading(held)
            awaited = []
            return .wait
        }
    }

    /// Notes a file that the path names; if it was moved back, those after it are not awaited.
    private mutating func noteNamed(_ named: FileIdentity) {
        if let index = awaited.firstIndex(of: named) {
            awaited.removeLast(awaited.count - index - 1)
        } else if awaited.count < Self.maxAwaited {
            awaited.append(named)
        }
    }

    /// Bytes of the open file were read.
    mutating func read(now: Int64) {
        guard case .draining(let held, _) = state else { return }
        state = .draining(held, quietSince: now)
    }

    /// The open file has become shorter, or begins with other bytes.
    mutating func truncated() -> Action {
        if case .absent = state { return .wait }
        return .startAgain
    }

    /// The end of the open file is reached.
    mutating func reachedEnd(now: Int64) -> Action {
        guard case .draining(_, let since) = state, now &- since >= grace else { return .wait }
        state = .absent
        return .close
    }
}
