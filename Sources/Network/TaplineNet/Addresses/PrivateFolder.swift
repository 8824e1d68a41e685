// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif
internal import TaplineSystem

/// A folder of lock files that only its owner may use, held open.
///
/// In a place where every user may create names, such as `/tmp`, another user may have created the
/// folder before, or a link of its name. It is opened without following a link, checked, and its
/// files are opened relative to it (openat(2)), so that nothing can be swapped in between.
final class PrivateFolder: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Opens a folder, and checks that it belongs to this user alone.
    ///
    /// - Parameters:
    ///   - path: The path; links are followed in all but its last part.
    ///   - creates: Whether the folder is created if it is missing.
    /// - Throws: `PrivateFolderError`.
    init(_ path: String, creates: Bool) throws(PrivateFolderError) {
        if creates {
            do throws(FileError) {
                try FileSystem.makeFolder(path)
            } catch {
                throw PrivateFolderError(.system, error.description)
            }
        }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var descriptor: Int32
        repeat { descriptor = unsafe open(path, flags) } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw PrivateFolderError(opening: path, errno) }
        self.path = path
        self.descriptor = descriptor
        try check()
    }

    deinit { _ = close(descriptor) }

    private func check() throws(PrivateFolderError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            let error = FileError("inspect", path, code: errno)
            throw PrivateFolderError(.system, error.description)
        }
        guard status.st_uid == UserAccount.current else {
            throw PrivateFolderError(
                .foreign,
                "the folder '\(path)' belongs to another user (\(status.st_uid))"
            )
        }
        let mode = status.st_mode & 0o777
        guard mode & 0o077 == 0 else {
            let text = String(mode, radix: 8)
            throw PrivateFolderError(
                .open,
                "others may use the folder '\(path)'; found mode \(text), expected 700"
            )
        }
    }

    /// Opens a lock file; creates it with mode 0600 if it is missing.
    ///
    /// - Throws: `FileError`, also if the name is that of a link.
    func makeFile(_ name: String) throws(FileError) -> LockFile {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY
        let file = unsafe openat(descriptor, name, flags, 0o600)
        guard file >= 0 else { throw FileError("open", "\(path)/\(name)", code: errno) }
        return LockFile(owning: file, "\(path)/\(name)")
    }

    /// Removes a file, if it can be removed.
    func remove(_ name: String) { _ = unsafe unlinkat(descriptor, name, 0) }

    /// Opens a lock file; `nil` if there is none.
    ///
    /// - Throws: `FileError`, also if the name is that of a link.
    func file(_ name: String) throws(FileError) -> LockFile? {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let file = unsafe openat(descriptor, name, flags)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw FileError("open", "\(path)/\(name)", code: errno) }
        return LockFile(owning: file, "\(path)/\(name)")
    }
}

/// A file that is locked; its lock is released when it is destroyed, or the process ends.
///
/// **Source**: flock(2).
final class LockFile: Sendable {
    private let descriptor: Int32
    private let path: String

    fileprivate init(owning descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { _ = close(descriptor) }

    /// Takes the exclusive lock; returns `false` if another one holds a lock for longer than some
    /// milliseconds.
    func lock(waiting milliseconds: Int = 0) throws(FileError) -> Bool {
        for _ in 0..<milliseconds / 10 {
            if try lock(LOCK_EX) { return true }
            usleep(10_000)
        }
        return try lock(LOCK_EX)
    }

    /// Takes a shared lock, which others may have too; returns `false` if another one holds the
    /// exclusive lock.
    func lockShared() throws(FileError) -> Bool { try lock(LOCK_SH) }

    /// Whether the file has been removed from its folder.
    var isRemoved: Bool {
        get throws(FileError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else {
                throw FileError("inspect", path, code: errno)
            }
            return status.st_nlink == 0
        }
    }

    /// Replaces the content.
    func replace(_ bytes: [UInt8]) throws(FileError) {
        guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o600) == 0,
            unsafe bytes.withUnsafeBytes({ unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) })
                == bytes.count
        else { throw FileError("write", path, code: errno) }
    }

    /// Reads the content, at most `limit` bytes.
    func content(atMost limit: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
        }
        guard count >= 0 else { throw FileError("read", path, code: errno) }
        return Array(bytes[..<count])
    }

    /// Releases the lock.
    func unlock() { _ = flock(descriptor, LOCK_UN) }

    private func lock(_ kind: Int32) throws(FileError) -> Bool {
        while flock(descriptor, kind | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw FileError("lock", path, code: errno) }
        }
        return true
    }
}

/// Why a folder cannot be used as one that belongs to this user alone.
struct PrivateFolderError: Error, CustomStringConvertible {
    enum Code {
        /// There is no such folder.
        case missing
        /// It belongs to another user, or is a link or a file.
        case foreign
        /// It belongs to this user, but others may use it.
        case open
        /// The system rejected an operation.
        case system
    }

    let code: Code
    /// What is wrong, in words.
    let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    fileprivate init(opening path: String, _ number: Int32) {
        switch number {
        case ENOENT: self.init(.missing, "there is no folder '\(path)'")
        case ELOOP, ENOTDIR:
            self.init(.foreign, "'\(path)' is a link or a file; expected a folder")
        default: self.init(.system, FileError("open", path, code: number).description)
        }
    }
}
