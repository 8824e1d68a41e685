// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// An open file, pipe or terminal: the one owner of its descriptor, closed with it.
///
/// New files get mode 0600 and no child process inherits them (`O_CLOEXEC`).
///
/// **Isolation**: calls that only read or only write may come from any thread, one at a time.
public struct File: ~Copyable, Sendable {
    /// What a file is opened for, and what happens when it is there or not.
    public enum Access: Sendable {
        /// Reads what is there.
        case read
        /// Reads what is there; where it is a pipe, opening does not wait for somebody who writes.
        case readWithoutWaiting
        /// Writes to what is there; a FIFO that nobody reads is an error (fifo(7)).
        case writeWithoutWaiting
        /// Writes after what is there, wherever other writers have come to; makes it if need be.
        /// What is there can be read too.
        case append
        /// Makes it; an error where it is there.
        case create
        /// Makes it, or empties what is there.
        case replace

        fileprivate var flags: Int32 {
            switch self {
            case .read: O_RDONLY
            case .readWithoutWaiting: O_RDONLY | O_NONBLOCK
            case .writeWithoutWaiting: O_WRONLY | O_NONBLOCK
            case .append: O_RDWR | O_CREAT | O_APPEND
            case .create: O_WRONLY | O_CREAT | O_EXCL
            case .replace: O_WRONLY | O_CREAT | O_TRUNC
            }
        }
    }

    /// The path it was opened by, or a name such as `standard output`; errors show it.
    public let path: String
    let descriptor: Int32
    private var isOwned: Bool

    /// Opens a file.
    ///
    /// **Throws**: `FileError` when the system refuses it.
    public init(_ path: String, for access: Access) throws(FileError) {
        var descriptor: Int32
        repeat {
            descriptor = unsafe open(path, access.flags | O_CLOEXEC | O_NOCTTY, 0o600)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw FileError.last("open", path) }
        try self.init(opened: descriptor, named: path)
    }

    /// Takes over a descriptor that was just opened.
    ///
    /// A process may run without standard streams: what is said on them is not for this file.
    init(opened descriptor: Int32, named path: String) throws(FileError) {
        guard descriptor <= STDERR_FILENO else {
            self.init(descriptor, named: path, isOwned: true)
            return
        }
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        let code = errno
        _ = Glibc.close(descriptor)
        guard moved >= 0 else { throw FileError("open", path, code: code) }
        self.init(moved, named: path, isOwned: true)
    }

    /// Takes over an open descriptor, and closes it in the end.
    public init(owning descriptor: Int32, named name: String) {
        self.init(descriptor, named: name, isOwned: true)
    }

    private init(_ descriptor: Int32, named name: String, isOwned: Bool) {
        self.descriptor = descriptor
        self.isOwned = isOwned
        path = name
    }

    deinit {
        // What matters has been written and synced before; there is nobody to tell.
        if isOwned { _ = Glibc.close(descriptor) }
    }

    /// Standard input; it stays open when this value goes.
    public static var standardInput: File {
        File(STDIN_FILENO, named: "standard input", isOwned: false)
    }

    /// Standard output; it stays open when this value goes.
    public static var standardOutput: File {
        File(STDOUT_FILENO, named: "standard output", isOwned: false)
    }

    /// Standard error; it stays open when this value goes.
    public static var standardError: File {
        File(STDERR_FILENO, named: "standard error", isOwned: false)
    }

    /// Closes it and says whether the system could; a network file system may tell of lost bytes
    /// only now.
    ///
    /// **Throws**: `FileError`; the descriptor is closed all the same (close(2)).
    public consuming func close() throws(FileError) {
        guard isOwned else { return }
        isOwned = false
        guard Glibc.close(descriptor) != 0, errno != EINTR else { return }
        throw FileError.last("close", path)
    }

    /// What the system knows of it.
    public func status() throws(FileError) -> FileStatus {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError.last("inspect", path) }
        return FileStatus(status)
    }

    /// Takes the lock that no other process may have at the same time; false where one has it.
    ///
    /// **Source**: flock(2). The lock goes with the file.
    public func lock() throws(FileError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw FileError.last("lock", path) }
        }
        return true
    }

    /// Takes the lock, for which it waits so many milliseconds where another one has it.
    public func lock(waiting milliseconds: Int) throws(FileError) -> Bool {
        for _ in 0..<milliseconds / 10 {
            if try lock() { return true }
            usleep(10_000)
        }
        return try lock()
    }

    /// Gives the lock back before the file goes.
    public func unlock() { _ = flock(descriptor, LOCK_UN) }
}
