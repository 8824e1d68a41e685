// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension File {
    /// Writes all bytes; blocks while they are not accepted.
    ///
    /// **Throws**: `FileError`; some of the bytes may have been written.
    public func write(_ bytes: Span<UInt8>) throws(FileError) {
        var position = 0
        try write(bytes, from: &position)
    }

    /// Writes all bytes from a position on, and advances it past each written byte.
    ///
    /// After an error, the position states how much was written.
    ///
    /// **Throws**: `FileError`. A closed pipe is an error, and so is exceeding the file size limit
    /// (setrlimit(2)), whatever the process does about `SIGPIPE` and `SIGXFSZ`.
    public func write(_ bytes: Span<UInt8>, from position: inout Int) throws(FileError) {
        while position < bytes.count {
            let rest = bytes.extracting(position...)
            let count = unsafe rest.withUnsafeBytes { unsafe writeQuietly(descriptor, $0) }
            if count > 0 {
                position += count
            } else if count == 0 {
                // POSIX leaves this open for devices; without progress there is nothing to wait
                // for.
                throw FileError("write", path, code: EIO)
            } else {
                try waitOrThrow("write", for: Int16(POLLOUT))
            }
        }
    }

    /// Truncates the file to a size.
    public func truncate(to size: Int) throws(FileError) {
        while ftruncate(descriptor, size) != 0 {
            guard errno == EINTR else { throw FileError.last("cut", path) }
        }
    }

    /// Gives the file the owner, the group and the permissions of another one.
    ///
    /// - Parameter other: The other file.
    /// - Throws: `FileError`; only an administrator may give a file away (chown(2)).
    package func copyOwner(of other: borrowing File) throws(FileError) {
        var wanted = stat()
        var present = stat()
        guard unsafe fstat(other.descriptor, &wanted) == 0 else {
            throw FileError.last("inspect", other.path)
        }
        guard unsafe fstat(descriptor, &present) == 0 else { throw FileError.last("inspect", path) }
        if present.st_uid != wanted.st_uid || present.st_gid != wanted.st_gid {
            guard fchown(descriptor, wanted.st_uid, wanted.st_gid) == 0 else {
                throw FileError.last("change the owner of", path)
            }
        }
        guard fchmod(descriptor, wanted.st_mode & 0o7777) == 0 else {
            throw FileError.last("change the permissions of", path)
        }
    }

    /// Waits until bytes and size are on disk (fdatasync(2)).
    ///
    /// Does nothing for a file that is not on disk, such as a pipe.
    public func syncData() throws(FileError) {
        while fdatasync(descriptor) != 0 {
            if errno == EINVAL || errno == EROFS { return }
            guard errno == EINTR else { throw FileError.last("sync", path) }
        }
    }
}

/// Writes like write(2), but without the signals that end a process that does not ignore them.
///
/// A library must not change which signals an app's process ignores.
private func writeQuietly(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    var signals = sigset_t()
    var former = sigset_t()
    var pending = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in [SIGPIPE, SIGXFSZ] { unsafe sigaddset(&signals, signal) }
    unsafe sigpending(&pending)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, &former)
    let count = unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    let code = errno
    // A write to a pipe sends the signal, too, if only the rest of the bytes had no reader.
    if count < bytes.count {
        var sent = sigset_t()
        unsafe sigpending(&sent)
        for signal in [SIGPIPE, SIGXFSZ] {
            let was = unsafe sigismember(&pending, signal) == 1
            guard !was, unsafe sigismember(&sent, signal) == 1 else { continue }
            // The signal was sent to this thread; consume it.
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, signal)
            var taken: Int32 = 0
            unsafe sigwait(&signals, &taken)
        }
    }
    unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
    errno = code
    return count
}

#if canImport(Darwin)
/// Darwin has no declaration of fdatasync; this flushes to the disk itself, as Linux does.
private func fdatasync(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_FULLFSYNC) }
#endif
