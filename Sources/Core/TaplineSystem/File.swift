// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// An open file, pipe or terminal: owns its descriptor and closes it when destroyed.
///
/// New files get mode 0600 unless they are opened for `createShared`, and child processes do not
/// inherit them (`O_CLOEXEC`).
///
/// **Isolation**: calls that only read or only write may be made from any thread, one at a time.
public struct File: ~Copyable, Sendable {
    /// How a file is opened, and whether it must exist.
    public enum Access: Sendable {
        /// Reads an existing file.
        case read
        /// Reads an existing file; opening a pipe does not wait for a writer.
        case readWithoutWaiting
        /// Reads an existing file on disk; anything else, such as a pipe, is an error.
        case readRegular
        /// Writes to an existing file; a FIFO without a reader is an error (fifo(7)).
        case writeWithoutWaiting
        /// Appends, wherever the current end is; creates the file if needed.
        ///
        /// The file can be read too.
        case append
        /// Creates the file; fails if it exists.
        case create
        /// The same for a file without secrets: the umask decides who may use it (umask(2)).
        case createShared
        /// Creates the file, or truncates an existing one.
        case replace

        fileprivate var flags: Int32 {
            switch self {
            case .read: O_RDONLY
            case .readWithoutWaiting, .readRegular: O_RDONLY | O_NONBLOCK
            case .writeWithoutWaiting: O_WRONLY | O_NONBLOCK
            case .append: O_RDWR | O_CREAT | O_APPEND
            case .create, .createShared: O_WRONLY | O_CREAT | O_EXCL
            case .replace: O_WRONLY | O_CREAT | O_TRUNC
            }
        }

        /// The mode of a new file, from which the system removes the bits of the umask.
        fileprivate var mode: mode_t {
            switch self {
            case .createShared: 0o666
            default: 0o600
            }
        }
    }

    /// The path that it was opened with, or a name such as `standard output`; used in errors.
    public let path: String
    let descriptor: Int32
    private var isOwned: Bool

    /// Opens a file.
    ///
    /// **Throws**: `FileError` if the system cannot open it.
    public init(_ path: String, for access: Access) throws(FileError) {
        var descriptor: Int32
        repeat {
            descriptor = unsafe open(path, access.flags | O_CLOEXEC | O_NOCTTY, access.mode)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw FileError.last("open", path) }
        if access == .readRegular, let code = File.whyNotRegular(descriptor) {
            _ = Glibc.close(descriptor)
            throw FileError("open", path, code: code)
        }
        try self.init(opened: descriptor, named: path)
    }

    /// The error number if a descriptor is not a file on disk.
    private static func whyNotRegular(_ descriptor: Int32) -> Int32? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return errno }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: return EISDIR
        default: return EOPNOTSUPP
        }
    }

    /// Takes over a newly opened descriptor.
    ///
    /// If the process runs without standard streams, the descriptor may have the number of one. It
    /// is moved then, since output to a standard stream must not end up in this file.
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

    /// Takes over an open descriptor, and closes it when destroyed.
    package init(owning descriptor: Int32, named name: String) {
        self.init(descriptor, named: name, isOwned: true)
    }

    private init(_ descriptor: Int32, named name: String, isOwned: Bool) {
        self.descriptor = descriptor
        self.isOwned = isOwned
        path = name
    }

    deinit {
        // Important data has been written and synced before; an error cannot be reported here.
        if isOwned { _ = Glibc.close(descriptor) }
    }

    /// Standard input; it stays open when this value is destroyed.
    public static var standardInput: File {
        File(STDIN_FILENO, named: "standard input", isOwned: false)
    }

    /// Standard output; it stays open when this value is destroyed.
    public static var standardOutput: File {
        File(STDOUT_FILENO, named: "standard output", isOwned: false)
    }

    /// Standard error; it stays open when this value is destroyed.
    public static var standardError: File {
        File(STDERR_FILENO, named: "standard error", isOwned: false)
    }

    /// Closes the file; a network file system may report lost bytes only now.
    ///
    /// **Throws**: `FileError`; the descriptor is closed in any case (close(2)).
    public consuming func close() throws(FileError) {
        guard isOwned else { return }
        isOwned = false
        guard Glibc.close(descriptor) != 0, errno != EINTR else { return }
        throw FileError.last("close", path)
    }

    /// The file's status.
    package func status() throws(FileError) -> FileStatus {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError.last("inspect", path) }
        return FileStatus(status)
    }

    /// Takes the exclusive lock; returns `false` if another process holds it.
    ///
    /// **Source**: flock(2). The lock is released when the file is closed.
    package func lock() throws(FileError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw FileError.last("lock", path) }
        }
        return true
    }

    /// Takes the exclusive lock, waiting for some milliseconds if another process holds it.
    package func lock(waiting milliseconds: Int) throws(FileError) -> Bool {
        for _ in 0..<milliseconds / 10 {
            if try lock() { return true }
            usleep(10_000)
        }
        return try lock()
    }

    /// Releases the lock before the file is closed.
    package func unlock() { _ = flock(descriptor, LOCK_UN) }
}
