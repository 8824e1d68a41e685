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
        /// No file is open; `successor` is the one that replaced the last.
        case absent(successor: FileIdentity?)
        case reading(FileIdentity)
        /// The path names another file or was moved: the open one is read to its end first.
        case draining(FileIdentity, successor: FileIdentity, quietSince: Int64)
    }

    enum Action: Equatable {
        case wait
        /// Open the file that the path names; asked for again until `opened`.
        case open
        /// Read the open file from its start again.
        case startAgain
        /// The open file is complete: end its last line, and close it.
        case close
    }

    /// How long a writer may still write to a file that was moved.
    private let grace: Int64
    private var state = State.absent(successor: nil)

    init(grace: Int64) { self.grace = grace }

    /// Whether no file is to be open.
    var isAbsent: Bool { if case .absent = state { true } else { false } }

    /// A file was opened, at its start or at a checkpoint.
    ///
    /// - Returns: Whether it is not the file that replaced the last one, so that at least that one
    ///   was not read.
    @discardableResult
    mutating func opened(_ identity: FileIdentity) -> Bool {
        let before = state
        state = .reading(identity)
        guard case .absent(let successor?) = before else { return false }
        return successor != identity
    }

    /// The path names this file now, or none.
    mutating func found(_ named: FileIdentity?, now: Int64) -> Action {
        switch (state, named) {
        case (_, nil): return .wait
        case (.absent, _): return .open
        case (.reading(let held), let named?):
            if held != named { state = .draining(held, successor: named, quietSince: now) }
            return .wait
        case (.draining(let held, _, _), let named?):
            if held == named { state = .reading(held) }
            return .wait
        }
    }

    /// Bytes of the open file were read.
    mutating func read(now: Int64) {
        guard case .draining(let held, let successor, _) = state else { return }
        state = .draining(held, successor: successor, quietSince: now)
    }

    /// The open file has become shorter, or begins with other bytes.
    mutating func truncated() -> Action {
        if case .absent = state { return .wait }
        return .startAgain
    }

    /// The end of the open file is reached.
    mutating func reachedEnd(now: Int64) -> Action {
        guard case .draining(_, let successor, let since) = state, now &- since >= grace else {
            return .wait
        }
        state = .absent(successor: successor)
        return .close
    }
}
